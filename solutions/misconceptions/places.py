"""Sentences about steps of right answers, for mistakes that are not in the other files.

If a wrong answer differs from a right answer in one step, students get the sentence of this step. The
sentence must be true of every answer that differs in this step only. In a pattern, P is the part that
differs, and X the unchanged tensor that the step acts on. The first entry that fits is used.
"""

from autograder.diagnosis import Place

_COMPARISONS = "\n".join(f"X {sign} Y" for sign in ("<", "<=", ">", ">=", "==", "!="))
# Functions whose first argument, after the tensor, is the dimension
_REDUCED_BY_DIM = ("sum", "mean", "amax", "amin", "argmax", "cumsum")
_REDUCTIONS = "\n".join(
    f"X.{name}(..., dim=P)\ntorch.{name}(X, ..., dim=P)"
    for name in (*_REDUCED_BY_DIM, "max", "min", "norm", "std", "var")
)
_REDUCTIONS += "".join(
    f"\nX.{name}(P, ...)\ntorch.{name}(X, P, ...)" for name in _REDUCED_BY_DIM
)
_MAKERS = (
    "zeros",
    "ones",
    "empty",
    "full",
    "arange",
    "tensor",
    "eye",
    "zeros_like",
    "ones_like",
)
# right answers without an embedding, a LayerNorm or a loop over new tokens, so not language models
_ATTENTION = r"\A(?![\s\S]*(Embedding|LayerNorm|max_new_tokens))[\s\S]*"

PLACES = (
    # Steps without a pattern: the kind of the change is enough to identify them
    Place(
        "return_in_the_loop",
        "The `return` is inside the loop.",
        "In which round of the loop does your function return?",
        kinds="return in the loop",
    ),
    Place(
        "result_discarded",
        "The result of a call is not used.",
        "Does this call change a tensor, or does it return a new one?",
        kinds="discarded",
    ),
    Place(
        "changed_in_place",
        "A tensor is changed in place.",
        "The caller or the gradient may still need the old numbers. Which operation creates a new tensor"
        " instead?",
        kinds="in place",
    ),
    Place(
        "not_copied",
        "Two names refer to the same tensor.",
        "Which line writes into this tensor? Which other variable changes with it?",
        kinds="copy",
    ),
    Place(
        "not_a_buffer",
        "A tensor of the module is not a buffer.",
        "Should an optimizer change this tensor? Should it move to another device with the module?",
        kinds="buffer",
    ),
    Place(
        "value_not_used",
        "A value is not used where it should be.",
        "Which argument, variable or attribute does your code never read?",
        kinds="unread",
    ),
    Place(
        "argument_overwritten",
        "An argument is overwritten.",
        "Which line gives the argument another value, although the function still needs the old value?",
        kinds="overwritten",
    ),
    Place(
        "type_of_the_error",
        "The error has the wrong type.",
        "Which exception does the description name?",
        kinds="error",
    ),
    Place(
        "exchanged",
        "Two names are exchanged.",
        "Look at each line that uses an argument or a layer. Which two names are exchanged?",
        kinds="swapped",
    ),
    Place(
        "clearing_of_the_gradients",
        "The gradients are cleared at the wrong step, too often, or not at all.",
        "Before which call must the old gradients be cleared? Which call still needs the new gradients?",
        "A.zero_grad(...)",
        kinds="statement,order,too much",
    ),
    Place(
        "training_step_incomplete",
        "A step of the training is missing.",
        "Which calls lead from the loss to changed parameters? Which one is missing in your code?",
        "A.backward(...)\nA.step(...)",
        kinds="statement",
    ),
    Place(
        "order_of_training",
        "The steps of the training are in the wrong order.",
        "In which order must your code compute the loss, compute the gradients, and change the parameters?",
        "A.backward(...)\nA.step(...)",
        kinds="order",
    ),
    Place(
        "mode_not_set",
        "The mode of the model is set at the wrong step, or not at all.",
        "In which mode must the model be when it is called? In which mode was it before?",
        "A.eval()\nA.train(...)",
        kinds="statement,order,too much",
    ),
    Place(
        "error_not_raised",
        "An error is not raised where the description asks for one.",
        "For which arguments should the error be raised?",
        "if C: raise X",
        kinds="statement",
    ),
    Place(
        "norm_at_the_wrong_step",
        "A norm acts at the wrong step.",
        "Does the norm act on the input of the layer, or on the sum after the layer?",
        "X + self.A(self.B(X))",
        where="LayerNorm",
        kinds="order",
    ),
    Place(
        "layers_not_registered",
        "Layers in a list are not registered with the module.",
        "Print the names of the module's parameters. Which kind of list registers the layers in it?",
        "nn.ModuleList(X)\nnn.ModuleList(...)",
        kinds="missing",
    ),
    Place(
        "probabilities_in_the_loss",
        "The loss gets probabilities, but it needs logits or their log_softmax.",
        "Which tensor goes into your loss? What does this loss function expect?",
        "torch.log_softmax(X, dim=D)\nX.log_softmax(...)\nF.log_softmax(X, dim=D)",
        where="cross_entropy",
        kinds="function",
    ),
    Place(
        "order_of_layers",
        "The parts of the module are created in the wrong order.",
        "Each part gets its random numbers when it is created. In which order does the exercise name the"
        " parts?",
        "self.A = nn.Linear(...)\nself.A = nn.Parameter(...)\nself.A = nn.Embedding(...)",
        kinds="order",
    ),
    Place(
        "order_of_results",
        "The results are in the wrong order.",
        "In which order does the description name the results?",
        "return A, B\nreturn A, B, C",
        kinds="order",
    ),
    # From scores to outputs
    Place(
        "normalisation",
        "The division by the sum is missing or wrong.",
        "What do your weights sum to, along each dimension? Which tensor do you divide, and by which sum?",
        "X / X.sum(...)\nX / Y.sum(...)\nP / Y.sum(...)\nX / P.sum(...)",
        where=r"\.sum\(",
    ),
    Place(
        "scaling",
        "The scaling is wrong.",
        "Compare the number that you divide by with the formula: which size is it, which function is applied to"
        " this size, and which dtype does the result have?",
        "X / Y**0.5\nX / P**0.5\nX / self.A\nX * Y**-0.5\nX**0.5\nP**0.5\nX**-0.5\nP**-0.5",
        where=_ATTENTION + r"\*\* 0\.5",
        kinds="missing,too much,step,value,name,number,operator,order,function,dimension,argument,place",
    ),
    Place(
        "softmax_dimension",
        "The dimension of the softmax is wrong.",
        "Along which dimension should the weights or probabilities sum to 1? Count it from the end.",
        "torch.softmax(X, dim=P)\ntorch.log_softmax(X, dim=P)\nnn.Softmax(dim=P)\nnn.Softmax(P)",
    ),
    Place(
        "fill_value",
        "The number that replaces hidden entries is wrong.",
        "Which weight must a hidden token get? Which number at this step gives this weight?",
        "X.masked_fill(M, P)\nX.masked_fill_(M, P)\ntorch.where(M, P, X)",
        where=r"\A(?![\s\S]*(maximum|unfold))[\s\S]*masked_fill",
    ),
    Place(
        "applied_mask",
        "The mask that is applied is wrong.",
        "In this course True means hidden. Write down the mask for three tokens: its shape, and which entries are"
        " True.",
        "X.masked_fill(P, V)\nX.masked_fill_(P, V)\ntorch.where(P, V, X)",
        where=r"\A(?![\s\S]*maximum)[\s\S]*masked_fill",
    ),
    Place(
        "masked_tensor",
        "The tensor that is masked is wrong.",
        "Print the tensor that you mask. Which tensor should it be?",
        "P.masked_fill(M, V)\ntorch.where(M, V, P)",
        where=r"\A(?![\s\S]*maximum)[\s\S]*masked_fill",
        kinds="name",
    ),
    Place(
        "masked_at_the_wrong_step",
        "The scores are masked at the wrong step.",
        "Which variable goes into the softmax? Does your code compute it before or after the mask is applied?",
        "X.masked_fill(M, V)\nX.masked_fill_(M, V)\ntorch.where(M, V, X)",
        where=_ATTENTION + "masked_fill",
        kinds="order",
    ),
    Place(
        "masking",
        "The step that hides tokens is missing or wrong.",
        "Which tensor is masked, with which mask, and with which number? Compare this with the arguments of"
        " `masked_fill`.",
        "X.masked_fill(M, V)\nX.masked_fill_(M, V)\ntorch.where(M, V, X)",
        where=r"\A(?![\s\S]*maximum)[\s\S]*masked_fill",
    ),
    Place(
        "triangle",
        "The triangle is missing, wrong, or taken at the wrong step.",
        "Write the matrix down for three tokens, after each step. Which entries belong to later tokens? Is the"
        " diagonal in your triangle, and should it be?",
        "X.triu(diagonal=P)\nX.triu(P)\nX.tril(diagonal=P)\nX.tril(P)\ntorch.triu(X, diagonal=P)\n"
        "torch.tril(X, diagonal=P)\ntorch.triu(X, P)\ntorch.tril(X, P)\nX.triu()\nX.tril()\nX.triu(D)\nX.tril(D)\n"
        "X.triu(diagonal=D)\nX.tril(diagonal=D)\ntorch.triu(X)\ntorch.tril(X)\ntorch.triu(X, diagonal=D)\n"
        "torch.tril(X, diagonal=D)",
        kinds="value,number,name,function,order,operator,argument,step,bound,dimension,missing",
    ),
    Place(
        "cut_of_the_mask",
        "The wrong part of the mask is used.",
        "How many rows and columns of the mask does a short text need?",
        "self.mask[P]\nself.tril[P]\nself.mask[:P, :B]\nself.mask[:A, :P]\nself.mask[X]\nself.tril[X]",
    ),
    Place(
        "softmax",
        "The step from scores to weights is missing or wrong.",
        "Which function makes positive numbers that sum to 1, also from very large and very low scores? How often"
        " should it be applied?",
        "torch.softmax(X, dim=D)",
        where=_ATTENTION + "softmax",
    ),
    Place(
        "argument_of_the_softmax",
        "The argument of the softmax is wrong.",
        "Which scores should go into the softmax? Which steps come before it?",
        "torch.softmax(P, dim=D)",
        where=_ATTENTION + "softmax",
    ),
    Place(
        "scores",
        "The product that gives the scores is wrong.",
        "Entry (i, j) of the scores should be the dot product of two rows. From which two tensors do these"
        " rows come?",
        "X @ Y.transpose(A, B)\nP @ Y.transpose(A, B)\nX @ P.transpose(A, B)\n"
        "X @ Y.transpose(P, B)\nX @ Y.transpose(A, P)",
        where=r"\A(?![\s\S]*def context_vectors)[\s\S]*@ [\w.]+(\(\w+\))?\.transpose\(",
    ),
    Place(
        "dropout_of_the_weights",
        "The dropout does not act on the weights.",
        "Which tensor goes into your dropout layer? Which step makes the weights?",
        "self.dropout(Y) @ Z\nself.drop(Y) @ Z",
        where=_ATTENTION + "[Dd]ropout",
        kinds="missing,order",
    ),
    Place(
        "weighted_sum",
        "The weighted sum is missing or wrong.",
        "Which two tensors should be multiplied? Write down the shapes of both.",
        "torch.softmax(X, dim=D) @ P\nreturn X @ Y\nreturn X @ P",
        where=r"return (weights|W|w|attn|torch\.softmax|attention_weights)\b.* @ ",
    ),
    Place(
        "projection",
        "A projection is wrong.",
        "Follow one token to its query, its key and its value. By which matrix is it multiplied each time?",
        "P @ self.W_query\nP @ self.W_key\nP @ self.W_value\nY @ self.W_query\nY @ self.W_key\nY @ self.W_value\nP @ W_query\nP @ W_key\nP @ W_value\nY @ W_query\nY @ W_key\nY @ W_value",
    ),
    Place(
        "dropout",
        "The dropout is missing or wrong.",
        "Which tensor should dropout act on, with which rate, and in which mode of the module?",
        "nn.Dropout(P)\nnn.Dropout(p=P)\nself.dropout(X)\nself.drop(X)\n"
        "F.dropout(X, ...)\nF.dropout(X, P, ...)\nF.dropout(X, ..., p=P)\nF.dropout(..., training=P)",
        where="[Dd]ropout",
    ),
    # Heads
    Place(
        "splitting_into_heads",
        "The splitting into heads is wrong.",
        "What should each of the four dimensions count? Each head should hold some features of all tokens.",
        "X.view(P, B, C, D)\nX.view(A, P, C, D)\nX.view(A, B, P, D)\nX.view(A, B, C, P)\nX.view(A, B, C, D)\n"
        "X.reshape(P, B, C, D)\nX.reshape(A, P, C, D)\nX.reshape(A, B, P, D)\nX.reshape(A, B, C, P)\n"
        "X.view(...).transpose(P, B)\nX.view(...).transpose(A, P)\nX.view(...).transpose(A, B)\n"
        "X.reshape(A, B, C, D).transpose(E, F)\nX.view(A, B, C, D).permute(...)\n"
        "X.reshape(A, B, C, D).permute(...)\n"
        + "\n".join(
            f"X.{name}(...).permute({sizes})"
            for name in ("view", "reshape")
            for sizes in ("P, B, C, D", "A, P, C, D", "A, B, P, D", "A, B, C, P")
        ),
        where=r"num_heads|def split_heads",
    ),
    Place(
        "merging_of_heads",
        "The merging of the heads is wrong.",
        "For each token, all features of the first head come first. Which features come first in your"
        " result?",
        "X.transpose(A, B).reshape(...)\nX.transpose(P, B).reshape(...)\nX.transpose(A, P).reshape(...)\n"
        "X.transpose(A, B).flatten(P)\nX.transpose(A, B).flatten(P, D)\nX.transpose(A, B).reshape(C, D, P)\n"
        "X.transpose(A, B).reshape(C, P, D)\nX.transpose(A, B).reshape(P, C, D)\nX.permute(A, B, C, D).reshape(...)\ntorch.cat(X, dim=P)\ntorch.cat(P, dim=D)\n"
        "torch.cat([head(...) for head in self.heads], dim=P)\ntorch.cat(Y, dim=D)",
        where=_ATTENTION
        + r"(def merge_heads|\.transpose\(1, 2\)\.reshape|self\.heads)",
    ),
    Place(
        "repeated_heads",
        "The repetition of the key/value heads is wrong.",
        "Which key/value head does each query head use? How often must each key/value head be repeated?",
        "torch.repeat_interleave(X, P, dim=D)\ntorch.repeat_interleave(X, N, dim=P)\n"
        "torch.repeat_interleave(X, N, dim=D)\nX.repeat_interleave(P, dim=D)\nX.repeat_interleave(N, dim=P)\n"
        "X.repeat_interleave(N, dim=D)\nX.repeat_interleave(P, D)\nX.repeat_interleave(N, P)",
        where=r"def grouped_query_attention",
    ),
    # Modules
    Place(
        "applied_layer",
        "The wrong layer is applied.",
        "Which layers does your code apply? Is one of them applied twice, or never?",
        "self.A(X)",
        kinds="name",
    ),
    Place(
        "layer_missing",
        "A layer is not applied where it should be.",
        "Follow one token from the input to the result. Which layer should also be applied to it?",
        "self.A(X)",
        kinds="missing",
    ),
    Place(
        "layer_too_many",
        "A layer is applied where it should not be.",
        "Follow one token from the input to the result. Which layers should be applied to it?",
        "self.A(X)",
        kinds="too much",
    ),
    Place(
        "residual_path",
        "A residual path is missing or wrong.",
        "What is added to the output of the attention, and of the feed-forward network?",
        "P + self.A(Y)\nX + self.A(Y)\nself.A(Y) + X\nself.A(Y) + P",
        where=r"h \+ self\.feed_forward",
    ),
    Place(
        "positions",
        "The positions are missing or wrong.",
        "Print the positions that you look up. How many tokens does the text have? Which position should the first"
        " token have?",
        "self.A(torch.arange(P, ...))\nself.A(torch.arange(N, P, ...))\nself.position_embedding(P)\n"
        "X + self.position_embedding(P)\nX + self.position_embedding(Y)\nX + self.A(torch.arange(N, ...))",
        where="Embedding",
    ),
    Place(
        "bias",
        "The bias of a layer is wrong.",
        "Which layers should have a bias, and which argument decides this? By default, `nn.Linear` has a"
        " bias.",
        "nn.Linear(..., bias=P)",
    ),
    Place(
        "layer_size",
        "The size of a layer is wrong.",
        "Which numbers go into this layer, and which come out? How many of them should there be? For an embedding:"
        " how many different indices can it get?",
        "nn.Linear(P, B, ...)\nnn.Linear(A, P, ...)\nnn.Embedding(P, B, ...)\nnn.Embedding(A, P, ...)\n"
        "nn.Linear(A, B, ...)\nnn.Embedding(A, B, ...)\nnn.LayerNorm(P, ...)",
    ),
    Place(
        "parameter",
        "A parameter of the module is wrong.",
        "Compare the parameter with the description: its shape, the function for its random numbers, and"
        " whether it can learn.",
        "nn.Parameter(P)\nnn.Parameter(P, ...)\nnn.Parameter(X, ...)\nnn.Parameter(torch.rand(P, B))\n"
        "nn.Parameter(torch.rand(A, P))\nnn.Parameter(..., requires_grad=P)",
    ),
    Place(
        "layer_at_the_wrong_step",
        "A layer is applied at the wrong step.",
        "Follow one token from the input to the result. After which step should this layer act?",
        "self.A(X)",
        kinds="order",
    ),
    Place(
        "inputs_of_a_head",
        "The inputs of the heads are wrong.",
        "Which tensors should each head get, and in which order?",
        "H(P, B, C, M)\nH(A, P, C, M)\nH(A, B, P, M)\nH(A, B, C, P)",
        where=r"self\.heads",
    ),
    Place(
        "buffer",
        "The tensor of a buffer is wrong.",
        "Compare the buffer with the description: its shape, its dtype and its numbers.",
        "self.register_buffer(N, P)\nself.register_buffer(N, P, ...)",
    ),
    Place(
        "input_of_a_layer",
        "The input of a layer or method is wrong.",
        "Which tensor should go into this call? Compare it with the description.",
        "self.A(P)\nself.A(P, ...)\nself.A(X, P, ...)\nself.A(X, Y, P, ...)\nself.A(X, Y, Z, P)",
    ),
    # Language models
    Place(
        "loss",
        "The loss is wrong.",
        "What does `cross_entropy` compare? Check the shapes of its two arguments, and what each of them"
        " contains.",
        "F.cross_entropy(P, Y, ...)\nF.cross_entropy(X, P, ...)\nF.cross_entropy(X, Y, ...)\n"
        "F.cross_entropy(..., reduction=P)\nF.cross_entropy(..., ignore_index=P)\nP.flatten(0, 1)",
        where="cross_entropy",
    ),
    Place(
        "chosen_token",
        "The choice of the next token is wrong.",
        "Which position do your logits come from? Along which dimension do you choose among the tokens of"
        " the vocabulary?",
        "Y.argmax(...)\nX.argmax(P, ...)\nX.argmax(..., dim=P)\nX.argmax(..., keepdim=P)\nP.argmax(...)\n"
        "X[:, P].argmax(...)\ntorch.argmax(X, ..., dim=P)\nX[:, P, :]",
        where="argmax",
    ),
    Place(
        "cropping",
        "The tokens that the model gets are wrong.",
        "How many tokens can the model take? If the text is longer, which tokens should the model get?",
        "model(X[:, -P:])\nmodel(X[:, P:])\nmodel(X[P])\nmodel(P)",
        where="max_new_tokens",
    ),
    Place(
        "mode",
        "The mode of the model is wrong.",
        "In which mode must the model be when it is called? In which mode was it before?",
        "model.train(P)\nmodel.train(X)\nmodel.eval()",
        where="max_new_tokens",
    ),
    # Caches, pairs and blocks
    Place(
        "joined_with_the_cache",
        "The concatenation of old and new keys or values is wrong.",
        "Which tokens come first: those in the cache, or the new ones? Which dimension, counted from the"
        " end, counts the tokens?",
        "torch.cat(P, dim=D)\ntorch.cat(X, dim=P)\ntorch.cat([A, P], dim=D)\ntorch.cat([P, B], dim=D)\n"
        "torch.cat(X, P)",
        where=r"def cached_attention",
    ),
    Place(
        "angle",
        "The angle of the pairs is wrong.",
        "Compute the angle of the second pair at position 1 by hand, and compare it with the angle in your code.",
        "base ** P\nbase ** (-P / B)\nbase ** (-A / P)\nbase ** (P / B)\nbase ** (A / P)\nbase ** (-A / B)\n"
        "torch.arange(P, B, C, ...)\ntorch.arange(A, P, C, ...)\ntorch.arange(A, B, P, ...)\nX * base ** Y\n"
        "P * base ** Y",
        where=r"base \*\*",
    ),
    Place(
        "rotation",
        "The rotation of a pair is wrong.",
        "Write down both lines of the rotation: which feature is multiplied by cosine, which by sine, and with"
        " which sign?",
        "X * A - Y * B\nX * A + Y * B\nP * A - Y * B\nX * P - Y * B\nX * A - P * B\nX * A - Y * P\nP * A + Y * B\n"
        "X * P + Y * B\nX * A + P * B\nX * A + Y * P\nX.cos()\nX.sin()\ntorch.cos(X)\ntorch.sin(X)",
        where=r"base \*\*",
    ),
    Place(
        "running_maximum",
        "The maximum is wrong.",
        "The maximum of each query is the largest of all its scores so far. From which scores is your maximum"
        " computed?",
        "torch.maximum(A, B)\ntorch.maximum(P, B)\ntorch.maximum(A, P)\nX.amax(..., dim=P)\nX.amax(P, ...)\n"
        "X.max(..., dim=P)",
        where=r"maximum, denominator",
    ),
    Place(
        "running_sums",
        "The update of the sums is wrong.",
        "Which maximum was subtracted in each sum? Which sums must be rescaled to the new maximum?",
        "A * B + C\nP * B + C\nA * P + C\nA * B + P\nA + P",
        where=r"maximum, denominator",
    ),
    # Steps that can occur in every exercise
    Place(
        "exponent",
        "The argument of the exponential is wrong.",
        "Which tensor should go into `exp`? Print the largest number in it: can its exponential overflow?",
        "torch.exp(P)\ntorch.exp(X - P)\nP.exp()\n(X - P).exp()",
    ),
    Place(
        "variance",
        "The variance is wrong.",
        "From which numbers is the variance computed? Is their mean subtracted, and by which number is the sum"
        " of the squares divided?",
        "Y.var(...)\ntorch.var(...)\nY / (N - 1)\nY.mean(...)\nX.var(P, ...)\nX.var(..., dim=P)",
        where="def score_variance",
    ),
    Place(
        "new_dimension",
        "The new dimension is at the wrong position.",
        "Write down the shape before and after this step. Which dimensions should be broadcast?",
        "X.unsqueeze(P)\ntorch.unsqueeze(X, P)\nX.unsqueeze(dim=P)",
    ),
    Place(
        "range_of_numbers",
        "The range of the numbers is wrong.",
        "Which is the first number of the range, and which the last?",
        "torch.arange(P)\ntorch.arange(P, device=D)\ntorch.arange(A, P)\ntorch.arange(P, B)\ntorch.arange(P, dtype=D)",
    ),
    Place(
        "truth_inverted",
        "True and False are exchanged.",
        "Write down one row of the mask by hand. Where should it be True?",
        "~X\nnot X\nX.logical_not()",
        kinds="missing,too much",
    ),
    Place(
        "sign",
        "A sign is wrong.",
        "Compute one value by hand. Where does its sign come from in your code?",
        "-X",
        kinds="missing,too much",
    ),
    Place(
        "divided",
        "A tensor or number is divided where it should not be.",
        "Does the description ask for a division at this step?",
        "X / Y",
        kinds="too much",
    ),
    Place(
        "range_of_the_mean",
        "The wrong rows are averaged.",
        "Which rows are in the first average, and which are in the last one? The end of a slice is not"
        " included.",
        "X[B, :P]\nX[B, A:P]\nX[B, P:C]\nX[:P]\nX[:, :P]\nP.mean(...)\ntorch.mean(P, ...)",
        where="def causal_average_loop",
    ),
    Place(
        "reduced_dimension",
        "The dimension of a reduction is missing or wrong.",
        "Over which dimension should the sum, mean or maximum run? Count it from the end.",
        _REDUCTIONS,
    ),
    Place(
        "keepdim",
        "The number of dimensions of a reduced tensor is wrong.",
        "Which shape does your sum, mean or maximum have? Along which dimension is it broadcast?",
        "X.sum(..., keepdim=P)\nX.mean(..., keepdim=P)\nX.amax(..., keepdim=P)\nX.max(..., keepdim=P)\n"
        "X.norm(..., keepdim=P)\ntorch.sum(..., keepdim=P)\ntorch.amax(..., keepdim=P)\ntorch.mean(..., keepdim=P)",
    ),
    Place(
        "transposition",
        "The step that should swap two dimensions is wrong.",
        "Write down the shape before and after this step. Which two dimensions should be swapped?",
        "X.transpose(P, B)\nX.transpose(A, P)\nX.transpose(A, B)\nX.permute(P, ...)\nX.swapaxes(P, B)\n"
        "X.swapaxes(A, P)\nX.mT\nX.T\nX.permute(...)",
        kinds="dimension,number,name,value,step,function,order,argument",
    ),
    Place(
        "transposed_too_often",
        "A tensor is transposed where it should not be.",
        "Print the shape before and after this step. Does the description ask for a transpose here?",
        "X.transpose(A, B)\nX.swapaxes(A, B)\nX.mT\nX.T",
        kinds="too much",
    ),
    Place(
        "transposition_missing",
        "A transpose is missing.",
        "Compare the rows and the columns of this tensor with the description: what should row 0 contain?",
        "X.transpose(A, B)",
        kinds="missing",
    ),
    Place(
        "cut_off_from_the_graph",
        "A result is detached from the computation graph.",
        "Which step of your code cuts the gradient off: `detach`, `item`, `tolist` or `data`?",
        "X.detach()\nX.item()\nX.tolist()\nX.data",
        kinds="too much",
    ),
    Place(
        "size_from_a_shape",
        "A size is read from the wrong dimension.",
        "What does each number of the shape count? Print the shape, and count from the end.",
        "X.shape[P]",
    ),
    Place(
        "dtype",
        "The dtype of a tensor is wrong.",
        "Which dtype do the inputs have, and which dtype does the description ask for? Print the dtype of"
        " each tensor that you create.",
        "\n".join(f"torch.{name}(..., dtype=P)" for name in _MAKERS)
        + "\nX.to(P)\nX.to(dtype=P)\nX.float()\nX.double()\nX.int()\nX.long()\nX.bool()\nX.half()\n"
        "torch.softmax(X, dim=D, dtype=P)\nX.sum(..., dtype=P)\nX.to(D)",
    ),
    Place(
        "joined_dimension",
        "The tensors are joined along the wrong dimension.",
        "Write down the shapes before and after this step. Which dimension should grow?",
        "torch.cat(X, dim=P)\ntorch.stack(X, dim=P)\ntorch.cat(X, P)\ntorch.stack(X, P)",
    ),
    Place(
        "error_condition",
        "The condition for the error is wrong.",
        "For which arguments should the error be raised? Try arguments on both sides of the limit.",
        "if P: raise X\nif A != P: raise X\nif P != B: raise X\nif A == P: raise X\nif P == B: raise X",
    ),
    Place(
        "loop_bounds",
        "The range of a loop is wrong.",
        "Which is the first number in your loop, and which is the last one? Which numbers should they be?",
        "range(P)\nrange(P, B)\nrange(A, P)\nrange(A, P, C)\nrange(P, B, C)\nrange(X)\nrange(X, Y)\nrange(...)",
    ),
    Place(
        "comparison",
        "A comparison is missing or wrong.",
        "Try two equal numbers, and two numbers that differ by one. What should the comparison give?",
        _COMPARISONS,
        kinds="comparison,condition,operator,number,name,value,place,order,step",
    ),
    Place(
        "condition",
        "A condition is wrong.",
        "When should this condition be true? Try an example for each case.",
        "if P: ...\nA if P else B",
        kinds="comparison,condition,operator,number,name,value,switch,step,function,argument,missing,too much",
    ),
    Place(
        "subscripts",
        "The subscripts of einsum are wrong.",
        "Which dimension does each letter stand for? Over which letter should the sum run?",
        "torch.einsum(P, ...)",
    ),
    Place(
        "new_tensor",
        "The tensor that should be created here is missing or wrong.",
        "Which shape should this tensor have, and which numbers?",
        "torch.ones(...)\ntorch.zeros(...)\ntorch.full(...)\ntorch.arange(P, ...)\ntorch.arange(A, P, ...)\n"
        "torch.ones(P, ...)\ntorch.ones(A, P, ...)\ntorch.zeros(P, ...)\ntorch.zeros(A, P, ...)",
        kinds="value,function,name,number,bound,argument",
    ),
    Place(
        "normalised",
        "A tensor is normalised where it should not be.",
        "Does the description ask for vectors of length 1?",
        "F.normalize(X, ...)\nnn.functional.normalize(X, ...)\ntorch.nn.functional.normalize(X, ...)",
        kinds="too much",
    ),
    Place(
        "added",
        "A sum has one term too many.",
        "Which terms does the formula add at this step?",
        "X + Y",
        kinds="too much",
    ),
    Place(
        "factor",
        "A factor of a product is wrong.",
        "Which two factors does the description multiply at this step?",
        "P @ Y\nX @ P\nP * Y\nX * P",
        kinds="name,value,bound,unread,order",
    ),
    Place(
        "index",
        "An index or a slice is wrong.",
        "Which entries does your index select? Count from 0, or from the end. The end of a slice is not"
        " included.",
        "X[P]\nX[P, B]\nX[A, P]\nX[:P]\nX[P:]\nX[A, :P]\nX[A, P:]\nX[:, P:]\nX[:, :P]\nX[..., P, :]\nX[..., P]\n"
        "X[..., P:]\nX[..., :P]",
        kinds="value,name,number,bound,dimension,place,operator,missing,too much,step,argument",
    ),
    Place(
        "variable",
        "The wrong variable is used here.",
        "What does each of your variables hold at this step? Print its shape.",
        kinds="name",
    ),
    Place(
        "operator",
        "An operator is wrong.",
        "Which operation does the description name at this step?",
        kinds="operator",
    ),
    Place(
        "dimension",
        "A dimension is wrong.",
        "Count the dimensions from the end. What does each of them count?",
        kinds="dimension",
    ),
    Place(
        "truth_value",
        "A truth value, True or False, is wrong.",
        "What does this value switch on or off?",
        kinds="switch",
    ),
    Place(
        "called_function",
        "The function that is called here is the wrong one.",
        "Look up what this function returns, and for which tensors it works. What should come out of this step?",
        kinds="function",
    ),
)
