"""You divide the loss by the size of the batch, but it is a mean already."""


def train_step(model, optimizer, tokens, targets):
    _, loss = model(tokens, targets)
    loss = loss / len(tokens)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()
