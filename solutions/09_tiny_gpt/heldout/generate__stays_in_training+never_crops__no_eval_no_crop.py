"""The model is not put into evaluation mode and a text longer than context_length is not cropped."""


def generate(model, tokens, max_new_tokens):
    for i in range(max_new_tokens):
        with torch.no_grad():
            logits, _ = model(tokens)
        next_token = torch.argmax(logits[:, -1, :], dim=1)
        tokens = torch.cat([tokens, next_token.unsqueeze(1)], dim=1)
    return tokens
