"""A decorator for no_grad, topk for argmax."""


@torch.no_grad()
def generate(model, tokens, max_new_tokens):
    model.eval()
    idx = tokens.clone()
    for _ in range(max_new_tokens):
        scores, _loss = model(idx[:, -model.context_length :])
        probs = F.softmax(scores[:, -1, :], dim=-1)
        nxt = torch.topk(probs, k=1, dim=-1).indices
        idx = torch.cat([idx, nxt], dim=1)
    return idx
