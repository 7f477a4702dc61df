"""You change the gradients before the step. Clipping was not asked for; what should the optimizer get?"""


def train_step(model, optimizer, tokens, targets):
    _, loss = model(tokens, targets)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    optimizer.step()
    return loss.item()
