"""The model returns two things. Which of them do you use, and what if its loss is not the usual one?"""


def train_step(model, optimizer, tokens, targets):
    logits, _ = model(tokens, targets)
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()
