"""The mask is turned round on its way to attention. True means may attend, as everywhere in this course;
nn.MultiheadAttention means the opposite."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, mask=None):
        return super().forward(x, None if mask is None else ~mask)
