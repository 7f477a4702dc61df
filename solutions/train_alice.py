"""Trains the small model that exercise 09 looks into, and writes it to that exercise's handout/.

    .venv/bin/python -m solutions.train_alice          # some ten minutes on one core

The model is the exercise's own TinyGPT, as its reference writes it. The text is the first five chapters of
"Alice's Adventures in Wonderland" (Lewis Carroll, 1865), which is free for everyone to use; the sixth is kept
back, to measure with. The numbers are rounded to 16 bits: that halves the file, and changes no picture. The
same seed gives the same model on the same machine with the same torch; elsewhere sums may be taken in another
order, and the last digits differ.
"""

import argparse
import json
import math
import struct
from pathlib import Path
from typing import Any

import torch

from autograder.course.course import load_course
from autograder.worker.namespace import run_code

COURSE = Path(__file__).parents[1]
HANDOUT = Path(__file__).parent / "09_tiny_gpt" / "handout"
TEXT, MODEL = HANDOUT / "alice.txt", HANDOUT / "alice.safetensors"
HELD_OUT = "\n\nPig and Pepper\n"  # where the chapter begins that is kept back
SHAPE = {"n_embd": 64, "num_heads": 4, "num_layers": 3, "context_length": 128}
BATCH, DROPOUT, RATE, DECAY = 32, 0.1, 3e-3, 0.1


def train(steps: int) -> tuple[Any, torch.Tensor, dict[str, str]]:
    """Return a model after so many steps, the chapter kept back, and notes on the model for its file."""
    torch.set_num_threads(1)
    torch.manual_seed(9)
    given = run_code(load_course(COURSE).exercises["09_tiny_gpt"].reference).variables
    text = TEXT.read_text(encoding="utf-8")
    characters = "".join(sorted(set(text)))
    learnt, held_out = (
        torch.tensor([characters.index(c) for c in part])
        for part in text.split(HELD_OUT, maxsplit=1)
    )
    model = given["TinyGPT"](len(characters), **SHAPE)
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = DROPOUT
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=RATE, weight_decay=DECAY, betas=(0.9, 0.98)
    )
    for step in range(steps):
        warm, cool = (
            min(1, (step + 1) / 100),
            (1 + math.cos(math.pi * step / steps)) / 2,
        )
        optimizer.param_groups[0]["lr"] = RATE * warm * cool
        batch = given["random_batch"](learnt, BATCH, SHAPE["context_length"])
        loss = given["train_step"](model, optimizer, *batch)
        if step % 250 == 249 or step == steps - 1:
            kept_back = measured(model, held_out)
            print(
                f"step {step + 1}: loss {loss:.3f}, on the chapter kept back {kept_back:.3f}",
                flush=True,
            )
    notes = {
        "characters": characters,
        **{name: str(number) for name, number in SHAPE.items()},
    }
    return model.eval(), held_out, notes


def measured(model: Any, tokens: torch.Tensor) -> float:
    """Return the mean loss over a text in pieces of the longest length."""
    length = SHAPE["context_length"]
    count = (len(tokens) - 1) // length
    model.eval()
    with torch.no_grad():
        _, loss = model(
            tokens[: count * length].view(count, length),
            tokens[1 : count * length + 1].view(count, length),
        )
    model.train()
    return float(loss)


def safetensors(tensors: dict[str, torch.Tensor], notes: dict[str, str]) -> bytes:
    """Return tensors as a safetensors file: the header's length, a header in JSON, and the numbers."""
    header: dict[str, Any] = {"__metadata__": notes}
    data = b""
    for name, tensor in tensors.items():
        content = tensor.half().contiguous().numpy().tobytes()
        places = [len(data), len(data) + len(content)]
        header[name] = {
            "dtype": "F16",
            "shape": list(tensor.shape),
            "data_offsets": places,
        }
        data += content
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=2500)
    parser.add_argument("--to", type=Path, default=MODEL)
    wanted = parser.parse_args()
    model, _, notes = train(wanted.steps)
    wanted.to.write_bytes(safetensors(dict(model.state_dict()), notes))
    print(f"{wanted.to}: {wanted.to.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
