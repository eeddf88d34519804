"""Pointers to blocks, which bring their own bounds; powers of e; a grid of two dimensions; tiles of another size."""

@triton.jit
def blocks_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr,
    q_b, q_h, q_t, q_d, k_b, k_h, k_t, k_d, v_b, v_h, v_t, v_d, o_b, o_h, o_t, o_d,
    n_heads, n_queries, n_keys, scale, IS_CAUSAL: tl.constexpr, D_HEAD: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):
    block, pair = tl.program_id(0), tl.program_id(1)
    b, h = (pair // n_heads).to(tl.int64), (pair % n_heads).to(tl.int64)
    q_block = tl.make_block_ptr(q_ptr + b * q_b + h * q_h, (n_queries, D_HEAD), (q_t, q_d), (block * ROWS, 0), (ROWS, D_HEAD), (1, 0))
    k_block = tl.make_block_ptr(k_ptr + b * k_b + h * k_h, (D_HEAD, n_keys), (k_d, k_t), (0, 0), (D_HEAD, COLUMNS), (0, 1))
    v_block = tl.make_block_ptr(v_ptr + b * v_b + h * v_h, (n_keys, D_HEAD), (v_t, v_d), (0, 0), (COLUMNS, D_HEAD), (1, 0))
    out_block = tl.make_block_ptr(out_ptr + b * o_b + h * o_h, (n_queries, D_HEAD), (o_t, o_d), (block * ROWS, 0), (ROWS, D_HEAD), (1, 0))
    q = tl.load(q_block, boundary_check=(0,), padding_option="zero")
    m = tl.full((ROWS,), -1e30, tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    weighted = tl.zeros((ROWS, D_HEAD), tl.float32)
    rows = block * ROWS + tl.arange(0, ROWS)
    for start in range(0, n_keys, COLUMNS):
        k = tl.load(k_block, boundary_check=(1,), padding_option="zero")
        v = tl.load(v_block, boundary_check=(0,), padding_option="zero")
        columns = start + tl.arange(0, COLUMNS)
        allowed = (columns < n_keys)[None, :]
        if IS_CAUSAL:
            allowed = allowed & (columns[None, :] <= rows[:, None] + (n_keys - n_queries))
        scores = tl.where(allowed, tl.dot(q, k, input_precision="ieee") * scale, -float("inf"))
        larger = tl.maximum(m, tl.max(scores, 1))
        weights = tl.exp(scores - larger[:, None])
        factor = tl.exp(m - larger)
        total = total * factor + tl.sum(weights, 1)
        weighted = tl.dot(weights.to(v.dtype), v, weighted * factor[:, None], input_precision="ieee")
        m = larger
        k_block = tl.advance(k_block, (0, COLUMNS))
        v_block = tl.advance(v_block, (COLUMNS, 0))
    output = weighted / tl.where(total > 0, total, 1.0)[:, None]
    tl.store(out_block, output.to(out_ptr.dtype.element_ty), boundary_check=(0,))


def flash_attention_triton(q, k, v, is_causal=False):
    check_inputs(q, k, v)
    out = q.new_zeros(q.shape)
    b, h, n_queries, d_head = q.shape
    if out.numel() == 0:
        return out
    blocks_kernel[lambda meta: (triton.cdiv(n_queries, meta["ROWS"]), b * h)](
        q, k, v, out, *q.stride(), *k.stride(), *v.stride(), *out.stride(), h, n_queries, k.shape[2], d_head**-0.5,
        IS_CAUSAL=is_causal, D_HEAD=d_head, ROWS=32, COLUMNS=32,
    )
    return out
