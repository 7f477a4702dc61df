"""After the call, look at inputs again: they have changed. Does a step such as *= write into the
caller's rows?
"""


def pairwise_scores_loop(inputs):
    rows = []
    for query in inputs:
        row = []
        for token in inputs:
            token *= query
            row.append(token.sum())
        rows.append(torch.stack(row))
    return torch.stack(rows)
