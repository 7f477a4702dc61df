"""Dropout is still at work while your function writes. Which mode should the model be in?"""


def generate(model, tokens, max_new_tokens):
    with torch.no_grad():
        for _ in range(max_new_tokens):
            logits, _ = model(tokens[:, -model.context_length :])
            newest = logits[:, -1].argmax(dim=-1, keepdim=True)
            tokens = torch.cat([tokens, newest], dim=1)
    return tokens
