"""A tensor that was handed in has been changed. Methods that end in an underscore, such as `mul_`, and assignments
such as `q /= 2` write into the caller's tensor."""

right_attention = attention


def attention(q, k, v, mask=None):
    result = right_attention(q, k, v, mask)
    with torch.no_grad():
        q /= math.sqrt(q.shape[-1] + 1)
    return result
