"""Your function switches the model to evaluation and leaves it so. In which mode should the caller find it
again?
"""


def generate(model, tokens, max_new_tokens):
    model.eval()
    with torch.no_grad():
        for _ in range(max_new_tokens):
            logits, _ = model(tokens[:, -model.context_length :])
            newest = logits[:, -1].argmax(dim=-1, keepdim=True)
            tokens = torch.cat([tokens, newest], dim=1)
    return tokens
