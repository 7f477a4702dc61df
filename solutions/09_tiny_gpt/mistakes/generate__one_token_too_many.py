"""Count how often your loop runs, and compare it with max_new_tokens."""


def generate(model, tokens, max_new_tokens):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        for _ in range(max_new_tokens + 1):
            logits, _ = model(tokens[:, -model.context_length :])
            newest = logits[:, -1].argmax(dim=-1, keepdim=True)
            tokens = torch.cat([tokens, newest], dim=1)
    model.train(was_training)
    return tokens
