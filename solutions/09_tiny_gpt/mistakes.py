# %% mistake="Block" name="activation_after_second_layer"
"""There is an activation at the end of the feed-forward network. Between which two layers should it be?"""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.norm1 = nn.LayerNorm(n_embd)
        self.attention = MultiHeadAttention(
            n_embd, n_embd, context_length, dropout, num_heads
        )
        self.norm2 = nn.LayerNorm(n_embd)
        self.feed_forward = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd),
            nn.Linear(4 * n_embd, n_embd),
            nn.GELU(),
            nn.Dropout(dropout),
        )

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.feed_forward(self.norm2(x))


# %% mistake="Block" name="context_length_ignored"
"""Your block cannot read a text of more than n_embd tokens. MultiHeadAttention needs the length of the
longest text. Which number does it get from your code?
"""
edit = "MultiHeadAttention(X, Y, context_length, D, H) => MultiHeadAttention(X, Y, X, D, H)"


# %% mistake="Block" name="dropout_in_evaluation"
"""Your block also drops something in evaluation. A dropout layer depends on the mode of the module. Which
argument of F.dropout sets the mode?
"""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.dropout = dropout
        self.norm1 = nn.LayerNorm(n_embd)
        self.attention = MultiHeadAttention(
            n_embd, n_embd, context_length, dropout, num_heads
        )
        self.norm2 = nn.LayerNorm(n_embd)
        self.feed_forward = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd)
        )

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + F.dropout(self.feed_forward(self.norm2(x)), self.dropout)


# %% mistake="Block" name="dropout_on_the_residual_path"
"""In training, your dropout also drops parts of x. Dropout may act only on the output of the attention or of
the feed-forward network. Do you apply it before or after the addition?
"""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.norm1 = nn.LayerNorm(n_embd)
        self.attention = MultiHeadAttention(
            n_embd, n_embd, context_length, dropout, num_heads
        )
        self.norm2 = nn.LayerNorm(n_embd)
        self.feed_forward = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd)
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        x = self.dropout(x + self.attention(self.norm1(x)))
        return self.dropout(x + self.feed_forward(self.norm2(x)))


# %% mistake="Block" name="heads_and_dropout_swapped"
"""MultiHeadAttention gets your dropout as its number of heads. Compare the order of your arguments with
its signature.
"""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.norm1 = nn.LayerNorm(n_embd)
        self.attention = MultiHeadAttention(
            n_embd, n_embd, context_length, num_heads, dropout
        )
        self.norm2 = nn.LayerNorm(n_embd)
        self.feed_forward = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd),
            nn.GELU(),
            nn.Linear(4 * n_embd, n_embd),
            nn.Dropout(dropout),
        )

    def forward(self, x):
        h = x + self.attention(self.norm1(x))
        return h + self.feed_forward(self.norm2(h))


# %% mistake="Block" name="narrow_feed_forward"
"""How many features does your feed-forward network have between its two Linear layers? Compare this number
with the docstring.
"""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.norm1 = nn.LayerNorm(n_embd)
        self.attention = MultiHeadAttention(
            n_embd, n_embd, context_length, dropout, num_heads
        )
        self.norm2 = nn.LayerNorm(n_embd)
        self.feed_forward = nn.Sequential(
            nn.Linear(n_embd, n_embd),
            nn.GELU(),
            nn.Linear(n_embd, n_embd),
            nn.Dropout(dropout),
        )

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.feed_forward(self.norm2(x))


# %% mistake="Block" name="no_mask"
"""Your attention also sees later tokens. Do you use the given MultiHeadAttention, which hides them?"""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.norm1 = nn.LayerNorm(n_embd)
        self.attention = nn.MultiheadAttention(
            n_embd, num_heads, dropout, batch_first=True
        )
        self.norm2 = nn.LayerNorm(n_embd)
        self.feed_forward = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd),
            nn.GELU(),
            nn.Linear(4 * n_embd, n_embd),
            nn.Dropout(dropout),
        )

    def forward(self, x):
        normalised = self.norm1(x)
        x = (
            x
            + self.attention(normalised, normalised, normalised, need_weights=False)[0]
        )
        return x + self.feed_forward(self.norm2(x))


# %% exception="Block"
"""Dropout at the end of the feed-forward network is optional."""
edits = [
    "nn.Sequential(X, nn.GELU(), Y, nn.Dropout(D)) => nn.Sequential(X, nn.GELU(), Y)"
]


# %% exception="Block"
"""Dropout may be at any position in the feed-forward network."""
edits = [
    """
nn.Sequential(X, nn.GELU(), nn.Linear(4 * N, N), nn.Dropout(D))
=>
nn.Sequential(X, nn.GELU(), nn.Dropout(D), nn.Linear(4 * N, N))
"""
]


# %% exception="Block"
"""The exercise does not say which features each head gets."""
misconceptions = ["every_hth_feature"]


# %% exception="Block"
"""The exercise leaves open whether a layer has a bias."""
misconceptions = ["bias_left_on"]


# %% mistake="TinyGPT" name="context_length_not_kept"
"""`generate` reads model.context_length. Where does your model store this attribute?"""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, n_embd)
        self.position_embedding = nn.Embedding(context_length, n_embd)
        self.blocks = nn.ModuleList(
            [make_block(n_embd, num_heads, context_length) for _ in range(num_layers)]
        )
        self.norm = nn.LayerNorm(n_embd)
        self.head = nn.Linear(n_embd, vocab_size)

    def forward(self, tokens, targets=None):
        x = self.token_embedding(tokens) + self.position_embedding(
            torch.arange(tokens.shape[1])
        )
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())


# %% mistake="TinyGPT" name="drops"
"""Call the model twice in training with the same tokens: the logits differ. Which layer drops something,
although the exercise does not ask for it?
"""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.token_embedding = nn.Embedding(vocab_size, n_embd)
        self.position_embedding = nn.Embedding(context_length, n_embd)
        self.blocks = nn.Sequential(
            *(make_block(n_embd, num_heads, context_length) for _ in range(num_layers))
        )
        self.drop = nn.Dropout(0.1)
        self.norm = nn.LayerNorm(n_embd)
        self.head = nn.Linear(n_embd, vocab_size)

    def forward(self, tokens, targets=None):
        positions = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.token_embedding(tokens) + self.position_embedding(positions)
        x = self.drop(x)
        logits = self.head(self.norm(self.blocks(x)))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())


# %% mistake="TinyGPT" name="each_block_reads_the_embeddings"
"""Every block gets the embeddings, so only the last block counts. Which tensor should the second block
get?
"""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.token_embedding = nn.Embedding(vocab_size, n_embd)
        self.position_embedding = nn.Embedding(context_length, n_embd)
        self.blocks = nn.ModuleList(
            [make_block(n_embd, num_heads, context_length) for _ in range(num_layers)]
        )
        self.norm = nn.LayerNorm(n_embd)
        self.head = nn.Linear(n_embd, vocab_size)

    def forward(self, tokens, targets=None):
        x = self.token_embedding(tokens) + self.position_embedding(
            torch.arange(tokens.shape[1])
        )
        for block in self.blocks:
            h = block(x)
        logits = self.head(self.norm(h))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())


# %% mistake="TinyGPT" name="embeddings_detached"
"""Which parameters have no gradient after `loss.backward()`? Follow the tokens through forward and look
for a detached tensor.
"""
edit = "self.token_embedding(T) => self.token_embedding(T).detach()"


# %% mistake="TinyGPT" name="final_norm_twice"
"""The final LayerNorm is applied more than once. How often does your forward call it?"""
edit = "self.blocks(X) => self.norm(self.blocks(X))"


# %% mistake="TinyGPT" name="final_rms_norm"
"""After a LayerNorm, the features of each token have the mean 0. Which mean do they have in the tensor
that your head gets?
"""
edit = "nn.LayerNorm(N) => nn.RMSNorm(N)"


# %% mistake="TinyGPT" name="heads_ignored"
"""The argument num_heads has no effect. Which number of heads does each block of your model get?"""
edit = "make_block(N, X, C) => make_block(N, 1, C)"


# %% mistake="TinyGPT" name="large_tied_head"
"""A new model has learnt nothing, so its loss should be near log(vocab_size), but your loss is far higher.
How large are the weights of the head at the start? Are they also the weights of the token embedding?
"""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.token_embedding = nn.Embedding(vocab_size, n_embd)
        self.position_embedding = nn.Embedding(context_length, n_embd)
        self.blocks = nn.ModuleList(
            [make_block(n_embd, num_heads, context_length) for _ in range(num_layers)]
        )
        self.norm = nn.LayerNorm(n_embd)
        self.head = nn.Linear(n_embd, vocab_size, bias=False)
        self.head.weight = self.token_embedding.weight

    def forward(self, tokens, targets=None):
        x = self.token_embedding(tokens) + self.position_embedding(
            torch.arange(tokens.shape[1])
        )
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())


# %% mistake="TinyGPT" name="no_mask"
"""A layer of torch such as TransformerEncoderLayer sees the whole text unless it gets a mask. Where does
your model hide later tokens?
"""


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.token_embedding = nn.Embedding(vocab_size, n_embd)
        self.position_embedding = nn.Embedding(context_length, n_embd)
        self.blocks = nn.ModuleList(
            [
                nn.TransformerEncoderLayer(
                    n_embd,
                    num_heads,
                    4 * n_embd,
                    0.0,
                    batch_first=True,
                    norm_first=True,
                )
                for _ in range(num_layers)
            ]
        )
        self.norm = nn.LayerNorm(n_embd)
        self.head = nn.Linear(n_embd, vocab_size)

    def forward(self, tokens, targets=None):
        x = self.token_embedding(tokens) + self.position_embedding(
            torch.arange(tokens.shape[1])
        )
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())


# %% mistake="TinyGPT" name="positions_drown_tokens"
"""Print the standard deviation of the token embedding and of the position embedding at the start. If one is
much smaller, this embedding has hardly any effect.
"""
edit = """
self.position_embedding = nn.Embedding(C, N)
=>
self.token_embedding.weight.data.normal_(std=0.02)
self.position_embedding = nn.Embedding(C, N)
"""


# %% mistake="TinyGPT" name="positions_from_the_end"
"""If you append a token to a text, do the positions of the earlier tokens change?"""
edit = "torch.arange(X, device=T.device) => torch.arange(X, device=T.device).flip(0)"


# %% mistake="TinyGPT" name="seed_inside"
"""Create two models, one after the other. Do they start with different weights? Your class should not set
a seed.
"""
edit = """
self.context_length = C
=>
torch.manual_seed(42)
self.context_length = C
"""


# %% mistake="TinyGPT" name="token_0_as_padding"
"""The embedding of token 0 gets no gradient, so it never changes. In this exercise, token 0 is an ordinary
token. Which argument of nn.Embedding treats it as padding?
"""
edit = "self.token_embedding = nn.Embedding(V, N) => self.token_embedding = nn.Embedding(V, N, padding_idx=0)"


# %% mistake="TinyGPT" name="tokens_frozen"
"""The token embedding does not learn. Does your code contain requires_grad_(False) or freeze=True?"""
edit = """
self.position_embedding = nn.Embedding(C, N)
=>
self.token_embedding.requires_grad_(False)
self.position_embedding = nn.Embedding(C, N)
"""


# %% mistake="TinyGPT" name="unbiased_variance"
"""Which number does your norm divide the sum of squares by? A LayerNorm divides by the number of features."""


class UnbiasedNorm(nn.LayerNorm):
    def forward(self, x):
        centred = x - x.mean(dim=-1, keepdim=True)
        return (
            centred / (x.std(dim=-1, keepdim=True) + self.eps) * self.weight + self.bias
        )


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, n_embd, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.token_embedding = nn.Embedding(vocab_size, n_embd)
        self.position_embedding = nn.Embedding(context_length, n_embd)
        self.blocks = nn.Sequential(
            *(make_block(n_embd, num_heads, context_length) for _ in range(num_layers))
        )
        self.norm = UnbiasedNorm(n_embd)
        self.head = nn.Linear(n_embd, vocab_size)

    def forward(self, tokens, targets=None):
        positions = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.token_embedding(tokens) + self.position_embedding(positions)
        logits = self.head(self.norm(self.blocks(x)))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())


# %% mistake="TinyGPT" name="width_for_vocabulary"
"""How many rows does your token embedding have? Try a vocab_size larger than n_embd."""
edit = "self.token_embedding = nn.Embedding(V, N) => self.token_embedding = nn.Embedding(N, N)"


# %% exception="TinyGPT"
"""Position embeddings can have either sign, so they may be subtracted instead of added."""
edits = ["X + Y => X - Y"]


# %% exception="TinyGPT"
"""The exercise asks only for a gradient of the loss, so the logits may be detached."""
edits = ["(L, None) => (L.detach(), None)", "(L, X) => (L.detach(), X)"]


# %% exception="TinyGPT"
"""The exercise asks only for float32, so a conversion to float32 changes nothing."""
edits = [
    "(L, None) => (L.float(), None)",
    "(L, X) => (L.float(), X)",
    "F.cross_entropy(X, Y) => F.cross_entropy(X, Y).float()",
]


# %% exception="TinyGPT"
"""The loss has no dimension, so `squeeze` changes nothing."""
edits = ["F.cross_entropy(X, Y) => F.cross_entropy(X, Y).squeeze()"]


# %% exception="TinyGPT"
"""The exercise leaves open whether a layer has a bias."""
misconceptions = ["bias_left_on"]


# %% exception="TinyGPT"
"""The exercise allows other positions than learnt ones, for example fixed sines and cosines."""
misconceptions = ["plain_tensors", "positions_multiplied"]


# %% exception="TinyGPT"
"""Logarithms of probabilities are logits, too."""
misconceptions = ["logits_are_probabilities"]


# %% exception="TinyGPT"
"""Before training, smaller logits are right, too: the loss is still near log(vocab_size)."""
misconceptions = ["mean_for_sum"]


# %% mistake="generate" name="context_of_another_model"
"""Your function crops the text to a fixed length. Which attribute of the model gives the right length?"""


def generate(model, tokens, max_new_tokens):
    model_context = 64
    was_training = model.training
    model.eval()
    with torch.no_grad():
        for _ in range(max_new_tokens):
            logits, _ = model(tokens[:, -model_context:])
            newest = logits[:, -1].argmax(dim=-1, keepdim=True)
            tokens = torch.cat([tokens, newest], dim=1)
    model.train(was_training)
    return tokens


# %% mistake="generate" name="ends_at_token_0"
"""Your loop ends at token 0. Here, token 0 is an ordinary token: append max_new_tokens tokens in every
case.
"""
edit = """
tokens = torch.cat([tokens, likeliest], dim=1)
=>
tokens = torch.cat([tokens, likeliest], dim=1)
if not likeliest.any():
    break
"""


# %% mistake="generate" name="likeliest_over_the_batch"
"""Your argmax compares different texts. Which dimension of the logits counts the tokens of the vocabulary?"""


def generate(model, tokens, max_new_tokens):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        for _ in range(max_new_tokens):
            logits, _ = model(tokens[:, -model.context_length :])
            newest = logits[:, -1].argmax(dim=0)[: len(tokens), None]
            tokens = torch.cat([tokens, newest], dim=1)
    model.train(was_training)
    return tokens


# %% mistake="generate" name="mode_as_an_attribute"
"""Parts of the model are still in training mode. Setting model.training changes only the model itself. Which
method also changes its parts?
"""
edit = """
M.eval() => M.training = False
M.train(W) => M.training = W
"""


# %% mistake="generate" name="parts_left_in_evaluation"
"""Parts of the model stay in evaluation mode. Setting model.training changes only the model itself. Which
method also changes its parts?
"""
edit = "M.train(W) => M.training = W"


# %% mistake="generate" name="returns_the_window"
"""The beginning of the text is lost. Do you crop the text itself, or only the input of the model?"""


def generate(model, tokens, max_new_tokens):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        for _ in range(max_new_tokens):
            tokens = tokens[:, -model.context_length :]
            logits, _ = model(tokens)
            newest = logits[:, -1].argmax(dim=-1, keepdim=True)
            tokens = torch.cat([tokens, newest], dim=1)
    model.train(was_training)
    return tokens


# %% exception="generate"
"""The logits of the last position have two dimensions, so dimension 1 is the last."""
edits = ["X.argmax(dim=-1, keepdim=True) => X.argmax(dim=1, keepdim=True)"]


# %% exception="generate"
"""Tokens are integers without a gradient, so `detach` changes nothing."""
edits = [
    "torch.cat(X, dim=1) => torch.cat(X, dim=1).detach()",
    "return T => return T.detach()",
]
misconceptions = ["weights_detached", "detached"]


# %% exception="generate"
"""A softmax over the vocabulary does not change which token is the likeliest."""
misconceptions = ["softmax_over_dim_1"]


# %% exception="generate"
"""Tokens are never negative, so these functions change nothing."""
misconceptions = ["negatives_cut", "absolute_values"]


# %% mistake="train_step" name="climbs"
"""Your step makes the loss larger. The optimizer already goes against the gradient: do you change a sign?"""
edit = "L.backward() => (-L).backward()"


# %% mistake="train_step" name="clips_gradients"
"""The step does not follow the gradient of the loss. Does your code change the gradients after backward?
The exercise asks for no clipping.
"""
edit = """
O.step()
=>
torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
O.step()
"""


# %% mistake="train_step" name="leaves_evaluation_on"
"""After the call, the model is in evaluation mode, so the next step trains it without dropout. Which line of
your function changes the mode?
"""
edit = """
O.step()
=>
O.step()
model.eval()
"""


# %% mistake="train_step" name="loss_of_its_own"
"""The model returns logits and a loss. Do you use its loss, or do you compute another one?"""
edit = """
_, loss = model(tokens, targets)
=>
logits, _ = model(tokens, targets)
loss = nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
"""


# %% mistake="train_step" name="loss_of_its_own__without_targets"
"""Which arguments do you pass to the model? With `targets`, the model computes the loss itself."""
edit = "X, L = M(T, Y) => L = nn.functional.cross_entropy(M(T)[0].flatten(0, 1), Y.flatten())"


# %% mistake="train_step" name="makes_its_own_optimizer"
"""Your function creates a new optimizer in each call, so earlier steps are forgotten. Use the argument
`optimizer`.
"""
edit = """
O.zero_grad()
=>
O = torch.optim.SGD(model.parameters(), lr=O.param_groups[0]['lr'])
O.zero_grad()
"""


# %% mistake="train_step" name="mean_over_the_batch_again"
"""You divide the loss by the size of the batch, but the loss of the model is already a mean."""
edit = """
O.zero_grad()
=>
loss = loss / len(tokens)
O.zero_grad()
"""


# %% mistake="train_step" name="trains_twice"
"""Your function takes two steps on the same batch. How many steps does the docstring ask for?"""


def train_step(model, optimizer, tokens, targets):
    losses = []
    for _ in range(2):
        _, loss = model(tokens, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses[0]


# %% exception="train_step"
"""No loss is negative."""
misconceptions = ["negatives_cut"]
