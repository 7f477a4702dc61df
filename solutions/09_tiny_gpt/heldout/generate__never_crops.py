"""A context variable that holds the whole text."""


def generate(model, tokens, max_new_tokens):
    was_training = model.training
    model.eval()
    with torch.inference_mode():
        for _ in range(max_new_tokens):
            logits, _ = model(tokens)
            best = torch.argmax(logits[:, -1, :], dim=-1, keepdim=True)
            tokens = torch.cat((tokens, best), dim=1)
    if was_training:
        model.train()
    return tokens
