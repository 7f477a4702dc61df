"""The beginning of the text is lost. Is the text itself cropped, and not just what goes into the model?
Keep the two apart.
"""


def generate(model, tokens, max_new_tokens):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        for _ in range(max_new_tokens):
            tokens = tokens[:, -model.context_length :]
            logits, _ = model(tokens)
            newest = logits[:, -1].argmax(dim=-1, keepdim=True)
            tokens = torch.cat([tokens, newest], dim=1)
    model.train(was_training)
    return tokens
