"""narrow for a slice of the beginning."""


def generate(model, tokens, max_new_tokens):
    before = model.training
    model.train(False)
    out = tokens
    for _ in range(max_new_tokens):
        size = min(out.size(1), model.context_length)
        with torch.no_grad():
            logits = model(out.narrow(1, 0, size))[0]
        out = torch.cat([out, logits[:, -1].max(dim=-1, keepdim=True).indices], dim=-1)
    model.train(before)
    return out
