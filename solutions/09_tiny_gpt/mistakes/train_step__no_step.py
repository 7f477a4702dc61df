"""Gradients are computed, but nothing moves the weights. Whose task is that?"""


def train_step(model, optimizer, tokens, targets):
    _, loss = model(tokens, targets)
    optimizer.zero_grad()
    loss.backward()
    return loss.item()
