"""Stands in for functions of torch that need what is not there where notebooks are graded.

It also keeps missing packages missing, so that no file of a submission can take their names.
"""

import sys
from importlib.machinery import PathFinder
from typing import Any

import torch

_NOT_COMPILED = "torch.compile would start a compiler, so here the code runs as it is written.\n"
_NO_GPU = "There is no GPU where notebooks are graded, so tensors are made on the CPU.\n"
# Packages that notebooks from elsewhere import out of habit. Such a line loads nothing here that is not
# installed, so reading a submission's code can take the import for what it seems to be.
_CUSTOMARY = """
    accelerate altair bokeh cv2 datasets deepnote_toolkit einops google huggingface_hub ipywidgets jax kaggle
    kaggle_secrets keras lightning nltk pandas PIL plotly polars pytorch_lightning requests scipy seaborn
    skimage sklearn spacy statsmodels sympy tensorflow timm tokenizers torchaudio torchinfo
    torchsummary torchtext torchvision torchviz transformers wandb
"""
CUSTOMARY = frozenset(_CUSTOMARY.split())


def stand_in() -> None:
    """Let @torch.compile and a default device that is missing change nothing, and say so."""
    for name in CUSTOMARY:
        if name not in sys.modules and PathFinder.find_spec(name) is None:
            sys.modules[name] = None  # type: ignore[assignment]
    torch.compile = _compile
    torch.set_default_device = _set_default_device
    seed_the_processor_alone()


def seed_the_processor_alone() -> None:
    """Let torch.manual_seed pass over devices that are missing.

    It would note for each of them, with all lines that led there, that it is to be seeded when it appears;
    that takes a hundred times as long as seeding.
    """
    for device in (torch.cuda, torch.xpu, torch.mtia):
        if not device.is_available():
            setattr(device, "manual_seed_all", _seed_nothing)  # noqa: B010 - not all modules declare it


def _seed_nothing(seed: int) -> None:
    """Seed a device that is not there."""


def _compile(model: Any = None, **_: object) -> Any:
    """Give back what is to be compiled; torch.compile(mode=...) makes a decorator."""
    sys.stderr.write(_NOT_COMPILED)
    return model if model is not None else lambda decorated: decorated


def _set_default_device(device: Any) -> None:
    if device is None or torch.device(device).type in ("cpu", "meta"):
        _original(device)
    else:
        sys.stderr.write(_NO_GPU)


_original = torch.set_default_device
