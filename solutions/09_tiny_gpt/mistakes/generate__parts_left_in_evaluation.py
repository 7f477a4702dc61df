"""Parts of the model stay in evaluation mode. Setting model.training reaches the model alone. What puts
its dropout layers back?
"""


def generate(model, tokens, max_new_tokens):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        for _ in range(max_new_tokens):
            logits, _ = model(tokens[:, -model.context_length :])
            likeliest = logits[:, -1].argmax(dim=-1, keepdim=True)
            tokens = torch.cat([tokens, likeliest], dim=1)
    model.training = was_training
    return tokens
