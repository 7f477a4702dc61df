"""Your gradients are cleared between backward and step, so the optimizer sees nothing. Mind the order."""


def train_step(model, optimizer, tokens, targets):
    _, loss = model(tokens, targets)
    loss.backward()
    optimizer.zero_grad()
    optimizer.step()
    return loss.item()
