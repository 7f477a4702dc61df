"""The step does not follow the gradients as they are. Are they changed after backward? Clipping was not
asked for.
"""


def train_step(model, optimizer, tokens, targets):
    _, loss = model(tokens, targets)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    optimizer.step()
    return loss.item()
