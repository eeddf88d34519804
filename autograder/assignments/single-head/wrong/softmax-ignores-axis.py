"""The sum runs along the last axis whatever `axis` says. Hand `axis` on to both the maximum and the sum."""

right_softmax = softmax


def softmax(x, axis=-1):
    return right_softmax(x, axis=-1)
