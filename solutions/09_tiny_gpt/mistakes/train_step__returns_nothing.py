"""The step is taken, but the caller never hears of the loss. What should the function give back?"""


def train_step(model, optimizer, tokens, targets):
    _, loss = model(tokens, targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
