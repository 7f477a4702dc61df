"""Calls forward by keywords and has no zero_grad."""


def train_step(model, optimizer, tokens, targets):
    _, batch_loss = model(tokens, targets=targets)
    batch_loss.backward()
    optimizer.step()
    return float(batch_loss.detach())
