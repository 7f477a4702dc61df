"""Keeps a list of new tokens and joins it at the end."""


def generate(model, tokens, max_new_tokens):
    mode = model.training
    model.eval()
    text, new = tokens, []
    with torch.no_grad():
        for _ in range(max_new_tokens):
            window = text[:, -model.context_length :]
            step = model(window)[0][:, -1].argmax(1).unsqueeze(1)
            new.append(step)
            text = torch.hstack([text, step])
    model.train(mode)
    return torch.cat(new, dim=1)
