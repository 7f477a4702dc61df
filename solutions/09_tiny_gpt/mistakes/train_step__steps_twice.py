"""One call, one step: how often does yours let the optimizer step?"""


def train_step(model, optimizer, tokens, targets):
    _, loss = model(tokens, targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    optimizer.step()
    return loss.item()
