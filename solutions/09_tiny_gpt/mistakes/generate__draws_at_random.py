"""You draw the next token at random, in proportion to its probability. What does greedy mean?"""


def generate(model, tokens, max_new_tokens):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        for _ in range(max_new_tokens):
            logits, _ = model(tokens[:, -model.context_length :])
            newest = torch.multinomial(logits[:, -1].softmax(dim=-1), num_samples=1)
            tokens = torch.cat([tokens, newest], dim=1)
    model.train(was_training)
    return tokens
