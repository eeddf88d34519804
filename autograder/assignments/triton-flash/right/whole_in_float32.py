"""A single kernel that computes in float32 whatever comes, 32 queries and 64 keys at a time, from flattened heads."""

@triton.jit
def wide_kernel(q_ptr, k_ptr, v_ptr, out_ptr, n_queries, n_keys, scale, IS_CAUSAL: tl.constexpr, D: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    head, first = tl.program_id(1), tl.program_id(0) * ROWS
    q_ptr += head * n_queries * D
    out_ptr += head * n_queries * D
    k_ptr += head * n_keys * D
    v_ptr += head * n_keys * D
    rows, features = first + tl.arange(0, ROWS), tl.arange(0, D)
    q = tl.load(q_ptr + rows[:, None] * D + features, mask=rows[:, None] < n_queries, other=0).to(tl.float32) * scale
    last = tl.minimum(rows, n_queries - 1) + n_keys - n_queries
    if not IS_CAUSAL:
        last = last * 0 + n_keys - 1
    m = tl.full((ROWS,), -float("inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    acc = tl.zeros((ROWS, D), tl.float32)
    end = tl.max(last, 0) + 1
    for start in range(0, end, COLUMNS):
        columns = start + tl.arange(0, COLUMNS)
        there = columns[:, None] * D + features
        k = tl.load(k_ptr + there, mask=columns[:, None] < n_keys, other=0).to(tl.float32)
        v = tl.load(v_ptr + there, mask=columns[:, None] < n_keys, other=0).to(tl.float32)
        scores = tl.dot(q, tl.trans(k), input_precision="ieee")
        scores = tl.where(columns[None, :] <= last[:, None], scores, -float("inf"))
        larger = tl.maximum(m, tl.max(scores, 1))
        safe = tl.where(larger > -float("inf"), larger, 0.0)
        weights = tl.exp(scores - safe[:, None])
        factor = tl.exp(m - safe)
        total = total * factor + tl.sum(weights, 1)
        acc = acc * factor[:, None] + tl.dot(weights, v, input_precision="ieee")
        m = larger
    acc /= tl.where(total == 0, 1, total)[:, None]
    tl.store(out_ptr + rows[:, None] * D + features, acc.to(out_ptr.dtype.element_ty), mask=rows[:, None] < n_queries)


def flash_attention_triton(q, k, v, is_causal=False):
    check_inputs(q, k, v)
    shape, n_keys = q.shape, k.shape[2]
    q, k, v = (x.reshape(-1, *x.shape[2:]).contiguous() for x in (q, k, v))
    output = torch.zeros_like(q)
    if output.numel() and n_keys:
        grid = (triton.cdiv(shape[2], 32), q.shape[0])
        wide_kernel[grid](q, k, v, output, shape[2], n_keys, shape[3]**-0.5, IS_CAUSAL=bool(is_causal), D=shape[3], ROWS=32, COLUMNS=64)
    return output.reshape(shape)
