"""The cache is float32, whatever dtype was asked for. Hand `dtype` on to the tensors that you make."""

RightKVCache = KVCache


class KVCache(RightKVCache):
    def __init__(self, batch_size, n_kv_heads, max_len, d_head, dtype=torch.float32, device="cpu"):
        super().__init__(batch_size, n_kv_heads, max_len, d_head, torch.float32, device)
