"""You clear the gradients after the step, so whatever was there before the first call still counts. When
is the safe moment?
"""


def train_step(model, optimizer, tokens, targets):
    _, loss = model(tokens, targets)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()
