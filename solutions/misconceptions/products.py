"""Mistakes with queries, keys and values: how they are computed, multiplied and returned."""

from autograder.diagnosis import Misconception

_LAYERS = (
    ("W_query", "W_key", "W_value"),
    ("W_q", "W_k", "W_v"),
    ("query", "key", "value"),
)


def each(*rules: str) -> str:
    """Return all rules for each entry of _LAYERS, with the layers' names in place of {q}, {k} and {v}.

    Rules that begin with a tuple are left out for the last entry, because no right answer has such a tuple.
    """
    return "\n".join(
        rule.format(q=q, k=k, v=v)
        for q, k, v in _LAYERS
        for rule in rules
        if not (rule.startswith("(") and q == "query")
    )


MISCONCEPTIONS = (
    Misconception(
        "queries_and_keys_swapped",
        "Queries and keys are swapped.",
        "Entry (i, j) of the scores should be the dot product of query i and key j. Which dot"
        " product is it in your code?",
        "X @ Y.transpose(A, B) => Y @ X.transpose(A, B)",
        where="quer|key",
    ),
    Misconception(
        "layers_of_queries_and_keys_swapped",
        "The layers of queries and keys are swapped.",
        "Which layer computes the queries in your code, and which one computes the keys?",
        each(
            "self.{q}(X) => self.TEMP(X) && self.{k}(Y) => self.{q}(Y) && self.TEMP(X) => self.{k}(X)"
        ),
    ),
    Misconception(
        "keys_not_transposed",
        "The second factor of a product is not transposed.",
        "Each number of the product should be the dot product of two rows. Which two rows?",
        "X @ Y.transpose(A, B) => X @ Y",
    ),
    Misconception(
        "view_for_transpose",
        "A tensor is reshaped where two of its dimensions should be swapped.",
        "`view` and `reshape` keep the numbers in their order. Which operation turns rows into columns?",
        "X @ Y.transpose(A, B) => X @ Y.reshape(*Y.shape[:-2], Y.shape[-1], Y.shape[-2])",
    ),
    Misconception(
        "all_dimensions_reversed",
        "The wrong dimensions are swapped. Only the last two should be swapped.",
        "What does `.T` do to a tensor with three dimensions?",
        "X @ Y.transpose(A, B) => X @ Y.permute(*range(Y.dim() - 1, -1, -1))",
    ),
    Misconception(
        "first_two_dimensions",
        "The first two dimensions are swapped.",
        "If a batch dimension comes first, which two dimensions are the rows and columns of each matrix?",
        "X.transpose(-2, -1) => X.transpose(0, 1)",
    ),
    Misconception(
        "three_dimensions_only",
        "The result is wrong if there is no batch dimension, or more than one.",
        "Which dimension numbers does your code use? Negative numbers count from the end, so they fit any"
        " number of batch dimensions.",
        """
        X.transpose(-2, -1) => X.transpose(1, 2)
        X.transpose(-2, -1) => X.permute(0, 2, 1)
        X.shape[-2] => X.shape[1]
        X.cumsum(dim=-2) => X.cumsum(dim=1)
        """,
        where=r"\A(?![\s\S]*def (context_vector|project|copy_weights)\b)",
    ),
    Misconception(
        "values_from_keys",
        "The keys are used in place of the values.",
        "Which tensor should the weights be multiplied with?",
        "W @ values => W @ keys\nW @ v => W @ k",
    ),
    Misconception(
        "values_by_the_layer_of_the_keys",
        "The values are computed by the layer or matrix of the keys.",
        "Which layer or matrix should compute the values?",
        each(
            "(self.{q}, self.{k}, self.{v}) => (self.{q}, self.{k}, self.{k})",
            "self.{v}(X) => self.{k}(X)",
        )
        + "\nX @ self.W_value => X @ self.W_key\nX @ W_value => X @ W_key",
    ),
    Misconception(
        "values_from_queries",
        "The queries are used in place of the values.",
        "Which tensor should the weights be multiplied with?",
        "W @ values => W @ queries\nW @ v => W @ q",
    ),
    Misconception(
        "values_by_the_layer_of_the_queries",
        "The values are computed by the layer or matrix of the queries.",
        "Which layer or matrix should compute the values?",
        each(
            "(self.{q}, self.{k}, self.{v}) => (self.{q}, self.{k}, self.{q})",
            "self.{v}(X) => self.{q}(X)",
        )
        + "\nX @ self.W_value => X @ self.W_query\nX @ W_value => X @ W_query",
    ),
    Misconception(
        "keys_from_queries",
        "The keys are computed by the layer or matrix of the queries.",
        "Which layer or matrix should compute the keys?",
        each(
            "(self.{q}, self.{k}, self.{v}) => (self.{q}, self.{q}, self.{v})",
            "self.{k}(X) => self.{q}(X)",
        )
        + "\nX @ self.W_key => X @ self.W_query\nX @ W_key => X @ W_query",
    ),
    Misconception(
        "queries_from_keys",
        "The queries are computed by the layer or matrix of the keys.",
        "Which layer or matrix should compute the queries?",
        each(
            "(self.{q}, self.{k}, self.{v}) => (self.{k}, self.{k}, self.{v})",
            "self.{q}(X) => self.{k}(X)",
        )
        + "\nX @ self.W_query => X @ self.W_key\nX @ W_query => X @ W_key",
    ),
    Misconception(
        "one_layer_for_all",
        "Queries, keys and values are all computed by the same layer or matrix.",
        "How many different layers or matrices does your code apply to the tokens?",
        each(
            "(self.{q}, self.{k}, self.{v}) => (self.{q}, self.{q}, self.{q})",
            "self.{k}(X) => self.{q}(X) && self.{v}(X) => self.{q}(X)",
            "self.{q}(X) => self.{k}(X) && self.{v}(X) => self.{k}(X)",
            "self.{q}(X) => self.{v}(X) && self.{k}(X) => self.{v}(X)",
        )
        + "\nX @ self.W_key => X @ self.W_query && X @ self.W_value => X @ self.W_query"
        + "\nX @ W_key => X @ W_query && X @ W_value => X @ W_query",
    ),
    Misconception(
        "keys_and_values_swapped",
        "The layers or matrices of keys and values are swapped.",
        "Which layer or matrix computes the keys in your code, and which one computes the values?",
        each(
            "(self.{q}, self.{k}, self.{v}) => (self.{q}, self.{v}, self.{k})",
            "self.{k}(X) => self.TEMP(X) && self.{v}(Y) => self.{k}(Y) && self.TEMP(X) => self.{v}(X)",
        )
        + "\nX @ W_key => X @ TEMP && X @ W_value => X @ W_key && X @ TEMP => X @ W_value",
    ),
    Misconception(
        "projected_twice",
        "A token passes through two layers, one after the other, before the attention.",
        "A token goes through one layer to become a query, a key or a value. Through how many layers does"
        " it go in your code?",
        each(*(f"self.{{{n}}}(X) => self.{{{n}}}(self.{{{n}}}(X))" for n in "qkv"))
        + each(
            "\nself.{q}(X) => self.{k}(self.{q}(X))",
            "self.{v}(X) => self.{v}(self.{k}(X))",
        ),
    ),
    Misconception(
        "not_projected",
        "The tokens are used without the layer or matrix that should be applied to them.",
        "Which layer or matrix does your code not use?",
        each(
            *(f"self.{{{n}}}(X) => X" for n in "qkv"),
            "self.{q}(X) => X && self.{k}(X) => X",
            "self.{q}(X) => X && self.{k}(X) => X && self.{v}(X) => X",
        )
        + "\nreturn W @ values => return W @ x\nX @ W_value => X\nX @ W_query => X\nX @ W_key => X"
        "\nX @ self.W_value => X\nX @ self.W_query => X\nX @ self.W_key => X",
    ),
    Misconception(
        "keys_and_values_of_x",
        "Keys and values are computed from the input of the queries.",
        "Which argument of `forward` should keys and values be computed from?",
        "self.W_key(context) => self.W_key(x) && self.W_value(context) => self.W_value(x)"
        "\nencodings_for_k => encodings_for_q && encodings_for_v => encodings_for_q",
    ),
    Misconception(
        "keys_of_x",
        "The keys are computed from the input of the queries.",
        "Which argument of `forward` should the keys be computed from?",
        "self.W_key(context) => self.W_key(x)\nself.W_k(X) => self.W_k(encodings_for_q)",
    ),
    Misconception(
        "values_of_the_wrong_input",
        "The values are computed from the wrong input.",
        "Which argument of `forward` should the values be computed from?",
        "self.W_value(context) => self.W_value(x)"
        "\nself.W_v(X) => self.W_v(encodings_for_k) || self.W_v(encodings_for_q)",
    ),
    Misconception(
        "queries_of_the_wrong_input",
        "The queries are computed from the wrong input.",
        "Which argument of `forward` should the queries be computed from?",
        "self.W_query(x) => self.W_query(context)"
        + "\nself.W_q(X) => self.W_q(encodings_for_k)",
    ),
    Misconception(
        "order_changed",
        "The results are returned in the wrong order.",
        "In which order does the description name the results?",
        """
        return A, B, C => return B, A, C || return A, C, B || return C, B, A || return B, C, A || return C, A, B
        """,
    ),
    Misconception(
        "returns_weights",
        "The weights are returned without the last product.",
        "Which tensor must the weights still be multiplied with?",
        "return W @ V => return W\nreturn self.out_proj(X) => return weights",
        where="weights|softmax",
    ),
    Misconception(
        "returns_weights_too",
        "Two results are returned, but the description asks for one.",
        "Which of the two values after `return` does the description ask for?",
        """
        return torch.softmax(X, dim=D) @ V => return torch.softmax(X, dim=D) @ V, torch.softmax(X, dim=D)
        return W @ V => return W @ V, W
        return X => return X, weights
        """,
    ),
    Misconception(
        "keys_ignored",
        "The queries are compared with themselves, and the keys are not used.",
        "If you replace the keys, does your result change?",
        """
        X @ Y.transpose(A, B) => X @ X.transpose(A, B)
        """,
        where="quer|key",
    ),
    Misconception(
        "queries_ignored",
        "The keys are compared with themselves, and the queries are not used.",
        "If you replace the queries, does your result change?",
        """
        X @ Y.transpose(A, B) => Y @ Y.transpose(A, B)
        """,
        where="quer|key",
    ),
    Misconception(
        "cosines",
        "Vectors are normalised to length 1, but the description does not ask for it.",
        "A dot product also depends on the norms (geometric lengths) of the vectors. Which step of your"
        " code removes these norms?",
        """
        X @ Y.transpose(A, B) => nn.functional.normalize(X, dim=-1) @ nn.functional.normalize(Y, dim=-1).transpose(A, B)
        X @ Y.transpose(A, B) => torch.nn.functional.normalize(X, dim=-1) @ torch.nn.functional.normalize(Y, dim=-1).transpose(A, B)
        inputs @ query => torch.nn.functional.normalize(inputs, dim=-1) @ torch.nn.functional.normalize(query, dim=0)
        inputs => torch.nn.functional.normalize(inputs, dim=-1)
        torch.dot(X, Y) => torch.dot(X, Y) / (X.norm() * Y.norm())
        return total => return total / (a.norm() * b.norm())
        """,
        # Only for right answers without a norm: exercises on cosines ask for vectors of length 1.
        where=r"\A(?![\s\S]*(functional\.normalize|F\.normalize|vector_norm|linalg\.norm|cosine))",
    ),
    Misconception(
        "distances",
        "Distances are computed instead of dot products.",
        "Two equal vectors have the distance 0. What is their dot product?",
        """
        X @ Y.transpose(A, B) => torch.cdist(X, Y) || -torch.cdist(X, Y)
        torch.dot(X, Y) => (X - Y).norm() || ((X - Y)**2).sum()
        inputs @ query => (inputs - query).norm(dim=-1) || -(inputs - query).norm(dim=-1) || ((inputs - query)**2).sum(dim=-1)
        """,
    ),
    Misconception(
        "adds_the_tokens",
        "An input is added to the result.",
        "Which step of your code adds an input? Is this step in the formula?",
        """
        return X => return X + x || return X + token_encodings || return X + inputs || return X + encodings_for_q || return X + queries
        """,
    ),
    Misconception(
        "returns_scores",
        "The scores are returned instead of the context vectors.",
        "Scores become weights, and the weights are multiplied with the values. After which step does your"
        " code return?",
        """
        torch.softmax(X, dim=D) @ V => X
        """,
        where=r"\A(?![\s\S]*def scales_wrongly)",
    ),
    Misconception(
        "one_side_normalised",
        "One of the two vectors is normalised to length 1 before the dot product.",
        "A dot product also depends on the norms (geometric lengths) of both vectors. Which step of your"
        " code removes one of the norms?",
        """
        X @ Y.transpose(A, B) => X / X.norm(dim=-1, keepdim=True) @ Y.transpose(A, B) || X @ (Y / Y.norm(dim=-1, keepdim=True)).transpose(A, B)
        inputs @ query => inputs @ (query / query.norm())
        """,
    ),
    Misconception(
        "results_normalised",
        "The results are normalised to length 1.",
        "Which step comes after the products in your code? Is it in the description?",
        "return A, B, C => return torch.nn.functional.normalize(A, dim=-1), torch.nn.functional.normalize(B, dim=-1), torch.nn.functional.normalize(C, dim=-1)",
        where=r"def project",
    ),
    Misconception(
        "one_after_another",
        "Keys are computed from the queries, and values from the keys.",
        "Which tensor do you multiply by `W_key`, and which by `W_value`?",
        "return X @ W_query, X @ W_key, X @ W_value => return X @ W_query, X @ W_query @ W_key, X @ W_query @ W_key @ W_value",
    ),
    Misconception(
        "joined_into_one",
        "The three results are returned as one tensor.",
        "How many tensors does the description ask for? Queries and values may have different widths.",
        "return A, B, C => return torch.cat([A, B, C], dim=-1) || return torch.stack([A, B, C])",
        where=r"def project",
    ),
    Misconception(
        "cut_evenly",
        "Your code cuts one tensor into three parts of equal width.",
        "How wide are queries, keys and values? d_v may differ from d_k.",
        "return A, B, C => return torch.cat([A, B, C], dim=-1).chunk(3, dim=-1)",
        where=r"def project",
    ),
    Misconception(
        "wrong_layer_copied",
        "The weights of a layer are copied to the wrong parameter.",
        "For each parameter of the target, which layer of the source do you copy?",
        """
        source.W_query => source.TEMP && source.W_key => source.W_query && source.TEMP => source.W_key
        source.W_query => source.TEMP && source.W_value => source.W_query && source.TEMP => source.W_value
        source.W_key => source.W_query && source.W_value => source.W_query
        """,
    ),
    Misconception(
        "added_to_the_old_numbers",
        "The new numbers are added to the old ones.",
        "After the copy, should anything remain of the target's old numbers?",
        "target.A.copy_(X) => target.A.add_(X)",
    ),
    Misconception(
        "keys_from_values",
        "The keys are computed by the layer or matrix of the values.",
        "Which layer or matrix should compute the keys?",
        each(
            "(self.{q}, self.{k}, self.{v}) => (self.{q}, self.{v}, self.{v})",
            "self.{k}(X) => self.{v}(X)",
        ),
    ),
    Misconception(
        "keys_of_the_mixed_tokens",
        "The keys are computed from the input of the values.",
        "Which argument of `forward` should the keys be computed from?",
        "self.W_k(X) => self.W_k(encodings_for_v)",
    ),
    Misconception(
        "inputs_swapped",
        "Two inputs are swapped.",
        "Which argument of `forward` gives the queries, which the keys, and which the values?",
        """
        self.W_k(X) => self.W_k(encodings_for_v) && self.W_v(X) => self.W_v(encodings_for_k)
        self.W_q(X) => self.W_q(encodings_for_k) && self.W_k(X) => self.W_k(encodings_for_q)
        self.W_query(x) => self.W_query(context) && self.W_key(context) => self.W_key(x) && self.W_value(context) => self.W_value(x)
        head(A, B, C, mask) => head(B, A, C, mask)
        """,
    ),
    Misconception(
        "values_of_the_keys_tokens",
        "The heads compute their values from the input of the keys.",
        "Which three tensors does each head get, and in which order?",
        "head(A, B, C, mask) => head(A, B, B, mask)",
    ),
)
