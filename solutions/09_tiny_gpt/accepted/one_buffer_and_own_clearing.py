"""generate writes into one prepared tensor; train_step sets the mode and clears each gradient by itself."""


@torch.inference_mode()
def _write(model, tokens, max_new_tokens):
    batch, length = tokens.shape
    text = torch.empty(batch, length + max_new_tokens, dtype=tokens.dtype)
    text[:, :length] = tokens
    for end in range(length, length + max_new_tokens):
        window = text[:, max(0, end - model.context_length) : end]
        text[:, end] = model(window)[0].max(dim=-1).indices[:, -1]
    return text


def generate(model, tokens, max_new_tokens):
    mode = model.training
    try:
        return _write(model.train(False), tokens, max_new_tokens).clone()
    finally:
        model.train(mode)


def train_step(model, optimizer, tokens, targets):
    model.train()
    loss = model(tokens, targets)[1]
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            parameter.grad = None
    loss.backward()
    optimizer.step()
    return float(loss.detach())
