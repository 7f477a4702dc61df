"""Your function crops to another length than the given model can take. Who knows that length?"""


def generate(model, tokens, max_new_tokens):
    model_context = 64
    was_training = model.training
    model.eval()
    with torch.no_grad():
        for _ in range(max_new_tokens):
            logits, _ = model(tokens[:, -model_context:])
            newest = logits[:, -1].argmax(dim=-1, keepdim=True)
            tokens = torch.cat([tokens, newest], dim=1)
    model.train(was_training)
    return tokens
