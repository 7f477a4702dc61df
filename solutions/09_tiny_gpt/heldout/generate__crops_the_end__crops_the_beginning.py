"""Of a long text the first context_length tokens go into the model instead of the last ones."""


def generate(model, tokens, max_new_tokens):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        for _ in range(max_new_tokens):
            logits, _ = model(tokens[:, : model.context_length])
            following = logits[:, -1].argmax(dim=-1, keepdim=True)
            tokens = torch.cat([tokens, following], dim=1)
    model.train(was_training)
    return tokens
