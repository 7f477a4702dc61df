"""Parts of the model go on dropping. Setting model.training reaches the model alone. What does eval() do
beyond that?
"""


def generate(model, tokens, max_new_tokens):
    was_training = model.training
    model.training = False
    with torch.no_grad():
        for _ in range(max_new_tokens):
            logits, _ = model(tokens[:, -model.context_length :])
            likeliest = logits[:, -1].argmax(dim=-1, keepdim=True)
            tokens = torch.cat([tokens, likeliest], dim=1)
    model.training = was_training
    return tokens
