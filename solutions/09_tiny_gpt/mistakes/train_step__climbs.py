"""Your step makes the loss larger. In which direction does the optimizer go by itself?"""


def train_step(model, optimizer, tokens, targets):
    _, loss = model(tokens, targets)
    optimizer.zero_grad()
    (-loss).backward()
    optimizer.step()
    return loss.item()
