"""How is the model called, and who computes the loss?"""


def train_step(model, optimizer, tokens, targets):
    logits = model(tokens)[0]
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()
