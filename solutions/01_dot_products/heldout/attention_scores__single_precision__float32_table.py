"""The scores are always float32, whatever the dtype of the inputs."""


def attention_scores(inputs: Tensor, query: Tensor) -> Tensor:
    attn_scores_2 = torch.empty(inputs.shape[0])
    for i, x_i in enumerate(inputs):
        attn_scores_2[i] = torch.dot(x_i, query)
    return attn_scores_2
