"""Mistakes with tensors in general: gradients, dtypes, shapes, memory."""

from autograder.diagnosis import Misconception

_FOUND = "Your probe returns True where it should return False."
_NOT_FOUND = "Your probe returns False where it should return True."

MISCONCEPTIONS = (
    Misconception(
        "weights_detached",
        "No gradient flows through the weights.",
        "Which tensors are the weights computed from? Which step of your code detaches them?",
        "torch.softmax(X, dim=D) => torch.softmax(X, dim=D).detach()\nreturn weights @ V => return weights.detach() @ V",
    ),
    Misconception(
        "detached",
        "The result is detached from the computation graph.",
        "Which step of your code detaches the result? Without the graph, no gradient can be computed from it.",
        "return X => return X.detach()\nreturn A, B, C => return A.detach(), B.detach(), C.detach()"
        "\nreturn A, (B, C) => return A.detach(), (B, C)",
    ),
    Misconception(
        "inputs_detached",
        "A step of your code uses a detached tensor, so a part of the gradient is missing.",
        "Look for `detach`, `data`, `item` or a new tensor in your code. Which gradient is lost there?",
        "X @ Y => X @ Y.detach() || X.detach() @ Y\nself.A(X) => self.A(X.detach()) || self.A(X).detach()",
    ),
    Misconception(
        "single_precision",
        "A tensor has the dtype float32 where it should have float64.",
        "Results should have the dtype of the inputs. Which step of your code converts float64 to float32?",
        """
        return X => return X.float()
        return A, B, C => return A.float(), B.float(), C.float()
        torch.softmax(X, dim=D) => torch.softmax(X, dim=D, dtype=torch.float32)
        torch.softmax(X, dim=D) => torch.softmax(X.float(), dim=D).to(X.dtype)
        torch.softmax(X, dim=D) @ V => (torch.softmax(X.float(), dim=D) @ V.float()).to(V.dtype)
        torch.zeros_like(X) => torch.zeros(X.shape)
        torch.zeros(X, dtype=V.dtype) => torch.zeros(X)
        torch.zeros(X, Y, dtype=V.dtype) => torch.zeros(X, Y)
        torch.empty(X, Y, dtype=V.dtype) => torch.empty(X, Y)
        torch.ones(X, Y, dtype=x.dtype, device=x.device) => torch.ones(X, Y)
        self.A(x) => self.A(x.float())
        X @ Y => X.float() @ Y.float() || (X.float() @ Y.float()).to(X.dtype)
        """,
        says=r"must be float64, but it is float32",
    ),
    Misconception(
        "double_precision",
        "A tensor has the dtype float64 where it should have float32.",
        "Results should have the dtype of the inputs. Which step of your code converts float32 to float64?",
        """
        return X => return X.double()
        return A, B, C => return A.double(), B.double(), C.double()
        """,
        says=r"must be float32, but it is float64",
    ),
    Misconception(
        "python_number",
        "A Python number is returned instead of a tensor.",
        "A Python number has no gradient and no dtype. Which step of your code makes one?",
        "return X => return X.item()",
    ),
    Misconception(
        "list",
        "A Python list is returned.",
        "Which type does the exercise ask for? A list has no gradient and no shape.",
        "return X => return X.tolist()\nreturn torch.stack(X) => return X\nreturn torch.cat(X, dim=D) => return X",
    ),
    Misconception(
        "returns_nothing",
        "The function returns None.",
        "Which line of your function should begin with `return`?",
        "return X => X",
    ),
    Misconception(
        "extra_dimension",
        "The result has one dimension too many.",
        "Compare the shape of your result with the description. Which dimension of size 1 does not belong"
        " there?",
        "return X => return X.unsqueeze(0) || return X.unsqueeze(-1)"
        "\nX.masked_fill(M, V) => X.masked_fill(M.unsqueeze(0), V)",
    ),
    Misconception(
        "squeezed",
        "Dimensions of size 1 are removed.",
        "Try an input in which a dimension has size 1. Which shape should the result have?",
        "return X => return X.squeeze() || return X.squeeze(0) || return X.squeeze(1)",
    ),
    Misconception(
        "one_of_several",
        "Only one of several results is returned.",
        "How many results does the description ask for, and in which order?",
        "return A, B => return A || return B\nreturn A, B, C => return A || return B || return C",
    ),
    Misconception(
        "first_of_the_batch",
        "Only the first part of the result is returned.",
        "Compare the first dimension of your result with the description.",
        "return X => return X[0] || return X[:1]",
    ),
    Misconception(
        "last_only",
        "Only the last row is returned.",
        "How many rows go in, and how many rows does your result have?",
        "return X => return X[..., -1, :] || return X[-1]",
    ),
    Misconception(
        "summed_up",
        "The result is added up, or averaged, along one of its dimensions.",
        "Compare the shape of your result with the description. Which step of your code removes a dimension?",
        "return X => return X.sum(dim=0) || return X.mean(dim=0) || return X.sum(dim=-1) || return X.sum(dim=1)"
        " || return X.mean(dim=1) || return X.sum(dim=-2)",
    ),
    Misconception(
        "not_summed",
        "The products are not added up.",
        "A dot product is one number. Which operation on the products is missing?",
        "X @ Y => X * Y\ntorch.dot(X, Y) => X * Y\nreturn total => return a * b",
    ),
    Misconception(
        "sum_for_mean",
        "A sum is computed instead of a mean.",
        "Which number does a mean divide by? Where does your code divide?",
        "X.mean(...) => X.sum(...)\nF.cross_entropy(...) => F.cross_entropy(..., reduction='sum')",
    ),
    Misconception(
        "overwrites_inputs",
        "A tensor that is still needed is changed in place.",
        "The caller still needs its tensors, and the gradient may need earlier results. Which line of your code"
        " writes into a tensor?",
        """
        X.masked_fill(M, V) => X.masked_fill_(M, V)
        X / Y => X.div_(Y)
        X - Y => X.sub_(Y)
        X + Y => X.add_(Y)
        X @ Y => X.mul_(3).div_(7) @ Y
        torch.softmax(X, dim=D) => torch.softmax(X, dim=D, out=X)
        torch.zeros_like(X) => X
        """,
        crash=r"a leaf Variable that requires grad is being used in an in-place",
        says=r"changed [\w, ]+ in place|writes into its input",
    ),
    Misconception(
        "weights_transposed",
        "The weights are transposed before they are multiplied.",
        "Row i of the weights should give context vector i. Does row i or column i of the weights give it in"
        " your code?",
        "weights @ V => weights.transpose(-2, -1) @ V"
        "\ntorch.softmax(X, dim=D) @ V => torch.softmax(X, dim=D).transpose(-2, -1) @ V",
        where="weights|softmax",
    ),
    Misconception(
        "rows_and_columns_swapped",
        "The rows and columns of the result are swapped.",
        "What is entry (0, 1) of your result, and what should it be?",
        "return X => return X.transpose(-2, -1)",
    ),
    Misconception(
        "no_batches",
        "A line of your code gets a tensor with the wrong number of dimensions, or it unpacks more values"
        " than it has names.",
        "Print the shape of the tensor in the line that fails. How many dimensions does this line expect?",
        crash=r"t\(\) expects a tensor with <= 2 dimensions|expected 2D|must be a matrix|must be 2-D|1D tensors expected|"
        r"vector \+ matrix|too many values to unpack \(expected 2\)",
    ),
    Misconception(
        "undefined_name",
        "Your code uses a name that is not defined.",
        "Restart the kernel and run all cells. Where should the value of this name come from: an argument, an"
        " earlier line, or an attribute of `self`?",
        crash=r"NameError: |UnboundLocalError: ",
    ),
    Misconception(
        "missing_attribute",
        "Your code uses an attribute or method that the object does not have.",
        "The message names the object and the attribute. Compare the name with the line that defines it.",
        crash=r"AttributeError: .* has no attribute ",
    ),
    Misconception(
        "super_missing",
        "The constructor does not call super().__init__() first.",
        "A module must be initialised before you assign layers to `self`. Which line initialises it?",
        crash=r"AttributeError: cannot assign \w+ before \w+\.__init__\(\) call",
    ),
    Misconception(
        "wrong_arguments",
        "A function is called with the wrong arguments.",
        "Compare the call with the definition: the number of arguments, their names and their order.",
        crash=r"TypeError: .*(positional argument|unexpected keyword argument|required positional)",
    ),
    Misconception(
        "mask_not_boolean",
        "The mask contains numbers, but `masked_fill` needs True and False.",
        "Which dtype does your mask have? Look at the line that creates it.",
        crash=r"masked_fill.*only supports boolean masks|masked_fill_ only supports boolean",
    ),
    Misconception(
        "view_on_turned_memory",
        "`view` cannot give this tensor the new shape, because of the order of its numbers in memory.",
        "Do you use `view` after `transpose` or `permute`? Which function makes a copy if it has to?",
        crash=r"RuntimeError: view size is not compatible with input tensor's size and stride",
    ),
    Misconception(
        "needed_for_gradient",
        "A tensor that is still needed for the gradient is changed in place.",
        "Which line writes into a tensor that an earlier step has used?",
        crash=r"modified by an inplace operation",
    ),
    Misconception(
        "numpy_in_between",
        "numpy is used where a gradient should flow.",
        "numpy computes no gradients. Which function of torch does the same?",
        crash=r"Can't call numpy\(\) on Tensor that requires grad",
    ),
    Misconception(
        "mixed_types",
        "A step gets a tensor whose dtype does not fit.",
        "Print the dtype of each tensor in the line that fails. Which of these tensors does your own code"
        " create?",
        crash=r"RuntimeError: expected (m1 and m2|scalar type|both vectors).*|RuntimeError: .*to have the same dtype",
    ),
    Misconception(
        "other_error",
        "The wrong kind of error is raised.",
        "Which exception does the exercise name?",
        """
        raise ValueError(X) => raise TypeError(X) || raise IndexError(X) || raise AssertionError(X) || raise RuntimeError(X) || raise Exception(X)
        """,
        says=r"was expected.*, but (?!nothing )\w+ was raised",
        whole=True,
    ),
    Misconception(
        "no_error",
        "No error is raised where the exercise asks for one.",
        "In which case should your code raise the error? Only `raise` does this; `print` and `return` do"
        " not.",
        says=r"was expected.*, but nothing was raised",
    ),
    Misconception(
        "one_number_of_dimensions",
        "A line of your code gets a tensor with the wrong number of dimensions, or it unpacks the wrong"
        " number of values.",
        "Print the shape of the tensor in the line that fails. How many dimensions does this line expect?"
        " Count dimensions from the end.",
        crash=r"einsum\(\): the number of subscripts in the equation|must be a 3D tensor|"
        r"Dimension out of range|not enough values to unpack|too many values to unpack \(expected [34]\)|permute\(sparse_coo\)",
    ),
    Misconception(
        "six_by_six",
        "The result has the shape (6, 6) for an input that needs another size.",
        "The example has six tokens. From which tensor does your code read the size?",
        says=r"must have shape \(\d+, \d+\), but it has \(6, 6\)",
    ),
    Misconception(
        "another_size",
        "The result has the wrong size.",
        "From which tensor, and from which of its dimensions, does your code read the size?",
        says=r"must have shape \((\d+), \1\), but it has \((\d+), \2\)",
    ),
    Misconception(
        "no_gradient",
        "No gradient reaches one of the inputs.",
        "Does your result depend on this input? If so, which step turns it into plain numbers? `item`, `data`,"
        " `detach`, `tolist` and `torch.tensor` do this.",
        says=r"^No gradient reaches \w+\. Did ",
        whole=True,
    ),
    Misconception(
        "another_gradient",
        "The values are right, but a gradient is wrong.",
        "Which steps lead from this input to the result? Does a step such as `detach` or `item` cut one of them off?",
        says=r"^The gradient of \w+ has the right shape, but",
        whole=True,
    ),
    Misconception(
        "matrices_do_not_fit",
        "Two matrices cannot be multiplied, because their shapes do not fit.",
        "Print both shapes before this step. Is the number of columns of the first matrix equal to the"
        " number of rows of the second?",
        crash=r"RuntimeError: (Expected size for first two dimensions of batch2|mat1 and mat2 shapes cannot)",
    ),
    Misconception(
        "paired_by_order",
        "If the layers are created in another order, your code pairs the wrong layers.",
        "Does your code find the matching layer by its name, or by its position among the layers?",
        says=r"by name, or by their order in the source",
        whole=True,
    ),
    Misconception(
        "another_number_of_values",
        "The new shape needs more or fewer values than the tensor has.",
        "Does each size in your `view` or `reshape` come from the tensor, or from an example?",
        crash=r"RuntimeError: shape '\[[-\d, ]+\]' is invalid for input of size",
    ),
    Misconception(
        "shares_memory",
        "The result shares its memory with an input: if the caller writes into the result, the input"
        " changes.",
        "Does your code return an input itself, or a view of it? Try sizes of 1, too.",
        says=r"were overwritten, and \w+ changed with them",
    ),
    Misconception(
        "writes_into_a_tuple",
        "A line writes into a tuple, but tuples cannot be changed.",
        "Create a new tuple instead. The caller may still need the old one.",
        crash=r"'tuple' object does not support item assignment",
    ),
    Misconception(
        "rounded",
        "The result is rounded.",
        "Which step of your code rounds? Round only the numbers that you print.",
        "return X => return torch.round(X, decimals=4) || return torch.round(X, decimals=3)"
        " || return torch.round(X, decimals=2)"
        "\nreturn X.item() => return round(X.item(), 4) || return round(X.item(), 3) || return round(X.item(), 2)",
    ),
    Misconception(
        "flattened",
        "Several dimensions of the result are merged into one.",
        "Compare the shape of your result with the description, one dimension at a time.",
        "return X => return X.flatten(0, 1) || return X.flatten(1, 2) || return X.flatten(0, -2)"
        " || return X.reshape(-1, *X.shape[-2:])"
        "\nreturn A, B, C"
        " => return A.reshape(-1, A.shape[-1]), B.reshape(-1, B.shape[-1]), C.reshape(-1, C.shape[-1])",
    ),
    Misconception(
        "whole_numbers",
        "The result contains whole numbers, or True and False.",
        "Which step of your code gives integers or truth values? No gradient flows through them.",
        says=r"must be float(32|64), but it is (u?int\d+|bool)",
    ),
    Misconception(
        "extra_layer",
        "The module has layers or parameters that the exercise does not ask for.",
        "Compare the layers of your module with the list in the exercise. Which layers should have a bias?",
        says=r"parameters that were not asked for|must be no other parameters|there must be no bias, but there is (?!W_)",
    ),
    Misconception(
        "parameter_missing",
        "A parameter that the exercise names is missing.",
        "Print the names and shapes of `named_parameters()`. Which one is missing, and which class"
        " registers a tensor or a layer?",
        says=r"is not registered as a parameter|The module needs a parameter|has no parameter",
    ),
    Misconception(
        "layer_without_a_gradient",
        "A layer gets no gradient: it is not used, or it is detached.",
        "Where does your `forward` use the output of this layer? Is this output detached later?",
        says=r"No gradient reaches \S+\. (Is it used|Does forward use it)",
    ),
    Misconception(
        "other_parameters",
        "Your code replaces a parameter by a tensor that is not a parameter.",
        "Which line assigns a tensor to an attribute that is a parameter? Copy the numbers into this parameter"
        " instead.",
        crash=r"cannot assign .* as parameter",
    ),
    Misconception(
        "names_do_not_fit",
        "The names or shapes of your parameters differ from those that are loaded into your module.",
        "Print the `state_dict` of your module. Compare its names and shapes with the exercise.",
        crash=r"Error\(s\) in loading state_dict",
    ),
    Misconception(
        "size_of_the_wrong_dimension",
        "A size is read from the wrong dimension.",
        "Which dimension counts the tokens? Print the shape, and count from the end.",
        """
        x.shape[-2] => x.shape[0] || x.shape[-1]
        return torch.stack(rows) => return torch.stack([torch.stack([inputs[i] @ inputs[j] for j in range(inputs.shape[1])]) for i in range(inputs.shape[1])])
        """,
    ),
    Misconception(
        "not_a_number",
        "The result contains NaN.",
        "NaN comes from inf - inf, 0 / 0, or the softmax of a row in which everything is hidden. Which step"
        " of your code gives the first NaN?",
        says=r"has NaN at",
        whole=True,
        if_unrepaired=True,
    ),
    Misconception(
        "layer_shape",
        "A layer has the wrong shape.",
        "How many numbers go into this layer, and how many come out?",
        says=r"\w+\.weight must have shape",
    ),
    Misconception(
        "shapes_do_not_fit",
        "The shapes of two tensors do not fit together.",
        "Compare the two shapes from the last size to the first. Which sizes differ? Should one of them be"
        " 1?",
        crash=r"The size of tensor a \(\d+\) must match the size of tensor b",
    ),
    Misconception(
        "found_although_it_is_causal",
        _FOUND,
        "If you change only the last tokens of a text, and keep its length, which rows of this module's"
        " output must stay the same? Does your probe compare only these rows, with a tolerance for rounding?",
        says=r"sees_the_future returned True (?P<quoted>for a module that .+?)\. It is written",
        where="def sees_the_future",
    ),
    Misconception(
        "future_not_found",
        _NOT_FOUND,
        "In this module, an earlier output depends on the query, key or value of a later token. Does your probe"
        " change all three? Does it compare all earlier outputs, in all texts and heads?",
        says=r"sees_the_future returned False (?P<quoted>for a module that .+?)\. It is written",
        where="def sees_the_future",
    ),
    Misconception(
        "found_although_it_is_scaled",
        _FOUND,
        "By which number should a module divide the scores? Which rows of the output are the same with and without a"
        " mask? Does your probe compare only these rows?",
        says=r"scales_wrongly returned True (?P<quoted>for a module that .+?)\. It is written",
        where="def scales_wrongly",
    ),
    Misconception(
        "wrong_scale_not_found",
        _NOT_FOUND,
        "Compute this module's divisor and the right divisor for the sizes of your random texts. Are the two different?"
        " Does the row that you compare depend on the divisor? Is your tolerance larger than rounding needs?",
        says=r"scales_wrongly returned False (?P<quoted>for a module that .+?)\. It is written",
        where="def scales_wrongly",
    ),
    Misconception(
        "found_although_it_keeps_texts_apart",
        _FOUND,
        "If you call this module twice, what can you change so that the output for a text must stay the same? Does your"
        " probe compare two such calls, with a tolerance for rounding?",
        says=r"mixes_the_batch returned True (?P<quoted>for a module that .+?)\. It is written",
        where="def mixes_the_batch",
    ),
    Misconception(
        "mixed_batch_not_found",
        _NOT_FOUND,
        "In this module, the output for some text depends on another text. Does your batch have several texts"
        " that differ? Does your probe compare every element of the outputs, for all texts and heads?",
        says=r"mixes_the_batch returned False (?P<quoted>for a module that .+?)\. It is written",
        where="def mixes_the_batch",
    ),
)
