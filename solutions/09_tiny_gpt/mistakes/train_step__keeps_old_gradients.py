"""PyTorch adds new gradients to the old ones. What has to happen before backward?"""


def train_step(model, optimizer, tokens, targets):
    _, loss = model(tokens, targets)
    loss.backward()
    optimizer.step()
    return loss.item()
