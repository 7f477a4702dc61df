# %% [markdown]
# # Words
#
# Texts are strings, and counts are dicts.

# %% [markdown]
# ## Count words


# %% solution="count_words"
def count_words(text: str) -> dict[str, int]:
    """Return how often each word occurs, in lower case; words are separated by white space."""
    ### BEGIN SOLUTION
    counts = {}
    for word in text.lower().split():
        counts[word] = counts.get(word, 0) + 1
    return counts
    ### END SOLUTION


# %% check="count_words" points=2
@check("count_words")
def check_count_words():
    """Three words."""
    expect_close(count_words("a B a"), {"a": 2, "b": 1}, "Case does not count.")


# %% [markdown]
# ## Initials


# %% solution="initials"
def initials(names: list[str]) -> str:
    """Return the first letters of all names as capitals, each with a full stop."""
    ### BEGIN SOLUTION
    return "".join(f"{name[0].upper()}." for name in names)
    ### END SOLUTION


# %% check="initials" points=1
@check("initials")
def check_initials():
    """Two names."""
    expect_close(initials(["ada", "lovelace"]), "A.L.")


# %% [markdown]
# ## Pairs


# %% solution="letters_in_both"
def letters_in_both(one: str, other: str) -> set[str]:
    """Return the letters that occur in both words."""
    ### BEGIN SOLUTION
    return set(one) & set(other)
    ### END SOLUTION


# %% check="letters_in_both" points=1
@check("letters_in_both")
def check_letters_in_both():
    """Two words."""
    expect_close(letters_in_both("tea", "eel"), {"e"}, "Only e occurs in both.")
