"""Takes the token that is least likely."""


def generate(model, tokens, max_new_tokens):
    mode = model.training
    model.eval()
    for _ in range(max_new_tokens):
        with torch.no_grad():
            logits, _ = model(tokens[:, -model.context_length :])
        tokens = torch.cat([tokens, logits[:, -1].argmin(-1, keepdim=True)], dim=1)
    model.train(mode)
    return tokens
