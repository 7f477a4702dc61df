"""Your loop ends when token 0 comes. Here 0 is a token like any other; how many new tokens were asked for?"""


def generate(model, tokens, max_new_tokens):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        for _ in range(max_new_tokens):
            logits, _ = model(tokens[:, -model.context_length :])
            likeliest = logits[:, -1].argmax(dim=-1, keepdim=True)
            tokens = torch.cat([tokens, likeliest], dim=1)
            if not likeliest.any():
                break
    model.train(was_training)
    return tokens
