"""Each step forgets those before it. Is a new optimizer made each time? Which one were you given?"""


def train_step(model, optimizer, tokens, targets):
    _, loss = model(tokens, targets)
    optimizer = torch.optim.SGD(model.parameters(), lr=optimizer.param_groups[0]["lr"])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()
