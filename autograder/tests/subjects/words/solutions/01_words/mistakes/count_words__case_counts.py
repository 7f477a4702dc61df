"""Two spellings of one word are counted apart. When do you make the text lower case?"""


def count_words(text):
    counts = {}
    for word in text.split():
        counts[word] = counts.get(word, 0) + 1
    return counts
