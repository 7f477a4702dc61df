"""What goes wrong in blocks, in a language model, and in using and training it."""

from autograder.diagnosis import Misconception

MISCONCEPTIONS = (
    Misconception(
        "no_positions",
        "The model does not know where a token stands.",
        "Swap two tokens of a text. What tells the model that they have changed places?",
        "X + self.position_embedding(P) => X",
    ),
    Misconception(
        "positions_from_the_end",
        "Positions are counted from the end.",
        "Which position does the first token have when the text grows by one?",
        "self.position_embedding(P) => self.position_embedding(P.flip(0)) || self.position_embedding(-P - 1 + self.context_length)",
    ),
    Misconception(
        "same_position_everywhere",
        "All tokens have the same position.",
        "Print the positions that you look up.",
        "self.position_embedding(P) => self.position_embedding(P * 0) || self.position_embedding(P * 0 + len(P) - 1)",
    ),
    Misconception(
        "positions_multiplied",
        "Token and position are multiplied.",
        "How do the two embeddings come together? Read the exercise once more.",
        "X + self.position_embedding(P) => X * self.position_embedding(P)",
    ),
    Misconception(
        "final_norm_missing",
        "What reaches the head is not normalised.",
        "What does the exercise name between the blocks and the head?",
        "self.norm = nn.LayerNorm(N) => pass && self.norm(X) => X\nself.norm(X) => X",
        says=r"10,000 times as large the logits explode",
    ),
    Misconception(
        "embeddings_detached",
        "An embedding gets no gradient.",
        "Where is its result cut off, or is it not used at all?",
        "self.token_embedding(T) => self.token_embedding(T).detach()"
        " || self.token_embedding(T).detach() && self.position_embedding(P) => self.position_embedding(P).detach()",
    ),
    Misconception(
        "blocks_not_used",
        "The blocks take no part in the result.",
        "Follow a token from the embedding to the head. What does it pass?",
        "self.blocks(X) => X",
    ),
    Misconception(
        "one_block_shared",
        "There is one block, however many are asked for.",
        "How many blocks are made, and how often does each stand in the list?",
        "nn.Sequential(*(B for _ in range(N))) => nn.Sequential(*[B] * N) || B",
    ),
    Misconception(
        "positions_of_the_full_context",
        "The positions do not fit a text that is shorter than the longest.",
        "How many tokens came in, and how many positions do they need?",
        "torch.arange(tokens.shape[1], ...) => torch.arange(self.context_length)",
    ),
    Misconception(
        "logits_of_last_place",
        "Without targets, only the last place's logits are returned.",
        "Which shape do the logits have, with or without targets?",
        "return logits, None => return logits[:, -1:], None",
    ),
    Misconception(
        "logits_flattened",
        "With targets, the logits come back flattened.",
        "The loss wants another shape than your caller. Which of the two gets the flattened logits?",
        "return logits, F.cross_entropy(X, Y) => return X, F.cross_entropy(X, Y)",
    ),
    Misconception(
        "zero_loss_without_targets",
        "Without targets a loss is returned.",
        "What is the loss when there is nothing to compare with? A number would look like a result.",
        "return logits, None => return logits, torch.tensor(0.0)",
        says=r"the loss must be None",
    ),
    Misconception(
        "targets_ignored",
        "The loss compares the guesses with the tokens that went in.",
        "What are the targets for?",
        "F.cross_entropy(X, targets.flatten()) => F.cross_entropy(X, tokens.flatten())",
    ),
    Misconception(
        "softmax_before_the_loss",
        "The loss gets shares where it wants scores.",
        "cross_entropy takes the softmax itself. What does it get from you?",
        """
        F.cross_entropy(X, Y) => F.cross_entropy(torch.softmax(X, dim=-1), Y)
        L = self.head(X) => L = torch.softmax(self.head(X), dim=-1)
        F.cross_entropy(X, Y) => F.cross_entropy(torch.log_softmax(X, dim=-1).exp(), Y)
        """,
    ),
    Misconception(
        "logits_are_probabilities",
        "What the model returns has been through a softmax.",
        "Logits are what comes before any softmax. What comes last in your model?",
        "L = self.head(X) => L = torch.log_softmax(self.head(X), dim=-1)",
    ),
    Misconception(
        "targets_moved_twice",
        "The targets are moved on once more.",
        "The targets are already the next tokens. Which pairs does your loss compare?",
        "F.cross_entropy(L.flatten(0, 1), T.flatten())"
        " => F.cross_entropy(L[:, :-1].flatten(0, 1), T[:, 1:].flatten())"
        " || F.cross_entropy(L[:, 1:].flatten(0, 1), T[:, :-1].flatten())",
    ),
    Misconception(
        "token_0_does_not_count",
        "Guesses of token 0 do not count in the loss.",
        "In other programs 0 stands for padding. What does it stand for here?",
        "F.cross_entropy(X, Y) => F.cross_entropy(X, Y, ignore_index=0)",
    ),
    Misconception(
        "loss_of_last_guess",
        "The loss counts only the last guess of each text.",
        "How many guesses does the model make for T tokens? All of them count.",
        "F.cross_entropy(L.flatten(0, 1), T.flatten()) => F.cross_entropy(L[:, -1], T[:, -1])",
    ),
    Misconception(
        "no_activation",
        "Nothing bends between the two linear layers.",
        "Two linear layers in a row are one linear layer. What belongs between them?",
        "nn.GELU() => nn.Identity()",
    ),
    Misconception(
        "other_activation",
        "The feed-forward part bends in another way than asked for.",
        "Which functions does the exercise name? Compare what yours does to negative numbers.",
        "nn.GELU() => nn.Sigmoid() || nn.Tanh() || nn.LeakyReLU() || nn.SiLU()",
    ),
    Misconception(
        "attention_thrown_away",
        "What the attention gives is thrown away.",
        "Where is the attention's result kept, and does the second half add to it?",
        "H = x + self.attention(X) => H = x",
    ),
    Misconception(
        "no_residual_at_attention",
        "The path around the attention is missing.",
        "What is left of x after the attention if the attention gives 0?",
        "H = x + self.attention(X) => H = self.attention(X)",
    ),
    Misconception(
        "no_residual_at_feed_forward",
        "The path around the feed-forward part is missing.",
        "What is left of h if the feed-forward part gives 0?",
        "return h + self.feed_forward(X) => return self.feed_forward(X)",
    ),
    Misconception(
        "no_residuals",
        "Both paths around are missing.",
        "What comes out if attention and feed-forward part give 0?",
        "H = x + self.attention(X) => H = self.attention(X)"
        " && return h + self.feed_forward(Y) => return self.feed_forward(Y)",
    ),
    Misconception(
        "no_norms",
        "The norms are not used.",
        "What do attention and feed-forward part get: the tokens, or their normalised form?",
        "self.attention_norm(X) => X && self.feed_forward_norm(X) => X",
    ),
    Misconception(
        "attention_without_norm",
        "The attention gets the tokens without their norm.",
        "What stands between x and the attention in the formula?",
        "self.attention_norm(X) => X",
    ),
    Misconception(
        "feed_forward_without_norm",
        "The feed-forward part gets its input without the norm.",
        "What stands between h and the feed-forward part in the formula?",
        "self.feed_forward_norm(X) => X",
    ),
    Misconception(
        "norm_after_addition",
        "The norms act after the addition.",
        "On the path around, x is to pass unchanged. Where do your norms stand?",
        """
        h = x + self.attention(self.attention_norm(x))
        return h + self.feed_forward(self.feed_forward_norm(h))
        =>
        h = self.attention_norm(x + self.attention(x))
        return self.feed_forward_norm(h + self.feed_forward(h))
        """,
    ),
    Misconception(
        "norm_after_the_part",
        "The norms act on what attention and feed-forward part give.",
        "Does a part get normalised tokens, or are its results normalised?",
        "self.attention(self.attention_norm(X)) => self.attention_norm(self.attention(X))"
        " && self.feed_forward(self.feed_forward_norm(Y)) => self.feed_forward_norm(self.feed_forward(Y))",
    ),
    Misconception(
        "adds_normalised_input",
        "The normalised tokens are added, and not the tokens.",
        "What goes on the path around each part: x as it came, or x after the norm?",
        """
        x + self.attention(self.attention_norm(x)) => self.attention_norm(x) + self.attention(self.attention_norm(x)) && h + self.feed_forward(self.feed_forward_norm(h)) => self.feed_forward_norm(h) + self.feed_forward(self.feed_forward_norm(h))
        x + self.attention(self.attention_norm(x)) => self.attention_norm(x) + self.attention(self.attention_norm(x))
        h + self.feed_forward(self.feed_forward_norm(h)) => self.feed_forward_norm(h) + self.feed_forward(self.feed_forward_norm(h))
        """,
    ),
    Misconception(
        "one_norm_for_both",
        "One norm serves both parts.",
        "How many norms are there, and is each of them used?",
        """
        self.feed_forward_norm(X) => self.attention_norm(X)
        self.attention_norm(X) => self.feed_forward_norm(X)
        self.feed_forward_norm = nn.LayerNorm(N) => pass && self.feed_forward_norm(X) => self.attention_norm(X)
        """,
        says=r"One LayerNorm serves both halves",
    ),
    Misconception(
        "residual_from_before_attention",
        "The second addition starts from x again.",
        "What did the attention find out, and where is it kept?",
        "return h + self.feed_forward(X) => return x + self.feed_forward(X)",
    ),
    Misconception(
        "feed_forward_reads_input",
        "The feed-forward part does not see what the attention found.",
        "What does the feed-forward part get: x or h?",
        "self.feed_forward_norm(h) => self.feed_forward_norm(x)",
    ),
    Misconception(
        "adds_in_place",
        "The input is changed in place.",
        "The caller still needs x. Which operation writes into it?",
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
        "Texts that are too long go into the model whole.",
        "How many tokens does the model take at most?",
        "tokens[:, -model.context_length:] => tokens",
    ),
    Misconception(
        "crops_the_end",
        "The model gets the beginning of the text, and not its end.",
        "Which tokens are to be continued when the text is too long?",
        "tokens[:, -model.context_length:] => tokens[:, :model.context_length]",
    ),
    Misconception(
        "crops_one_too_many",
        "The model gets one token less, or one more, than it can take.",
        "Count the tokens that go in when the text is long.",
        "tokens[:, -model.context_length:] => tokens[:, -model.context_length + 1:] || tokens[:, -(model.context_length + 1):]",
    ),
    Misconception(
        "sees_the_last_token_only",
        "The model sees only the last token.",
        "What does the model know of the text when it makes its guess?",
        "tokens[:, -model.context_length:] => tokens[:, -1:]",
    ),
    Misconception(
        "reads_the_first_place",
        "The guess is taken from the wrong place.",
        "There is a guess for each place. Which of them is about the token that comes next?",
        "logits[:, -1] => logits[:, 0] || logits[:, -2] || logits[:, 1]",
    ),
    Misconception(
        "least_likely",
        "The least likely token is taken.",
        "Which token does a greedy choice take?",
        "X.argmax(...) => X.argmin(...)",
    ),
    Misconception(
        "draws_at_random",
        "The tokens are drawn at random.",
        "Greedy means the likeliest each time. Call your function twice: what comes out?",
        "X.argmax(dim=-1, keepdim=True) => torch.multinomial(torch.softmax(X, dim=-1), 1)",
    ),
    Misconception(
        "stays_in_training",
        "The model is not in evaluation mode when it is asked.",
        "Does your model drop anything while it writes? Who tells it that it is not training?",
        "model.eval() => pass",
        says=r"was asked in training mode",
    ),
    Misconception(
        "leaves_evaluation_on",
        "The model, or a part of it, stays in evaluation mode.",
        "In which mode was the model before, and in which is it afterwards?",
        "model.train(was_training) => pass || model.eval()",
        says=r"came in training mode, but it, or a part of it, was left",
    ),
    Misconception(
        "always_back_to_training",
        "The model, or a part of it, is in training mode afterwards, although it was not before.",
        "In which mode was the model before? Ask it before you change it.",
        "model.train(was_training) => model.train()",
        says=r"came in evaluation mode, but it, or a part of it, was left",
    ),
    Misconception(
        "never_changes_the_mode",
        "The mode of the model is never changed.",
        "Does your model drop anything while it writes? Who tells it that it is not training?",
        "model.eval() => pass && model.train(was_training) => pass",
    ),
    Misconception(
        "returns_new_tokens_only",
        "The beginnings are missing in the result.",
        "How many tokens go in, and how many should come out?",
        "return tokens => return tokens[:, -max_new_tokens:]",
    ),
    Misconception(
        "one_token_too_many",
        "The number of new tokens is wrong by one.",
        "Ask for no new token at all. How many come?",
        "range(max_new_tokens) => range(max_new_tokens + 1) || range(max_new_tokens - 1)",
    ),
    Misconception(
        "keeps_old_gradients",
        "Gradients left over from before count.",
        "backward adds to what is there. Who clears it away?",
        "optimizer.zero_grad() => pass",
    ),
    Misconception(
        "clears_before_the_step",
        "The optimizer changes no parameter as it should.",
        "In which order do backward, step and zero_grad come, and is each of them called?",
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
        "Gradients from before the call count.",
        "Is anything cleared before backward? Clearing after the step comes too late for what was there at"
        " first.",
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
        "The optimizer changes nothing.",
        "Compare the parameters before and after. Who changes them, and from what?",
        "optimizer.step() => pass",
    ),
    Misconception(
        "no_backward",
        "No gradients are computed.",
        "Where do the gradients come from that the optimizer follows?",
        "loss.backward() => pass",
    ),
    Misconception(
        "steps_twice",
        "The optimizer takes more than one step.",
        "How many steps is one step?",
        "optimizer.step() => (optimizer.step(), optimizer.step())",
    ),
    Misconception(
        "returns_a_tensor",
        "A tensor is returned where a Python number is asked for.",
        "A tensor is no number of Python's. How do you get the number out of it?",
        "return loss.item() => return loss || return loss.detach()",
    ),
    Misconception(
        "returns_the_loss_after",
        "The loss after the step is returned.",
        "At which moment is the loss that is asked for?",
        "return loss.item() => return model(tokens, targets)[1].item()",
    ),
    Misconception(
        "activation_at_the_end",
        "The feed-forward part bends once more at its end.",
        "The second linear layer is the last step of the feed-forward part. What comes after it in yours?",
        "nn.Linear(4 * n_embd, n_embd) => nn.Sequential(nn.Linear(4 * n_embd, n_embd), nn.ReLU())"
        " || nn.Sequential(nn.Linear(4 * n_embd, n_embd), nn.GELU())",
    ),
    Misconception(
        "other_feed_forward",
        "The feed-forward part has other layers than asked for.",
        "How wide is it in the middle, and how many linear layers has it?",
        says=r"layer of the feed-forward network",
    ),
    Misconception(
        "parts_swapped",
        "The feed-forward part comes before the attention.",
        "In which order do the two lines of the formula stand?",
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
        "What the feed-forward part gives is thrown away.",
        "Where is its result kept, and what is it added to?",
        "return h + self.feed_forward(X) => return h",
    ),
    Misconception(
        "normalised_at_the_end",
        "The result of the block is normalised.",
        "What stands last in the formula: a norm, or an addition?",
        "return h + self.feed_forward(X) => return self.feed_forward_norm(h + self.feed_forward(X))",
    ),
    Misconception(
        "attention_twice",
        "The tokens go through the attention twice.",
        "How often is the attention called in the formula?",
        "self.attention(X) => self.attention(self.attention(X))",
    ),
    Misconception(
        "rms_norm",
        "Another norm stands where a LayerNorm is asked for.",
        "Does your norm take the mean away?",
        "nn.LayerNorm(n_embd) => nn.RMSNorm(n_embd)",
    ),
    Misconception(
        "losses_not_averaged",
        "Each guess has a loss of its own.",
        "How many numbers is the loss? What does cross_entropy do unless it is told otherwise?",
        "F.cross_entropy(...) => F.cross_entropy(..., reduction='none')",
    ),
    Misconception(
        "loss_first",
        "The loss stands before the logits.",
        "In which order does the exercise name the two?",
        "return logits, X => return X, logits",
    ),
    Misconception(
        "loss_is_a_number",
        "The loss is a Python number.",
        "Who calls backward on the loss? A number of Python's has no gradient.",
        "return logits, F.cross_entropy(X, Y) => return logits, F.cross_entropy(X, Y).item()",
    ),
    Misconception(
        "positions_from_one",
        "Positions are counted from 1.",
        "How many rows has the table of positions, and which is its first one?",
        "self.position_embedding(P) => self.position_embedding(P + 1)",
    ),
    Misconception(
        "as_many_positions_as_tokens",
        "There are as many positions as different tokens.",
        "How long may a text be? So many rows must the table of positions have.",
        "nn.Embedding(context_length, n_embd) => nn.Embedding(vocab_size, n_embd)",
    ),
    Misconception(
        "tokens_for_positions",
        "The positions are looked up by tokens.",
        "What do you ask the table of positions: which token it is, or where it stands?",
        "self.position_embedding(P) => self.position_embedding(tokens)",
    ),
    Misconception(
        "blocks_add_nothing",
        "More blocks do not bring as many more parameters.",
        "Is each block a new one, and does the model know of it? A plain list hides its layers.",
        says=r"Two blocks have no more parameters than one|parameters must grow by the same amount",
    ),
    Misconception(
        "head_reads_no_norm",
        "What the head reads does not come from a LayerNorm.",
        "What does the exercise name between the blocks and the head?",
        says=r"What the head reads is not the output of a LayerNorm",
    ),
    Misconception(
        "last_norm_otherwise",
        "The last norm does not act just once before the head.",
        "How often is the last LayerNorm called, and on what?",
        says=r"The last LayerNorm acts otherwise than once",
    ),
    Misconception(
        "residual_path_loses",
        "What comes into the block does not reach its output unchanged.",
        "Is x itself added to the output of each half? Does anything act on x, or on the sum, in training too?",
        says=r"Dropout may act within a half, but not on the sum",
    ),
    Misconception(
        "no_pair",
        "Logits and loss do not come together.",
        "forward returns two things, with targets and without. What does yours return in each case?",
        says=r"must return the pair",
    ),
    Misconception(
        "context_length_not_kept",
        "The model does not keep its context_length.",
        "generate asks the model how many tokens it takes. Under which name?",
        says=r"must be the context_length given",
    ),
    Misconception(
        "more_than_it_takes",
        "The model gets more tokens than it can take.",
        "How many tokens does the model take at most? It says so itself.",
        says=r"The model takes \d+ tokens, but was given",
    ),
    Misconception(
        "new_in_front",
        "The new token stands before the others.",
        "At which end does a text grow?",
        "torch.cat([tokens, L], dim=D) => torch.cat([L, tokens], dim=D)",
    ),
    Misconception(
        "beginning_counted_too",
        "The beginning is counted among the new tokens.",
        "How many tokens are to be appended, however long the beginning is?",
        "range(max_new_tokens) => range(max_new_tokens - tokens.shape[1])",
    ),
    Misconception(
        "first_text_for_all",
        "All texts get the token of the first one.",
        "Each text of the batch has its own guess. Which of them do you append?",
        "logits[:, -1].argmax(dim=D, keepdim=True) => logits[:1, -1].argmax(dim=D, keepdim=True).expand(len(tokens), 1)",
    ),
    Misconception(
        "first_text_only",
        "Only the first text is continued.",
        "Compare the number of texts that go in with those that come out.",
        "return tokens => return tokens[:1]",
    ),
    Misconception(
        "stops_at_the_context",
        "No more tokens come than the model can take.",
        "Who limits the number of new tokens? A long text is cropped before the model gets it.",
        "range(max_new_tokens) => range(min(max_new_tokens, model.context_length))",
    ),
    Misconception(
        "targets_not_given",
        "The model learns to repeat what it reads.",
        "What are the targets for?",
        "model(tokens, targets) => model(tokens, tokens)",
    ),
    Misconception(
        "nothing_trained",
        "The parameters do not change.",
        "backward makes gradients, and who uses them? In which order?",
        says=r"The parameters have not moved",
    ),
    Misconception(
        "not_one_backward",
        "The number of times that backward runs is not one.",
        "How many steps is one step?",
        says=r"One backward a call was expected",
    ),
    Misconception(
        "another_loss",
        "What is returned is not the loss of this batch before the step.",
        "At which moment do you read the number, and is anything done to it?",
        says=r"not the loss (before the step|of this batch)",
    ),
)
