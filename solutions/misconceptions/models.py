"""Mistakes in blocks, in a language model, in generating text and in training."""

from autograder.diagnosis import Misconception

MISCONCEPTIONS = (
    Misconception(
        "no_positions",
        "The output of the model does not depend on the positions of the tokens.",
        "If you swap two tokens of a text, the next guess of the model should change. Where does your code add"
        " the position embedding?",
        "X + self.A(torch.arange(...)) => X\nX + self.position_embedding(P) => X",
    ),
    Misconception(
        "positions_from_the_end",
        "Positions are counted from the end of the text.",
        "Which position should the first token have? Does its position change in your code if the text gets"
        " longer?",
        "self.position_embedding(P) => self.position_embedding(P.flip(0)) || self.position_embedding(-P - 1 + self.context_length)",
    ),
    Misconception(
        "same_position_everywhere",
        "All tokens have the same position.",
        "Print the positions that go into the position embedding. How many different numbers should there"
        " be?",
        "self.position_embedding(P) => self.position_embedding(P * 0) || self.position_embedding(P * 0 + len(P) - 1)",
    ),
    Misconception(
        "positions_multiplied",
        "The token embedding is multiplied by the position embedding.",
        "Read the exercise: by which operation are the two embeddings combined?",
        "X + self.position_embedding(P) => X * self.position_embedding(P)",
    ),
    Misconception(
        "final_norm_missing",
        "The input of the head is not normalised.",
        "Which layer does the exercise name between the blocks and the head?",
        "self.norm = nn.LayerNorm(N) => pass && self.norm(X) => X\nself.norm(X) => X",
        says=r"10,000 times as large the logits explode",
    ),
    Misconception(
        "embeddings_detached",
        "An embedding gets no gradient.",
        "Does your code use the results of both embeddings? Is one of them detached?",
        "self.token_embedding(T) => self.token_embedding(T).detach()"
        " || self.token_embedding(T).detach() && self.position_embedding(P) => self.position_embedding(P).detach()",
    ),
    Misconception(
        "blocks_not_used",
        "The blocks have no effect on the result.",
        "Does `forward` call the blocks, and does it use their result?",
        "self.blocks(X) => X",
    ),
    Misconception(
        "one_block_shared",
        "The model has only one set of block weights, for any num_layers.",
        "How often does your constructor call `make_block`? It should create a new block for each layer.",
        "nn.Sequential(*(B for _ in range(N))) => nn.Sequential(*[B] * N) || B",
    ),
    Misconception(
        "positions_of_the_full_context",
        "The number of positions does not fit texts that are shorter than context_length.",
        "How many tokens does the text have, and how many positions do you look up?",
        "torch.arange(tokens.shape[1], ...) => torch.arange(self.context_length)",
    ),
    Misconception(
        "logits_of_last_place",
        "Without targets, only the logits of the last token are returned.",
        "Compare the shape of the logits with the description. Does this shape depend on `targets`?",
        "return logits, None => return logits[:, -1:], None",
    ),
    Misconception(
        "logits_flattened",
        "With targets, the returned logits are flattened.",
        "`cross_entropy` needs flattened logits, but the caller of your model needs the shape (B, T,"
        " vocab_size). Which shape do you return?",
        "return logits, F.cross_entropy(X, Y) => return X, F.cross_entropy(X, Y)",
    ),
    Misconception(
        "zero_loss_without_targets",
        "Without targets, a loss is returned.",
        "Which value does the exercise ask for as the loss if `targets` is None?",
        "return logits, None => return logits, torch.tensor(0.0)",
        says=r"the loss must be None",
    ),
    Misconception(
        "targets_ignored",
        "The loss compares the logits with the input tokens instead of the targets.",
        "Which tensor goes into `cross_entropy` as its second argument?",
        "F.cross_entropy(X, targets.flatten()) => F.cross_entropy(X, tokens.flatten())",
    ),
    Misconception(
        "softmax_before_the_loss",
        "`cross_entropy` gets probabilities, but it expects logits.",
        "`cross_entropy` applies the softmax itself. Where does your code apply another one?",
        """
        F.cross_entropy(X, Y) => F.cross_entropy(torch.softmax(X, dim=-1), Y)
        L = self.head(X) => L = torch.softmax(self.head(X), dim=-1)
        F.cross_entropy(X, Y) => F.cross_entropy(torch.log_softmax(X, dim=-1).exp(), Y)
        """,
    ),
    Misconception(
        "logits_are_probabilities",
        "A softmax, or a log_softmax, is applied to the returned logits.",
        "Logits are scores before any softmax. What is the last step of your model?",
        "L = self.head(X) => L = torch.log_softmax(self.head(X), dim=-1)",
    ),
    Misconception(
        "targets_moved_twice",
        "Your code shifts the targets by one token, although they are already shifted.",
        "`targets[b, t]` already is the token after `tokens[b, t]`. Which logits and which targets does"
        " your loss compare?",
        "F.cross_entropy(L.flatten(0, 1), T.flatten())"
        " => F.cross_entropy(L[:, :-1].flatten(0, 1), T[:, 1:].flatten())"
        " || F.cross_entropy(L[:, 1:].flatten(0, 1), T[:, :-1].flatten())",
    ),
    Misconception(
        "token_0_does_not_count",
        "Positions whose target is token 0 do not count in the loss.",
        "Here token 0 is an ordinary token, not padding. Which argument of `cross_entropy` ignores it?",
        "F.cross_entropy(X, Y) => F.cross_entropy(X, Y, ignore_index=0)",
    ),
    Misconception(
        "loss_of_last_guess",
        "The loss counts only the last token of each text.",
        "How many guesses does the model make for T tokens? All of them should count in the loss.",
        "F.cross_entropy(L.flatten(0, 1), T.flatten()) => F.cross_entropy(L[:, -1], T[:, -1])",
    ),
    Misconception(
        "no_activation",
        "There is no activation function between the two linear layers.",
        "Two linear layers in a row compute only a linear function. Which layer belongs between them?",
        "nn.GELU() => nn.Identity()",
    ),
    Misconception(
        "other_activation",
        "The feed-forward network uses the wrong activation function.",
        "Which activation functions does the exercise allow?",
        "nn.GELU() => nn.Sigmoid() || nn.Tanh() || nn.LeakyReLU() || nn.SiLU()",
    ),
    Misconception(
        "attention_thrown_away",
        "The result of the attention is not used.",
        "In which variable do you store the result of the attention? Where does your code add it?",
        "H = x + self.attention(X) => H = x",
    ),
    Misconception(
        "no_residual_at_attention",
        "The residual path around the attention is missing.",
        "If the attention returned only zeros, what would your h be? It should then be x.",
        "H = x + self.attention(X) => H = self.attention(X)",
    ),
    Misconception(
        "no_residual_at_feed_forward",
        "The residual path around the feed-forward network is missing.",
        "If the feed-forward network returned only zeros, what would your output be? It should then be h.",
        "return h + self.feed_forward(X) => return self.feed_forward(X)",
    ),
    Misconception(
        "no_residuals",
        "Both residual paths are missing.",
        "If the attention and the feed-forward network returned only zeros, what would your output be? It"
        " should then be x.",
        "H = x + self.attention(X) => H = self.attention(X)"
        " && return h + self.feed_forward(Y) => return self.feed_forward(Y)",
    ),
    Misconception(
        "no_norms",
        "The two LayerNorms are not used.",
        "What should go into the attention and the feed-forward network: the tokens themselves, or the"
        " normalised tokens?",
        "self.attention_norm(X) => X && self.feed_forward_norm(X) => X",
    ),
    Misconception(
        "attention_without_norm",
        "The input of the attention is not normalised.",
        "What is applied to x in the formula, before the attention?",
        "self.attention_norm(X) => X",
    ),
    Misconception(
        "feed_forward_without_norm",
        "The input of the feed-forward network is not normalised.",
        "What is applied to h in the formula, before the feed-forward network?",
        "self.feed_forward_norm(X) => X",
    ),
    Misconception(
        "norm_after_addition",
        "The LayerNorms are applied after the additions.",
        "The residual paths should carry x and h without any change. To which tensors do you apply the"
        " LayerNorms?",
        """
        h = x + self.attention(self.attention_norm(x))
        return h + self.feed_forward(self.feed_forward_norm(h))
        =>
        h = self.attention_norm(x + self.attention(x))
        return self.feed_forward_norm(h + self.feed_forward(h))

        X + self.A(self.B(X)) => self.B(X + self.A(X))
        """,
    ),
    Misconception(
        "norm_after_the_part",
        "The LayerNorms are applied to the outputs of attention and feed-forward network.",
        "Compare with the formula: is a norm applied to the input of the attention, or to its output?",
        "self.attention(self.attention_norm(X)) => self.attention_norm(self.attention(X))"
        " && self.feed_forward(self.feed_forward_norm(Y)) => self.feed_forward_norm(self.feed_forward(Y))",
    ),
    Misconception(
        "adds_normalised_input",
        "The normalised tokens are added instead of the tokens themselves.",
        "The formula has two sums. Are the first terms x and h themselves, or the normalised x and h?",
        """
        x + self.attention(self.attention_norm(x)) => self.attention_norm(x) + self.attention(self.attention_norm(x)) && h + self.feed_forward(self.feed_forward_norm(h)) => self.feed_forward_norm(h) + self.feed_forward(self.feed_forward_norm(h))
        x + self.attention(self.attention_norm(x)) => self.attention_norm(x) + self.attention(self.attention_norm(x))
        h + self.feed_forward(self.feed_forward_norm(h)) => self.feed_forward_norm(h) + self.feed_forward(self.feed_forward_norm(h))
        """,
    ),
    Misconception(
        "one_norm_for_both",
        "The same LayerNorm is used for the attention and the feed-forward network.",
        "How many LayerNorms does the exercise ask for? Does your `forward` use each of them?",
        """
        self.feed_forward_norm(X) => self.attention_norm(X)
        self.attention_norm(X) => self.feed_forward_norm(X)
        self.feed_forward_norm = nn.LayerNorm(N) => pass && self.feed_forward_norm(X) => self.attention_norm(X)
        """,
        says=r"One LayerNorm serves both halves",
    ),
    Misconception(
        "residual_from_before_attention",
        "The output of the feed-forward network is added to x instead of h.",
        "Which variable holds the sum of x and the attention? Add the output of the feed-forward network to"
        " this variable.",
        "return h + self.feed_forward(X) => return x + self.feed_forward(X)",
    ),
    Misconception(
        "feed_forward_reads_input",
        "The feed-forward network gets x, which does not contain the result of the attention.",
        "What should go into the feed-forward network: x or h?",
        "self.feed_forward_norm(h) => self.feed_forward_norm(x)",
    ),
    Misconception(
        "adds_in_place",
        "The input x is changed in place.",
        "The caller still needs x. Which operation in your code writes into x?",
        """
        h = x + X
        return h + Y
        =>
        x += X
        h = x
        h += Y
        return h
        """,
    ),
    Misconception(
        "never_crops",
        "A text that is longer than context_length goes into the model uncropped.",
        "How many tokens can the model take? What does your code do with a longer text?",
        "tokens[:, -model.context_length:] => tokens",
    ),
    Misconception(
        "crops_the_end",
        "The model gets the beginning of the text instead of its end.",
        "The next token follows the last token. If the text is too long, which tokens should the model get?",
        "tokens[:, -model.context_length:] => tokens[:, :model.context_length]",
    ),
    Misconception(
        "crops_one_too_many",
        "The number of tokens that the model gets is wrong by one.",
        "If the text is longer than `model.context_length`, how many tokens does your slice keep?",
        "tokens[:, -model.context_length:] => tokens[:, -model.context_length + 1:] || tokens[:, -(model.context_length + 1):]",
    ),
    Misconception(
        "sees_the_last_token_only",
        "The model gets only the last token.",
        "The next token depends on the whole text so far. Which tokens does your slice keep?",
        "tokens[:, -model.context_length:] => tokens[:, -1:]",
    ),
    Misconception(
        "reads_the_first_place",
        "The next token is taken from the logits of the wrong position.",
        "`logits[b, t]` predicts the token after position t. Which position predicts the token after the"
        " text?",
        "logits[:, -1] => logits[:, 0] || logits[:, -2] || logits[:, 1]",
    ),
    Misconception(
        "least_likely",
        "The least likely token is chosen.",
        "Which token should a greedy choice take: the one with the highest, or the one with the lowest"
        " logit?",
        "X.argmax(...) => X.argmin(...)",
    ),
    Misconception(
        "draws_at_random",
        "The new tokens are drawn at random.",
        "Greedy means that the likeliest token is taken each time. Do two calls of your function give the"
        " same text?",
        "X.argmax(dim=-1, keepdim=True) => torch.multinomial(torch.softmax(X, dim=-1), 1)",
    ),
    Misconception(
        "stays_in_training",
        "`generate` calls the model in training mode.",
        "In training mode, dropout is active. Which method puts a model into evaluation mode?",
        "model.eval() => pass",
        says=r"At a call the model, or its dropout, was in training mode",
    ),
    Misconception(
        "leaves_evaluation_on",
        "After the call, the model or one of its parts is still in evaluation mode.",
        "In which mode was the model before the call? Where does your code restore this mode?",
        "model.train(was_training) => pass || model.eval()",
        says=r"The model was in training mode before the call\. Now it, or a part, is",
    ),
    Misconception(
        "always_back_to_training",
        "Before the call, the model was in evaluation mode. After the call, the model or one of its parts"
        " is in training mode.",
        "Which attribute tells the mode of the model? Store it before you change the mode.",
        "model.train(was_training) => model.train()",
        says=r"The model was in evaluation mode before the call\. Now it, or a part, is",
    ),
    Misconception(
        "never_changes_the_mode",
        "`generate` never changes the mode of the model.",
        "In training mode, dropout is active. Which method puts a model into evaluation mode?",
        "model.eval() => pass && model.train(was_training) => pass",
    ),
    Misconception(
        "returns_new_tokens_only",
        "The result contains only the new tokens, without the argument `tokens`.",
        "How many tokens should each row of the result have?",
        "return tokens => return tokens[:, -max_new_tokens:]",
    ),
    Misconception(
        "one_token_too_many",
        "The number of new tokens is wrong by one.",
        "How many new tokens does your function append if max_new_tokens is 0?",
        "range(max_new_tokens) => range(max_new_tokens + 1) || range(max_new_tokens - 1)",
    ),
    Misconception(
        "keeps_old_gradients",
        "Gradients from before the call are added to the new ones.",
        "`backward` adds to the gradients that are already there. Which method of the optimizer clears them?",
        "optimizer.zero_grad() => pass",
    ),
    Misconception(
        "clears_before_the_step",
        "The gradients are cleared between `backward` and `step`, so `step` does not use them.",
        "Do you call `zero_grad`, `backward` and `step` exactly once each? In which order?",
        """
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        =>
        loss.backward()
        optimizer.zero_grad()
        optimizer.step()
        """,
    ),
    Misconception(
        "clears_at_the_end",
        "Gradients from before the call still count in this step.",
        "When do you call `zero_grad`? It must come before `backward`, so that old gradients do not count.",
        """
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        =>
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        """,
    ),
    Misconception(
        "no_step",
        "The optimizer does not change the parameters.",
        "`backward` only computes gradients. Which method changes the parameters?",
        "optimizer.step() => pass",
    ),
    Misconception(
        "no_backward",
        "No gradients are computed.",
        "Which method computes the gradients of the loss?",
        "loss.backward() => pass",
    ),
    Misconception(
        "steps_twice",
        "The optimizer takes more than one step.",
        "Count how often your function calls `optimizer.step()`. The exercise asks for exactly one step.",
        "optimizer.step() => (optimizer.step(), optimizer.step())",
    ),
    Misconception(
        "returns_a_tensor",
        "A tensor is returned instead of a Python number.",
        "Which method of a tensor returns its value as a Python number?",
        "return loss.item() => return loss || return loss.detach()",
    ),
    Misconception(
        "returns_the_loss_after",
        "The returned loss was computed after the step.",
        "Does the exercise ask for the loss before the step, or after it?",
        "return loss.item() => return model(tokens, targets)[1].item()",
    ),
    Misconception(
        "activation_at_the_end",
        "There is an activation function after the second linear layer.",
        "The second linear layer should be the last one of the feed-forward network. Which layer comes"
        " after it in your code?",
        "nn.Linear(4 * n_embd, n_embd) => nn.Sequential(nn.Linear(4 * n_embd, n_embd), nn.ReLU())"
        " || nn.Sequential(nn.Linear(4 * n_embd, n_embd), nn.GELU())",
    ),
    Misconception(
        "other_feed_forward",
        "The layers of the feed-forward network are not those of the exercise.",
        "How many linear layers does the exercise ask for, and how many features are there between them?",
        says=r"layer of the feed-forward network",
    ),
    Misconception(
        "parts_swapped",
        "The feed-forward network comes before the attention.",
        "Compare the order of your two lines with the two lines of the formula.",
        """
        h = x + self.attention(self.attention_norm(x))
        return h + self.feed_forward(self.feed_forward_norm(h))
        =>
        h = x + self.feed_forward(self.feed_forward_norm(x))
        return h + self.attention(self.attention_norm(h))
        """,
    ),
    Misconception(
        "feed_forward_thrown_away",
        "The result of the feed-forward network is not used.",
        "In which variable do you store the result of the feed-forward network? Where does your code add it?",
        "return h + self.feed_forward(X) => return h",
    ),
    Misconception(
        "normalised_at_the_end",
        "The output of the block is normalised.",
        "What is the last operation in the formula: a norm, or an addition?",
        "return h + self.feed_forward(X) => return self.feed_forward_norm(h + self.feed_forward(X))",
    ),
    Misconception(
        "attention_twice",
        "The attention is applied twice.",
        "How often does the formula apply the attention?",
        "self.attention(X) => self.attention(self.attention(X))",
    ),
    Misconception(
        "rms_norm",
        "The norm that is used is not a LayerNorm.",
        "LayerNorm subtracts the mean. Does your norm do this?",
        "nn.LayerNorm(n_embd) => nn.RMSNorm(n_embd)",
    ),
    Misconception(
        "losses_not_averaged",
        "The loss has one number for each guess instead of a single number.",
        "Which value does the argument `reduction` of `cross_entropy` have by default, and which one do you"
        " pass?",
        "F.cross_entropy(...) => F.cross_entropy(..., reduction='none')",
    ),
    Misconception(
        "loss_first",
        "The loss is returned before the logits.",
        "In which order does the exercise name the two results?",
        "return logits, X => return X, logits",
    ),
    Misconception(
        "loss_is_a_number",
        "The loss is a Python number, so it has no gradient.",
        "The caller needs `loss.backward()`. Which step turns your loss into a Python number?",
        "return logits, F.cross_entropy(X, Y) => return logits, F.cross_entropy(X, Y).item()",
    ),
    Misconception(
        "positions_from_one",
        "Positions are counted from 1.",
        "The position embedding has context_length rows. Which index does its first row have?",
        "self.position_embedding(P) => self.position_embedding(P + 1)",
    ),
    Misconception(
        "as_many_positions_as_tokens",
        "The position embedding has vocab_size rows.",
        "How many positions can a text have? The position embedding needs a row for each of them.",
        "nn.Embedding(context_length, n_embd) => nn.Embedding(vocab_size, n_embd)",
    ),
    Misconception(
        "tokens_for_positions",
        "The position embedding is looked up with the tokens.",
        "Which numbers should go into the position embedding: the tokens, or their positions in the text?",
        "self.position_embedding(P) => self.position_embedding(tokens)",
    ),
    Misconception(
        "blocks_add_nothing",
        "Each additional block should add the same number of parameters, but it does not.",
        "Does your constructor create a new block each time? Are the blocks in a plain Python list, which"
        " does not register them?",
        says=r"Two blocks have no more parameters than one|parameters must grow by the same amount",
    ),
    Misconception(
        "head_reads_no_norm",
        "The input of the head is not the output of a LayerNorm.",
        "Which layer does the exercise name between the blocks and the head?",
        says=r"The input of the head is not the output of a LayerNorm",
    ),
    Misconception(
        "last_norm_otherwise",
        "The final LayerNorm should be applied exactly once, just before the head, but it is not.",
        "How often does your `forward` call the final LayerNorm, and on which tensor?",
        says=r"The last LayerNorm must be applied exactly once",
    ),
    Misconception(
        "residual_path_loses",
        "If all weight matrices are zero, the output of the block should be its input, but it is not.",
        "Do you add x itself to the output of the attention, and h itself to that of the feed-forward"
        " network? Does dropout or a norm act on a sum?",
        says=r"Dropout may act within a half, but not on the sum",
    ),
    Misconception(
        "half_lost",
        "If either the attention or the feed-forward network gives zeros, the other has no effect on the result.",
        "What does your `forward` return if the attention gives zeros? What does it return if the feed-forward"
        " network gives zeros?",
        says=r"If the other half of the block gives zeros, the (attention|feed-forward network) has no effect",
        if_unrepaired=True,
    ),
    Misconception(
        "wrong_loss",
        "The loss is not the mean cross-entropy of the logits that you return.",
        "Which positions of the logits and of the targets go into `cross_entropy`, and in which shapes? Do"
        " not shift them: the targets already are the next tokens.",
        says=r"It should be the mean cross-entropy of the logits that you return",
        if_unrepaired=True,
    ),
    Misconception(
        "no_pair",
        "`forward` does not return the pair (logits, loss).",
        "What does your `forward` return with targets, and what without?",
        says=r"must return the pair",
    ),
    Misconception(
        "context_length_not_kept",
        "The attribute `context_length` of the model is missing or wrong.",
        "`generate` reads `model.context_length`. Where does your constructor store this number?",
        says=r"must be the context_length given",
    ),
    Misconception(
        "more_than_it_takes",
        "The model gets more tokens than it can take.",
        "`model.context_length` is the largest number of tokens. What does your code do with a longer text?",
        says=r"The model takes \d+ tokens, but was given",
    ),
    Misconception(
        "new_in_front",
        "The new token is put before the text.",
        "In which order do you concatenate the text and the new token?",
        "torch.cat([tokens, L], dim=D) => torch.cat([L, tokens], dim=D)",
    ),
    Misconception(
        "beginning_counted_too",
        "The given tokens are counted as new tokens.",
        "If `tokens` has 5 columns and max_new_tokens is 3, how many columns should the result have?",
        "range(max_new_tokens) => range(max_new_tokens - tokens.shape[1])",
    ),
    Misconception(
        "first_text_for_all",
        "All texts get the new token of the first text.",
        "Each text of the batch has its own logits. Where does your code select only the first text?",
        "logits[:, -1].argmax(dim=D, keepdim=True) => logits[:1, -1].argmax(dim=D, keepdim=True).expand(len(tokens), 1)",
    ),
    Misconception(
        "first_text_only",
        "Only the first text is continued.",
        "`tokens` has B rows. How many rows does your result have?",
        "return tokens => return tokens[:1]",
    ),
    Misconception(
        "stops_at_the_context",
        "The number of new tokens is limited to context_length.",
        "max_new_tokens may be larger than `model.context_length`, because only the input of the model is"
        " cropped. What limits your loop?",
        "range(max_new_tokens) => range(min(max_new_tokens, model.context_length))",
    ),
    Misconception(
        "targets_not_given",
        "The model gets the tokens as targets, so it learns to repeat its input.",
        "Which two arguments do you pass to the model?",
        "model(tokens, targets) => model(tokens, tokens)",
    ),
    Misconception(
        "nothing_trained",
        "The parameters do not change.",
        "`backward` computes the gradients, and `step` uses them. Do you call both, in this order? When do"
        " you clear the gradients?",
        says=r"The parameters have not moved",
    ),
    Misconception(
        "not_one_backward",
        "`backward` does not run exactly once.",
        "Count how often `backward` runs in one call of your function. The exercise asks for one step on"
        " one batch.",
        says=r"`backward` should run once in each call",
    ),
    Misconception(
        "another_loss",
        "The returned number is wrong. It should be the loss of this batch, computed before the step.",
        "When do you compute the number that you return? Do you change it afterwards?",
        says=r"not the loss (before the step|of this batch|that the model returned)",
    ),
)
