"""Replies to a hidden test's requests, for example to call a function of the notebook."""

import builtins
import io
import marshal
import random
import sys
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, redirect_stderr, redirect_stdout
from functools import lru_cache
from itertools import islice
from types import CodeType
from typing import Any

from autograder.worker.core import core, undisturbed
from autograder.worker.description import CELL, describe, kind
from autograder.worker.operators import Recorder
from autograder.worker.protocol import Header, Parts, ProtocolError
from autograder.worker.remote_function import Answer, RemoteFunction, answering
from autograder.worker.values import Decoder, Encoder


class _Nowhere(io.TextIOBase):
    """A text file that discards what is written to it."""

    def write(self, text: str, /) -> int:
        return len(text)


_NOWHERE = _Nowhere()


@contextmanager
def silence() -> Iterator[None]:
    """Drop what Python code writes to stdout and stderr in the `with` block."""
    with redirect_stdout(_NOWHERE), redirect_stderr(_NOWHERE):
        yield


Reply = tuple[Header, Parts]
_MISSING = object()


class Namespace:
    """A notebook's variables, and the objects that the grader refers to by number.

    An object that cannot be sent stays here until the next test begins; the grader gets its number.
    The function `explained` gets the description of an error and may add a sentence to its message.
    """

    def __init__(
        self, variables: dict[str, Any], explained: Callable[[Header], Header] = lambda error: error
    ) -> None:
        self.variables = variables
        self._explained = explained
        self.right: dict[str, Any] = {}  # right answers to earlier questions, used in place of wrong ones
        self._held: list[object] = []
        self._defined: dict[int, Any] = {}  # functions and classes that a hidden test defines, by number
        self._recorder: Recorder | None = None  # records the operators of the current request, or is None
        self._states: dict[str, dict[str, Any]] = {}  # the variables at each question's visible check
        self._end: dict[str, Any] | None = None  # the variables after the last cell; None before it has run

    def handle(self, header: Header, parts: Parts, answer: Answer | None = None) -> Reply:
        """Reply to one request. An exception of the student's code becomes an error in the reply.

        If the student's code calls functions of the hidden test, `answer` sends these calls to the grader.
        If the request has `"record": true`, `"ran"` in the reply lists the torch operators that ran.
        """
        if header.get("op") == "try":
            return self._try_codes(header, parts)
        if header.get("op") == "stand in":
            self.right = run_compiled(header["code"], header["names"])
            return {"value": None}, []
        self._recorder = None
        with answering(answer):
            reply, answered = self._answer(header, parts)
        return ({**reply, "ran": self._recorder.operators} if self._recorder else reply), answered

    def _try_codes(self, header: Header, parts: Parts) -> Reply:
        """Run each edited version of a student's code, and then the tests' requests on it.

        The grader looks for the smallest edit after which all tests pass. `source` contains statements,
        separated by null characters. Each of `codes` is one version, as a list of indices of statements. Each
        of `tests` is a list of pairs: a request, and its number of message parts. After the first error in a
        test, the test's other requests get no reply.
        """
        statements, sent = header["source"].split("\0"), Parts()
        results: list[Any] = []
        for numbers in header["codes"]:
            try:
                for number in numbers:
                    exec(_compiled(statements[number], "edited"), self.variables)  # noqa: S102 - a repair
            except BaseException:
                results.append(None)
                continue
            self.variables.update(self.right)
            left, replies_by_test = iter(parts), list[Any]()
            for test in header["tests"]:
                replies = list[tuple[Header, int]]()
                replies_by_test.append(replies)
                for request, count in test:
                    request_parts = [*islice(left, count)]
                    if not replies or "value" in replies[-1][0]:
                        reply, reply_parts = self.handle(request, copied(request_parts))
                        replies.append((reply, len(reply_parts)))
                        sent += reply_parts
            results.append(replies_by_test)
        return {"value": results}, sent

    def _answer(self, header: Header, parts: Parts) -> Reply:
        try:
            if "fresh" in header:  # the first request of a test carries the test's seed
                self._held.clear()
                self._defined.clear()
                self._return_to(header.get("question"))
                _pristine(header["fresh"])
            if header.get("op") == "keep":
                self._states |= {question: dict(self.variables) for question in header["questions"]}
                return {"value": self._changed_later() if header["last"] else {}}, []
            return self._perform(header, Decoder(parts, self._resolve))
        except MissingError as missing:
            return {"missing": missing.name}, []
        except ProtocolError:
            raise
        except BaseException as error:
            return {"error": self._explained(describe(error))}, []

    def _perform(self, header: Header, decoder: Decoder) -> Reply:
        match header:
            case {"op": "seed", "seed": int(seed)}:
                seed_generators(seed)
                return {"value": None}, []
            case {"op": "value", "of": of}:
                return self._value(self._resolve(of))
            case {"op": "attribute", "of": of, "name": str(name)}:
                return self._value(getattr(self._resolve(of), name))
            case {"op": "edit", "source": str(source)}:
                exec(compile(source, "edited", "exec"), self.variables)  # noqa: S102 - a repair that is tried
                return {"value": None}, []
            case {"op": "call", "of": {}, "args": args, "kwargs": kwargs}:
                encoder = Encoder(self._refer)
                _, reply = self._call(header, decoder.decode(args), decoder.decode(kwargs), encoder)
                return reply, encoder.parts
            case {"op": "inspect", "of": {}, "args": args, "kwargs": kwargs, "weight": weight}:
                weight = decoder.decode(weight)
                return self._inspect(header, decoder.decode(args), decoder.decode(kwargs), weight)
        raise ProtocolError("a request has an unknown form")

    def _changed_later(self) -> dict[str, list[str]]:
        """Return, by question, the names that the notebook reassigned after the question's check.

        After this call, each test begins with the variables that the notebook had at the check of the test's
        question. Variables that the notebook created after the check are added, except names of builtins.
        """
        builtin_names = vars(builtins)
        changed = dict[str, list[str]]()
        self._end = end = later = dict(self.variables)
        for question, state in reversed(self._states.items()):
            names = [name for name, value in state.items() if end.get(name, _MISSING) is not value]
            changed[question] = names + [name for name in end if name in builtin_names and name not in state]
            new = {name: value for name, value in later.items() if name not in builtin_names}
            self._states[question] = later = {**new, **state}
        return changed

    def _return_to(self, question: str | None) -> None:
        """Restore the variables that are stored for `question`, or else the variables after the last cell.

        The dictionary is changed in place, because all functions of the notebook read it as their globals.
        """
        if self._end is None:
            return
        state = self._states.get(question or "", self._end)
        for name in self.variables.keys() - state.keys():
            del self.variables[name]
        self.variables.update(state)

    def _resolve(self, reference: Header) -> Any:
        match reference:
            case {"code": str(code), "name": str(name), "number": int(number)}:
                if number not in self._defined:
                    torch = sys.modules.get("torch")
                    packages = {} if torch is None else {"torch": torch, "nn": torch.nn}
                    self._defined[number] = run_compiled(code, [name], packages)[name]
                return self._defined[number]
            case {"name": str(name)}:
                if name not in self.variables:
                    raise MissingError(name=name)
                return self.variables[name]
            case {"handle": int(number)}:
                return self._held[number]
            case {"function": int(number)}:
                return RemoteFunction(number)
            case {"torch": str(path)}:
                value: Any = sys.modules["torch"]
                for part in path.split("."):
                    value = getattr(value, part)
                return value
        raise ProtocolError("a reference has an unknown form")

    def _refer(self, value: object) -> Header:
        self._held.append(value)
        return {"handle": len(self._held) - 1, "type": kind(value)}

    def _value(self, value: object) -> Reply:
        encoder = Encoder(self._refer)
        return {"value": encoder.encode(value)}, encoder.parts

    def _call(
        self, header: Header, args: tuple[Any, ...], kwargs: dict[str, Any], encoder: Encoder
    ) -> tuple[Any, Header]:
        """Make the requested call. Return the result, and a reply with the encoded result and arguments.

        Operators are also recorded during encoding, which can call methods of the submission's classes.
        """
        target = self._resolve(header["of"])
        if header.get("record") is True and "torch" not in header["of"] and sys.modules.get("torch"):
            self._recorder = Recorder()
        with self._recorder or nullcontext():
            value = target(*args, **kwargs)
            if self._recorder:
                self._recorder.ignore_copies()
            reply = {"value": encoder.encode(value)}
            return value, reply if header["op"] == "call" else {**reply, "arguments": encoder.encode(args)}

    def _inspect(self, header: Header, args: tuple[Any, ...], kwargs: dict[str, Any], weight: Any) -> Reply:
        """Make a call. Reply with its result, the arguments as they are after the call, and gradients.

        The gradients are those of sum(output * weight), or of sum(output) without a weight, with respect to
        the arguments and to the parameters of a called module.
        """
        encoder = Encoder(self._refer)
        output, reply = self._call(header, args, kwargs, encoder)
        leaves, named = dict[str, Any](), dict[str, Any]()
        if (torch := sys.modules.get("torch")) is not None:
            target = self._resolve(header["of"])
            tensors = {str(i): arg for i, arg in enumerate(args) if isinstance(arg, torch.Tensor)}
            leaves = {i: tensor for i, tensor in tensors.items() if tensor.requires_grad and tensor.is_leaf}
            named = dict(target.named_parameters()) if isinstance(target, torch.nn.Module) else {}
            if isinstance(output, torch.Tensor) and output.requires_grad:
                base = core().tensor
                with undisturbed():
                    total = base.sum(output if weight is None else base.mul(output, weight))
                core().backward(total)
        reply["gradients"] = encoder.encode({name: leaf.grad for name, leaf in leaves.items()})
        reply["parameters"] = encoder.encode({name: parameter.grad for name, parameter in named.items()})
        return reply, encoder.parts


def run_compiled(code: str, names: Sequence[str], variables: Mapping[str, Any] = {}) -> dict[str, Any]:
    """Run definitions that the grader has compiled, with these variables; return the values of `names`.

    Only the grader sends such code: nothing from a submission is unmarshalled here.
    """
    variables = {"__name__": "given", **variables}
    exec(_loaded(code), variables)  # noqa: S102
    return {name: variables[name] for name in names}


@lru_cache(64)
def _loaded(code: str) -> CodeType:
    loaded: CodeType = marshal.loads(b64decode(code))  # noqa: S302
    return loaded


class MissingError(NameError):
    """The notebook does not define the name that a hidden test asks for."""


@lru_cache(1024)
def _compiled(source: str, name: str) -> CodeType:
    return compile(source, name, "exec")


def run_code(cells: tuple[str, ...]) -> Namespace:
    """Run trusted code cells in this process, without IPython and output, and return their namespace."""
    variables: dict[str, Any] = {"__name__": "__main__"}
    with silence():
        for number, code in enumerate(cells):
            exec(_compiled(code, f"{CELL}{number}"), variables)  # noqa: S102 - the course's own code
    return Namespace(variables)


def _pristine(seed: int) -> None:
    """Reset process-wide settings, which an earlier test or the notebook may have changed."""
    seed_generators(seed)
    if (torch := sys.modules.get("torch")) is not None:
        torch.set_grad_enabled(True)
        torch.set_default_dtype(torch.float32)
        torch.set_default_device(None)
        torch.set_autocast_enabled("cpu", False)
        if torch.are_deterministic_algorithms_enabled():  # the first call of the setter takes a second
            torch.use_deterministic_algorithms(False)  # deterministic algorithms run other operators
        torch.set_num_threads(1)  # operators in other threads would not be recorded
    if (pyplot := sys.modules.get("matplotlib.pyplot")) is not None:
        pyplot.close("all")


def seed_generators(seed: int) -> None:
    """Seed the random generators of Python and of the loaded packages."""
    random.seed(seed)
    if (numpy := sys.modules.get("numpy.random")) is not None:
        numpy.seed(seed % (1 << 32))
    if (torch := sys.modules.get("torch")) is not None:
        torch.default_generator.manual_seed(seed)


def copied(parts: Iterable[Any]) -> Parts:
    """Return parts with copied tensors, because the called code may change tensors."""
    return [part if type(part) is bytes else part.clone() for part in parts]
