"""The input has been changed. Methods that end in an underscore and assignments such as `x += y` write into the
caller's tensor."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, mask=None):
        output = super().forward(x, mask)
        with torch.no_grad():
            x += output
        return output
