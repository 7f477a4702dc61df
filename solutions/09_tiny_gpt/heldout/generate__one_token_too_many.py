"""A while loop on the length, with <= for <."""


def generate(model, tokens, max_new_tokens):
    mode = model.training
    model.eval()
    ids, goal = tokens, tokens.size(1) + max_new_tokens
    while ids.size(1) <= goal:
        with torch.no_grad():
            logits, _ = model(ids[:, -model.context_length :])
        ids = torch.cat([ids, logits[:, -1, :].argmax(dim=-1, keepdim=True)], dim=-1)
    model.train(mode)
    return ids
