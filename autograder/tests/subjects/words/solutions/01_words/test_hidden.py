"""The hidden tests of 01_words."""

import random

from autograder.testing import draw, expect_equal, expect_unchanged, question

WORDS = ["sea", "Sea", "sun", "sand", "SAND", "salt", "wind"]


@question("count_words", basic=True)
def test_counts_each_word_whatever_its_case(student):
    """Each word is counted, whatever its case."""
    words = [*random.choices(WORDS, k=draw(8, 12)), "sea", "Sea"]
    random.shuffle(words)
    lower = [word.lower() for word in words]
    expect_equal(student.count_words(" ".join(words)), {word: lower.count(word) for word in lower})


@question("count_words")
def test_any_white_space_separates_words(student):
    """Line ends and several spaces separate words, too."""
    first, second = random.sample(["sea", "sun", "salt"], 2)
    expect_equal(student.count_words(f"{first}  {second}\n{first}\t"), {first: 2, second: 1})


@question("initials", basic=True)
def test_joins_the_first_letters(student):
    """The first letters are joined, each with a full stop."""
    names = random.sample(["ada", "Grace", "alan", "Edsger", "barbara"], draw(2, 4))
    expect_equal(student.initials(names), "".join(name[0].upper() + "." for name in names))


@question("initials")
def test_leaves_the_list_alone(student):
    """The list of names stays as it was, and the result is a text."""
    names = random.sample(["Ada", "Grace", "Alan"], 3)
    seen = student.initials.inspect(names)
    expect_equal(seen.output, "".join(f"{name[0]}." for name in names))
    expect_unchanged(seen, names)


@question("letters_in_both")
def test_keeps_what_both_words_have(student):
    """A letter must occur in both words."""
    letters = random.sample("abcdefghij", 6)
    one, other = "".join(letters[:4]), "".join(letters[2:])
    expect_equal(student.letters_in_both(one, other), set(letters[2:4]))
