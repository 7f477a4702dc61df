"""You note the model's mode only after you have changed it. In which order must the two lines stand?"""


def generate(model, tokens, max_new_tokens):
    model.eval()
    was_training = model.training
    with torch.no_grad():
        for _ in range(max_new_tokens):
            logits, _ = model(tokens[:, -model.context_length :])
            newest = logits[:, -1].argmax(dim=-1, keepdim=True)
            tokens = torch.cat([tokens, newest], dim=1)
    model.train(mode=was_training)
    return tokens
