"""Clears by the model, and returns the loss detached from nothing."""


def train_step(model, optimizer, tokens, targets):
    model.zero_grad()
    logits, cost = model(tokens, targets)
    cost.backward()
    optimizer.step()
    return cost
