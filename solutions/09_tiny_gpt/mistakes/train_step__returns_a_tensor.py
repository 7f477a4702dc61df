"""What you return still hangs on to the whole graph. How does one get a plain number out of a 0-d tensor?"""


def train_step(model, optimizer, tokens, targets):
    _, loss = model(tokens, targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()
