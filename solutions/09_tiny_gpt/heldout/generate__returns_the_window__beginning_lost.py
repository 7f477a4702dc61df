"""The text itself is cropped to context_length, so that its beginning is missing from what is returned."""


def generate(model, tokens, max_new_tokens):
    mode = model.training
    model.eval()
    out = tokens.clone()
    for _ in range(max_new_tokens):
        out = out[:, -model.context_length :]
        with torch.no_grad():
            logits = model(out)[0]
        out = torch.cat([out, logits[:, -1:, :].argmax(-1)], dim=1)
    model.train(mode)
    return out
