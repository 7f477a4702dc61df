"""You score query i with key i alone. Every query asks every key: how many scores is that?"""


def attention_scores(queries, keys):
    return (queries * keys).sum(dim=-1)
