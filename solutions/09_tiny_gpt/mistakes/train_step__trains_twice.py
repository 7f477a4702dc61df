"""Your function takes two full steps on the same batch. What does its docstring promise?"""


def train_step(model, optimizer, tokens, targets):
    losses = []
    for _ in range(2):
        _, loss = model(tokens, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses[0]
