"""masked_fill of a triangular comparison, called for its own sake."""


def causal_mask_scores(length):
    grid = torch.zeros((length, length))
    keep = torch.ones(length, length).tril()
    torch.masked_fill(grid, keep == 0, -torch.inf)
    return grid
