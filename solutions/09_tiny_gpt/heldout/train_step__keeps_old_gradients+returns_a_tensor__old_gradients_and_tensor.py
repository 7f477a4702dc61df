"""The old gradients are not cleared and the loss is returned as a tensor instead of a float."""


def train_step(model, optimizer, tokens, targets):
    logits, loss = model(tokens, targets)
    loss.backward()
    optimizer.step()
    return loss.detach()
