"""The tensors are padded to whole tiles before the launch, so that the kernel needs no masks but that of the keys; an autotuner with one
configuration; queries scaled before the product."""

@triton.autotune([triton.Config({"TILE": 32}, num_warps=4)], key=["n_keys"])
@triton.jit
def padded_kernel(q_ptr, k_ptr, v_ptr, out_ptr, n_rows, n_columns, n_keys, offset, scale, IS_CAUSAL: tl.constexpr, D_HEAD: tl.constexpr, TILE: tl.constexpr):
    pair = tl.program_id(1).to(tl.int64)
    rows, features = tl.program_id(0) * TILE + tl.arange(0, TILE), tl.arange(0, D_HEAD)
    places = pair * n_rows * D_HEAD + rows[:, None] * D_HEAD + features[None, :]
    q = tl.load(q_ptr + places)
    m = tl.full((TILE,), -float("inf"), tl.float32)
    total, weighted = tl.zeros((TILE,), tl.float32), tl.zeros((TILE, D_HEAD), tl.float32)
    for start in range(0, n_columns, TILE):
        columns = start + tl.arange(0, TILE)
        there = pair * n_columns * D_HEAD + columns[:, None] * D_HEAD + features[None, :]
        k, v = tl.load(k_ptr + there), tl.load(v_ptr + there)
        scores = scale * tl.dot(q, tl.trans(k), input_precision="ieee")
        allowed = columns[None, :] < n_keys
        if IS_CAUSAL:
            allowed = allowed & (columns[None, :] <= rows[:, None] + offset)
        scores = tl.where(allowed, scores, -1e38)
        larger = tl.maximum(m, tl.max(scores, 1))
        weights = tl.where(allowed, tl.exp(scores - larger[:, None]), 0.0)
        factor = tl.exp(m - larger)
        m, total = larger, total * factor + tl.sum(weights, 1)
        weighted = weighted * factor[:, None] + tl.dot(weights.to(v.dtype), v, input_precision="ieee")
    tl.store(out_ptr + places, (weighted / tl.maximum(total, 1e-37)[:, None]).to(out_ptr.dtype.element_ty))


def flash_attention_triton(q, k, v, is_causal=False):
    check_inputs(q, k, v)
    (b, h, n_queries, d_head), n_keys = q.shape, k.shape[2]
    rows, columns = (-(-n // 64) * 64 for n in (n_queries, n_keys))
    if q.numel() == 0 or n_keys == 0:
        return torch.zeros_like(q)
    q, k, v = (torch.nn.functional.pad(x, (0, 0, 0, n - x.shape[2])).contiguous() for x, n in ((q, rows), (k, columns), (v, columns)))
    output = torch.empty(b, h, rows, d_head, dtype=q.dtype, device=q.device)
    padded_kernel[lambda meta: (rows // meta["TILE"], b * h)](q, k, v, output, rows, columns, n_keys, n_keys - n_queries, d_head**-0.5, IS_CAUSAL=is_causal, D_HEAD=d_head)
    return output[:, :, :n_queries]
