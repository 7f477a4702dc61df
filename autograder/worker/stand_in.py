"""Replaces functions of torch that need a compiler or a GPU, and replaces tqdm where it is not installed.

torch is changed only in courses that import it. Missing packages are blocked, so that no file of a submission
can take their names.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any

_NOT_COMPILED = "torch.compile would start a compiler, so grading runs the code without compiling it.\n"
_NO_GPU = "There is no GPU where notebooks are graded, so tensors are created on the CPU.\n"
# Packages that many notebooks import. The import of a missing package fails, even if a file has its name.
_CUSTOMARY = """
    accelerate altair beartype bokeh cv2 d2l datasets deepnote_toolkit dotenv einops evaluate gdown google
    graphviz h5py huggingface_hub icecream ipdb ipywidgets jax jaxtyping kaggle kaggle_secrets keras
    lightning lovely_tensors nltk openai opt_einsum pandas peft PIL plotly polars psutil pyarrow
    pytorch_lightning requests rich scipy seaborn skimage sklearn spacy statsmodels sympy tabulate
    tensorflow termcolor tiktoken timm tokenizers torchaudio torchdata torchinfo torchmetrics torchsummary
    torchtext torchview torchvision torchviz tqdm transformers wandb watermark xgboost
"""
_TQDM = ("tqdm", "tqdm.auto", "tqdm.notebook", "tqdm.autonotebook", "tqdm.std")
CUSTOMARY = frozenset(_CUSTOMARY.split())
_FOR_CHECKS = """
    any_of check expect expect_close expect_gradient expect_parameters expect_printed expect_raises
    expect_shape expect_unchanged hint set_weights
"""


def stand_in() -> None:
    """Replace functions of torch that need a compiler or a GPU by functions that print a note.

    If tqdm is not installed, replace tqdm by a module that iterates without a progress bar, because students
    put tqdm around any loop, even in an answer. Block the import of the other missing packages in CUSTOMARY.
    """
    if PathFinder.find_spec("tqdm") is None:
        sys.modules.update(dict.fromkeys(_TQDM, _tqdm()))
    for name in CUSTOMARY:
        if name not in sys.modules and PathFinder.find_spec(name) is None:
            sys.modules[name] = None  # type: ignore[assignment]
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        torch.compile = _compile
        torch.set_default_device = _default_device_setter(torch)
    skip_missing_devices()


def idle_checks() -> dict[str, Any]:
    """Return a function that does nothing for each function of the given cell, such as `hint`.

    Grading skips the given cell of a notebook, but other cells may call its functions.
    """
    return dict.fromkeys(_FOR_CHECKS.split(), _idle)


def _idle(*_: object, **__: object) -> Any:
    return _idle


def skip_missing_devices() -> None:
    """Make torch.manual_seed skip missing devices.

    For each missing device, torch would record a traceback, which takes a hundred times as long as seeding.
    """
    torch: Any = sys.modules.get("torch")
    for device in (torch.cuda, torch.xpu, torch.mtia) if torch is not None else ():
        if not device.is_available():
            vars(device)["manual_seed_all"] = _idle


class WrittenModules:
    """Finds modules that a notebook has written into its folder. Installed modules take precedence.

    It lists the folder at each import, because Python's finder would miss a file that was just written.
    """

    def find_spec(self, name: str, path: Sequence[str] | None = None, _: object = None) -> ModuleSpec | None:
        """Return the spec of a module in the current folder, or None."""
        if path is not None:  # a submodule, for which Python has already searched the package's folder
            return None
        try:
            return FileFinder(os.getcwd(), (SourceFileLoader, SOURCE_SUFFIXES)).find_spec(name)  # noqa: PTH109
        except OSError:  # the notebook has removed the folder
            return None


class _Bar:
    """A progress bar that iterates without drawing. `write` prints; all other methods do nothing."""

    write = staticmethod(print)

    def __init__(self, iterable: Iterable[Any] = (), *_: object, **__: object) -> None:
        self._iterable = iterable

    def __iter__(self) -> Iterator[Any]:
        return iter(self._iterable)

    def __len__(self) -> int:
        return len(self._iterable)  # type: ignore[arg-type]

    def __enter__(self) -> "_Bar":
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None


def _tqdm() -> ModuleType:
    """Return a module that replaces all modules of tqdm, with the names that notebooks use."""
    module = ModuleType("tqdm")
    bars: dict[str, Any] = {"tqdm": _Bar, "tqdm_notebook": _Bar}
    bars |= dict.fromkeys(("trange", "tnrange"), lambda *bounds, **_: _Bar(range(*bounds)))
    spec = ModuleSpec("tqdm", None)  # torch reads tqdm.__spec__
    vars(module).update(bars, auto=module, notebook=module, __spec__=spec)
    return module


def _compile(model: Any = None, **_: object) -> Any:
    """Return the model unchanged; without a model, as in torch.compile(mode=...), return a decorator."""
    sys.stderr.write(_NOT_COMPILED)
    return model if model is not None else lambda decorated: decorated


def _default_device_setter(torch: ModuleType) -> Callable[[Any], None]:
    original = torch.set_default_device

    def set_default_device(device: Any) -> None:
        if device is None or torch.device(device).type in ("cpu", "meta"):
            original(device)
        else:
            sys.stderr.write(_NO_GPU)

    return set_default_device
