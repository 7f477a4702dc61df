"""What goes wrong with tensors as such: gradients, types, shapes, memory."""

from autograder.diagnosis import Misconception

MISCONCEPTIONS = (
    Misconception(
        "weights_detached",
        "No gradient passes the weights.",
        "What are the weights made of, and where is that way cut off?",
        "torch.softmax(X, dim=D) => torch.softmax(X, dim=D).detach()\nreturn weights @ V => return weights.detach() @ V",
    ),
    Misconception(
        "detached",
        "The result is cut off from what made it.",
        "Nothing can be learnt from it. Where is it taken out of the graph?",
        "return X => return X.detach()\nreturn A, B, C => return A.detach(), B.detach(), C.detach()"
        "\nreturn A, (B, C) => return A.detach(), (B, C)",
    ),
    Misconception(
        "inputs_detached",
        "A part of the computation is cut off from its inputs.",
        "Which of the inputs and layers gets no gradient? Look for detach, data, item or a new tensor.",
        "X @ Y => X @ Y.detach() || X.detach() @ Y\nself.A(X) => self.A(X.detach()) || self.A(X).detach()",
    ),
    Misconception(
        "single_precision",
        "Numbers become float32 that should stay float64.",
        "Results keep the type of their inputs. Does a step turn float64 into float32?",
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
        "Numbers become float64 that should stay float32.",
        "Results keep the type of their inputs. Which step makes float64 of them?",
        """
        return X => return X.double()
        return A, B, C => return A.double(), B.double(), C.double()
        """,
        says=r"must be float32, but it is float64",
    ),
    Misconception(
        "python_number",
        "A Python number is returned.",
        "A number of Python's has no gradient and no dtype. What can stay a tensor?",
        "return X => return X.item()",
    ),
    Misconception(
        "list",
        "A list is returned.",
        "Which type does the exercise ask for? A list has no gradient and no shape.",
        "return X => return X.tolist()\nreturn torch.stack(X) => return X\nreturn torch.cat(X, dim=D) => return X",
    ),
    Misconception(
        "returns_nothing",
        "Nothing is returned.",
        "What does Python return where nobody says so?",
        "return X => X",
    ),
    Misconception(
        "extra_dimension",
        "The result has one dimension too many.",
        "Compare the shape of your result with the description. Which 1 does not belong there?",
        "return X => return X.unsqueeze(0) || return X.unsqueeze(-1)"
        "\nX.masked_fill(M, V) => X.masked_fill(M.unsqueeze(0), V)",
    ),
    Misconception(
        "squeezed",
        "Dimensions of size 1 get lost.",
        "Try an input in which a dimension has size 1. Which shape should the result have?",
        "return X => return X.squeeze() || return X.squeeze(0) || return X.squeeze(1)",
    ),
    Misconception(
        "one_of_several",
        "Only one of several results comes out.",
        "How many things does the description ask for, and in which order?",
        "return A, B => return A || return B\nreturn A, B, C => return A || return B || return C",
    ),
    Misconception(
        "first_of_the_batch",
        "Only the first part of the result comes out.",
        "Compare the size of its first dimension with the description.",
        "return X => return X[0] || return X[:1]",
    ),
    Misconception(
        "last_only",
        "Only the last row comes out.",
        "Compare the number of rows that go in with those that come out.",
        "return X => return X[..., -1, :] || return X[-1]",
    ),
    Misconception(
        "summed_up",
        "The rows of the result are added up, or averaged.",
        "How many rows should come out? The last sum is one too many.",
        "return X => return X.sum(dim=0) || return X.mean(dim=0) || return X.sum(dim=-1) || return X.sum(dim=1)"
        " || return X.mean(dim=1) || return X.sum(dim=-2)",
    ),
    Misconception(
        "not_summed",
        "The products are not added up.",
        "A dot product is one number. What is still to be done with the products?",
        "X @ Y => X * Y\ntorch.dot(X, Y) => X * Y\nreturn total => return a * b",
    ),
    Misconception(
        "sum_for_mean",
        "A sum is taken where a mean is asked for.",
        "What does your result do when there are more numbers? By what does a mean divide?",
        "X.mean(...) => X.sum(...)\nF.cross_entropy(...) => F.cross_entropy(..., reduction='sum')",
    ),
    Misconception(
        "overwrites_inputs",
        "An input is changed in place.",
        "The caller still needs it. Which line changes a tensor that came in?",
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
        "Each row of the weights gives one context vector. Which dimension of your weights is multiplied with the rows of the values?",
        "W @ V => W.transpose(-2, -1) @ V",
        where="weights|softmax",
    ),
    Misconception(
        "rows_and_columns_swapped",
        "Rows and columns of the result have changed places.",
        "Write down what entry (0, 1) of your result is, and what it should be.",
        "return X => return X.transpose(-2, -1)",
    ),
    Misconception(
        "no_batches",
        "A step takes another number of dimensions, or of values, than it gets.",
        "Print the shape of its input. How many dimensions does this step expect?",
        crash=r"t\(\) expects a tensor with <= 2 dimensions|expected 2D|must be a matrix|must be 2-D|1D tensors expected|"
        r"vector \+ matrix|too many values to unpack \(expected 2\)",
    ),
    Misconception(
        "undefined_name",
        "A name is used that is not defined.",
        "Restart the kernel and run all. Which name is neither an argument, nor made before it is used, nor on"
        " self?",
        crash=r"NameError: |UnboundLocalError: ",
    ),
    Misconception(
        "missing_attribute",
        "Something is asked for by a name that it does not have.",
        "Read the message: it says which object and which name. Compare the name with the place where it is made.",
        crash=r"AttributeError: .* has no attribute ",
    ),
    Misconception(
        "super_missing",
        "The constructor does not call super().__init__() first.",
        "A module must be set up before it can hold layers. Which line does that?",
        crash=r"AttributeError: cannot assign \w+ before \w+\.__init__\(\) call",
    ),
    Misconception(
        "wrong_arguments",
        "Something is called with other arguments than it takes.",
        "Compare the arguments in the call with those in the definition: their number, their names and their order.",
        crash=r"TypeError: .*(positional argument|unexpected keyword argument|required positional)",
    ),
    Misconception(
        "mask_not_boolean",
        "The mask holds numbers where truth values are needed.",
        "Which type does masked_fill ask for? Look at how the mask is made.",
        crash=r"masked_fill.*only supports boolean masks|masked_fill_ only supports boolean",
    ),
    Misconception(
        "view_on_turned_memory",
        "view is called on a tensor whose numbers lie in memory in another order.",
        "After transpose the numbers still lie where they lay. What does view need, and what does reshape"
        " do about it?",
        crash=r"RuntimeError: view size is not compatible with input tensor's size and stride",
    ),
    Misconception(
        "needed_for_gradient",
        "A tensor is changed in place that the gradient still needs.",
        "Which line writes into a tensor that an earlier step has already used?",
        crash=r"modified by an inplace operation",
    ),
    Misconception(
        "numpy_in_between",
        "numpy is used where a gradient has to pass.",
        "numpy knows no gradients. Which function of torch does the same?",
        crash=r"Can't call numpy\(\) on Tensor that requires grad",
    ),
    Misconception(
        "mixed_types",
        "Tensors of different types meet in one product.",
        "Which of the two was made by your own code? Give it the type of the input.",
        crash=r"RuntimeError: expected (m1 and m2|scalar type|both vectors).*|RuntimeError: .*to have the same dtype",
    ),
    Misconception(
        "other_error",
        "The error is of another kind than the exercise asks for.",
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
        "Only `raise` does that; print and return do not. Which condition should lead to it?",
        says=r"was expected.*, but nothing was raised",
    ),
    Misconception(
        "one_number_of_dimensions",
        "A step takes another number of dimensions, or of values, than it gets.",
        "Print the shape of its input. How many dimensions does this step expect? Count from the end.",
        crash=r"einsum\(\): the number of subscripts in the equation|must be a 3D tensor|"
        r"Dimension out of range|not enough values to unpack|too many values to unpack \(expected [34]\)|permute\(sparse_coo\)",
    ),
    Misconception(
        "six_by_six",
        "The result is 6 by 6 where another size is asked for.",
        "The example has six tokens, other inputs have more or fewer. Which size does your code read from the input?",
        says=r"must have shape \(\d+, \d+\), but it has \(6, 6\)",
    ),
    Misconception(
        "another_size",
        "The result has another size than the one that is asked for.",
        "Which size does your code read from the input?",
        says=r"must have shape \((\d+), \1\), but it has \((\d+), \2\)",
    ),
    Misconception(
        "no_gradient",
        "No gradient reaches one of the inputs.",
        "Which step makes plain numbers of it, as item, data, detach and tolist do, or a new tensor?",
        says=r"^No gradient reaches \w+\. Did ",
        whole=True,
    ),
    Misconception(
        "another_gradient",
        "The numbers come out right, but a gradient does not.",
        "Is every step followed backwards, or is one cut off from what its numbers were made of?",
        says=r"^The gradient of \w+ has the right shape, but",
        whole=True,
    ),
    Misconception(
        "matrices_do_not_fit",
        "Two matrices that are multiplied do not fit in their shapes.",
        "Print both shapes before that step. Which dimension did you expect to be the same?",
        crash=r"RuntimeError: (Expected size for first two dimensions of batch2|mat1 and mat2 shapes cannot)",
    ),
    Misconception(
        "paired_by_order",
        "Where the layers were made in another order, the wrong ones are paired.",
        "By what do you find a layer's partner?",
        says=r"by name, or by the order they were made in",
        whole=True,
    ),
    Misconception(
        "another_number_of_values",
        "A tensor is to take a shape that has more or fewer places than it has values.",
        "Does each size come from the tensor itself, or from an example?",
        crash=r"RuntimeError: shape '\[[-\d, ]+\]' is invalid for input of size",
    ),
    Misconception(
        "shares_memory",
        "Whoever writes into the result changes the input as well.",
        "Does your code return an input itself, or a window onto it, at least for some sizes?",
        says=r"were overwritten, and \w+ changed with them",
    ),
    Misconception(
        "writes_into_a_tuple",
        "A line writes into a tuple, which nobody can change.",
        "Make a new one. Who else may still need the old one?",
        crash=r"'tuple' object does not support item assignment",
    ),
    Misconception(
        "rounded",
        "The result is rounded.",
        "Only what is printed may be rounded. What is lost for whoever computes on with your result?",
        "return X => return torch.round(X, decimals=4) || return torch.round(X, decimals=3)"
        " || return torch.round(X, decimals=2)"
        "\nreturn X.item() => return round(X.item(), 4) || return round(X.item(), 3) || return round(X.item(), 2)",
    ),
    Misconception(
        "flattened",
        "The dimensions in front are merged into one.",
        "Compare the shape of your result with the description, size by size.",
        "return X => return X.flatten(0, 1) || return X.flatten(1, 2) || return X.flatten(0, -2)"
        " || return X.reshape(-1, *X.shape[-2:])"
        "\nreturn A, B, C"
        " => return A.reshape(-1, A.shape[-1]), B.reshape(-1, B.shape[-1]), C.reshape(-1, C.shape[-1])",
    ),
    Misconception(
        "whole_numbers",
        "The result holds whole numbers, or truth values.",
        "Such numbers have lost what stood behind the point, and no gradient passes them. Which step made them?",
        says=r"must be float(32|64), but it is (u?int\d+|bool)",
    ),
    Misconception(
        "extra_layer",
        "The module has layers or parameters that nobody asks for.",
        "Compare your layers, and whether each has a bias, with the list in the exercise.",
        says=r"parameters that were not asked for|must be no other parameters|there must be no bias, but there is (?!W_)",
    ),
    Misconception(
        "parameter_missing",
        "A parameter that the exercise names is not there.",
        "Print the names and shapes of the parameters of your module. Which class makes a tensor or a layer one of"
        " them, and under which name?",
        says=r"is not registered as a parameter|The module needs a parameter|has no parameter",
    ),
    Misconception(
        "layer_without_a_gradient",
        "A layer takes no part in the result, or is cut off from it.",
        "Which layer gets no gradient? Follow what it gives to the result.",
        says=r"No gradient reaches \S+\. (Is it used|Does forward use it)",
    ),
    Misconception(
        "other_parameters",
        "A parameter is replaced by something that is none.",
        "Which class is the attribute of, before and after? Copy the numbers into what is there.",
        crash=r"cannot assign .* as parameter",
    ),
    Misconception(
        "names_do_not_fit",
        "The parameters of the module have other names or shapes than those that are put into it.",
        "Print the state_dict. Which names and shapes are in it, and which should be?",
        crash=r"Error\(s\) in loading state_dict",
    ),
    Misconception(
        "size_of_the_wrong_dimension",
        "A size is read from the wrong dimension.",
        "Which of the sizes counts the tokens? Print the shape, and count from the end.",
        """
        x.shape[-2] => x.shape[0] || x.shape[-1]
        return torch.stack(rows) => return torch.stack([torch.stack([inputs[i] @ inputs[j] for j in range(inputs.shape[1])]) for i in range(inputs.shape[1])])
        """,
    ),
)
