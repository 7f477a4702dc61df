"""The scores are always float32, whatever the dtype of the inputs."""


def pairwise_scores_loop(inputs: Tensor) -> Tensor:
    attn_scores = torch.empty(inputs.shape[0], inputs.shape[0])
    for i, x_i in enumerate(inputs):
        for j, x_j in enumerate(inputs):
            attn_scores[i, j] = torch.dot(x_i, x_j)
    return attn_scores
