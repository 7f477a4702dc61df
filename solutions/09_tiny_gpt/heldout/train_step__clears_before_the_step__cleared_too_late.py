"""The gradients are cleared between backward and step, so the optimizer has nothing to move by."""


def train_step(model, optimizer, tokens, targets):
    _, loss = model(tokens, targets)
    loss.backward()
    optimizer.zero_grad()
    optimizer.step()
    return loss.item()
