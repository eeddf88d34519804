"""The factor is missing, in the toy."""


class Layer(Layer):
    def forward(self, x):
        return self.w(x)
