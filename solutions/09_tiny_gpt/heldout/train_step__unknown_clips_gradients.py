"""Shortens the gradients to a length of 0.1."""


def train_step(model, optimizer, tokens, targets):
    optimizer.zero_grad()
    _, loss = model(tokens, targets)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.1)
    optimizer.step()
    return loss.item()
