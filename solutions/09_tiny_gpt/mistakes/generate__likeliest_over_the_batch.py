"""Your argmax compares sequences with one another. Over which dimension do the candidates for the next
token lie?
"""


def generate(model, tokens, max_new_tokens):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        for _ in range(max_new_tokens):
            logits, _ = model(tokens[:, -model.context_length :])
            newest = logits[:, -1].argmax(dim=0)[: len(tokens), None]
            tokens = torch.cat([tokens, newest], dim=1)
    model.train(was_training)
    return tokens
