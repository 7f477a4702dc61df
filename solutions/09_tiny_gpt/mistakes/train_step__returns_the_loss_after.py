"""You return the loss that the batch has after the step. Which one does the docstring ask for?"""


def train_step(model, optimizer, tokens, targets):
    _, loss = model(tokens, targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return model(tokens, targets)[1].item()
