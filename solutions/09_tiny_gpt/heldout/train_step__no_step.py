"""Zeroes by hand and forgets the step."""


def train_step(model, optimizer, tokens, targets):
    for p in model.parameters():
        p.grad = None
    loss = model(tokens, targets)[1]
    loss.backward()
    return loss.item()
