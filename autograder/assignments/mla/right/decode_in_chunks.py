"""decode goes through the cache a few tokens at a time, with the online softmax."""


class MultiHeadLatentAttention(MultiHeadLatentAttention):
    def decode(self, x, latent, k_rope, position):
        self.check_cache(x, latent, k_rope)
        content, rotary = (part[:, :, 0].double() for part in self.queries(x, torch.tensor([position])))
        w_uk, w_uv = (w.weight.unflatten(0, (self.n_heads, self.d_head)).double() for w in (self.w_uk, self.w_uv))
        absorbed = torch.einsum("bhd,hdr->bhr", content, w_uk)
        largest, total, mixed = torch.full((len(x), self.n_heads, 1), -torch.inf).double(), 0, 0
        for some, keys in zip(latent.split(4, 1), k_rope.split(4, 1)):
            some, keys = some.double(), keys.double()
            scores = (absorbed @ some.mT + rotary @ keys.mT) / math.sqrt(self.d_head + self.d_rope)
            higher = torch.maximum(largest, scores.amax(-1, keepdim=True))
            powers, shrink = (scores - higher).exp(), (largest - higher).exp()
            total = total * shrink + powers.sum(-1, keepdim=True)
            mixed = mixed * shrink + powers @ some
            largest = higher
        output = torch.einsum("bhr,hdr->bhd", mixed / total, w_uv)
        return self.w_o(output.flatten(1)[:, None].to(x.dtype))
