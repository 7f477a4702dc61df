"""The optimizer steps without knowing where to. What computes the gradients?"""


def train_step(model, optimizer, tokens, targets):
    _, loss = model(tokens, targets)
    optimizer.zero_grad()
    optimizer.step()
    return float(loss.item())
