"""The model is always left in training mode, even if it came in evaluation mode, and only the new
tokens are returned.
"""


def generate(model, tokens, max_new_tokens):
    model.eval()
    text, start = tokens, tokens.shape[1]
    for _ in range(max_new_tokens):
        logits, _ = model(text[:, -model.context_length :])
        best = logits[:, -1].max(dim=-1, keepdim=True).indices
        text = torch.cat([text, best], dim=-1)
    model.train()
    return text[:, start:]
