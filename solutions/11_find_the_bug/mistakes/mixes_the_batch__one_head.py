"""With one head, texts and heads cannot be confused. Which numbers of heads let your probe see it?"""


def mixes_the_batch(attend):
    texts = random_texts(heads=1)
    together = attend(*texts)
    alone = [attend(*(part[i : i + 1] for part in texts)) for i in range(2)]
    return differ(together, torch.cat(alone))
