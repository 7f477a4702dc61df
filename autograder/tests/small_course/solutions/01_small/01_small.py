# %% [markdown]
# # Small steps
#
# Two functions and a thought: enough to walk through everything that the course does.

# %%
import torch

table = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

# %% [markdown]
# ## Doubling
#
# Twice as much, element by element.


# %% solution="double"
def double(x: torch.Tensor) -> torch.Tensor:
    """Return every element of x, twice as large.

    x: (...), any shape. Returns: the same shape and dtype; x stays as it was.
    """
    ### BEGIN SOLUTION
    return torch.mul(x, 2)
    ### END SOLUTION


# %% check="double" points=2
# Check of double
doubled = double(table)
assert doubled.shape == (2, 3), f"double keeps the shape: (2, 3), not {tuple(doubled.shape)}"
expected = torch.tensor([[2.0, 4.0, 6.0], [8.0, 10.0, 12.0]])
assert torch.allclose(doubled, expected, atol=1e-4, rtol=0), "double: not every element is twice as large"
print("double: this check passes")

# %% [markdown]
# ## Sums of rows
#
# A row becomes one number, the sum of its elements.


# %% solution="row_sums"
def row_sums(x: torch.Tensor) -> torch.Tensor:
    """Return the sum of each row of x.

    x: (n, d). Returns: (n,), of x's dtype.
    """
    ### BEGIN SOLUTION
    along_each_row = -1
    return x.sum(dim=along_each_row)
    ### END SOLUTION


# %% check="row_sums" points=3
# Check of row_sums
sums = row_sums(table)
assert sums.shape == (2,), f"row_sums gives one number a row: shape (2,), not {tuple(sums.shape)}"
expected = torch.tensor([6.0, 15.0])
assert torch.allclose(sums, expected, atol=1e-4, rtol=0), "row_sums: look again at what adds up to what"
print("row_sums: this check passes")

# %% demo
import matplotlib.pyplot as plt

plt.bar(["row 0", "row 1"], row_sums(double(table)))
plt.title("The sums of the doubled rows")
plt.show()

# %% [markdown]
# ## In your own words
#
# Why is the sum of the doubled rows the same as the doubled sums of the rows?

# %% [markdown] manual="why" points=2
# ### BEGIN SOLUTION
# Both are linear: a factor common to all terms can be taken out of the sum.
# ### END SOLUTION
