"""The weights get no gradient, in the toy."""


class Layer(Layer):
    def forward(self, x):
        return x @ self.w.weight.detach().mT * 2
