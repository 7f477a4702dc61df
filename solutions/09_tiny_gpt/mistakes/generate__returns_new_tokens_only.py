"""You return the new tokens without the beginning. What shape does the docstring promise?"""


def generate(model, tokens, max_new_tokens):
    length = tokens.shape[1]
    was_training = model.training
    model.eval()
    with torch.no_grad():
        for _ in range(max_new_tokens):
            logits, _ = model(tokens[:, -model.context_length :])
            newest = logits[:, -1].argmax(dim=-1, keepdim=True)
            tokens = torch.cat([tokens, newest], dim=1)
    model.train(was_training)
    return tokens[:, length:]
