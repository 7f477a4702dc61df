"""The model is left in evaluation mode, even if it came in training mode."""


@torch.no_grad()
def generate(model, tokens, max_new_tokens):
    model.eval()
    for _ in range(max_new_tokens):
        idx_cond = tokens[:, -model.context_length :]
        logits, loss = model(idx_cond)
        logits = logits[:, -1, :]
        probs = F.softmax(logits, dim=-1)
        idx_next = torch.argmax(probs, dim=-1, keepdim=True)
        tokens = torch.cat((tokens, idx_next), dim=1)
    return tokens
