"""The checks below need this cell. Do not edit it: grading skips it.

hint("NAME") prints a hint for the question NAME.
"""

import ast
import builtins
import dis
import linecache
import re
import sys
import textwrap


class NotImplementedError(builtins.NotImplementedError):
    """Raised by an answer that is not filled in. Notebooks show one line instead of a traceback."""

    def _render_traceback_(self):
        trace = self.__traceback__
        while trace.tb_next:
            trace = trace.tb_next
        code = trace.tb_frame.f_code
        name = getattr(code, "co_qualname", code.co_name).partition(".")[0]
        return [f"NotImplementedError: {self}" if self.args else f"fill in `{name}` first"]


class CheckFailed(AssertionError):
    """A check fails. Notebooks show the few lines of its message instead of a traceback."""

    def _render_traceback_(self):
        return str(self).splitlines()


class _Unmet(Exception):
    """An expectation does not hold. `args` has the problem, and then lines with details."""


def check(question):
    """Decorate a function that is the check of a question, and run it at once."""

    def begin(function):
        def run():
            try:
                _try(question, function)
            except (Exception, SystemExit) as error:
                _SAID[question] = "\n".join(filter(None, _described(error, question, function)))
                raise CheckFailed("\n".join([_SAID[question], *_first_hint(question)])) from error
            _SAID[question] = ""
            print(f"{question}: this check passes")

        run()
        return run

    return begin


def _try(question, function):
    """Run a check, unless the answer is missing or uses a forbidden word.

    If the check changes a tensor of the notebook, restore the tensor and raise _Unmet.
    """
    names = function.__globals__
    if question not in names:
        raise _Unmet("not filled in yet", f"There is no {question}: fill in the cell above, then run it.")
    if names[question] is None or names[question] is ...:
        raise _Unmet("not filled in yet", f"{question} is still {names[question]}.")
    used = _used(names[question], question)
    for word in _FORBIDDEN.get(question, ()):
        if word in used:
            raise _Unmet(f"`{word}` is not allowed here", "The description lists what is not allowed.")
    tensors = [(name, each) for name, each in names.items() if hasattr(type(each), "is_inference")]
    before = [(name, each, each._version, each.clone()) for name, each in tensors if not each.is_inference()]
    try:
        function()
    finally:
        for name, tensor, version, copy in before:
            if tensor._version != version:
                tensor.data = copy.detach()
                raise _Unmet(f"it changes {name}", _WRITES)


def _used(answer, question):
    """Return the names and operators, such as "@", that an answer uses. A recursive call does not count."""
    codes, used = [answer.__code__] if hasattr(answer, "__code__") else [], set()
    for code in codes:
        codes += [inner for inner in code.co_consts if hasattr(inner, "co_code")]
        for step in dis.get_instructions(code):
            if step.argval in code.co_names and (step.opname, step.argval) != ("LOAD_GLOBAL", question):
                used.add(step.argval.strip("_"))
            if step.opname.startswith(("BINARY_", "INPLACE_")):
                used.add("@" if "MATRIX" in step.opname else step.argrepr.strip("="))
    return used


def _described(error, question, function):
    """Return lines about an error: the call in the check, the message, and the answer's failed line."""
    trace, call, source = error.__traceback__, "", ""
    files = [each.__code__.co_filename for each in (function, check)]
    answer = function.__globals__.get(question)
    parts = (answer, *getattr(answer, "__dict__", {}).values())
    answered = {each.__code__.co_filename for each in parts if hasattr(each, "__code__")}
    while trace:
        code, line = trace.tb_frame.f_code, trace.tb_lineno
        if code.co_filename == files[0]:
            local = trace.tb_frame.f_locals
            call = _called(code.co_filename, line, {} if local is trace.tb_frame.f_globals else local)
        elif (
            question in trace.tb_frame.f_globals
            and code.co_filename not in files
            and (code.co_filename in answered or not source)
        ):
            source = f"  your line {line}: {linecache.getline(code.co_filename, line).strip()}"
        trace = trace.tb_next
    message = " ".join(str(error).split())[:300]
    if isinstance(error, builtins.NotImplementedError) and source:
        return [f"{question}: not filled in yet"]
    if isinstance(error, _Unmet):
        return [f"{call or question}: {error.args[0]}", *(f"  {line}" for line in error.args[1:] if line)]
    if isinstance(error, AssertionError) and not source:
        return [message or f"{question}: this should hold", f"  {call}"]
    advice = f"  Does {question} return its result?" if "'NoneType' object" in message else ""
    return [f"{call or question}: {type(error).__name__}", f"  {message}".rstrip(), source or advice]


def _called(file, line, local):
    """Return the call on a line of a check as source code, with short values in place of variables."""
    for node in ast.walk(ast.parse("".join(linecache.getlines(file)))):
        if isinstance(node, (ast.Expr, ast.Assign)) and node.lineno <= line <= node.end_lineno:
            call, name = node.value, ast.unparse(node.value).partition("(")[0]
            if name.startswith("expect"):
                first, *arguments = call.args[name in ("expect_raises", "expect_printed") :]
                keywords = [each for each in call.keywords if each.arg not in _OPTIONS]
                is_result = isinstance(first, (ast.Call, ast.Subscript)) or name not in _CALLING
                is_result |= isinstance(first, ast.Name) and not callable(local.get(first.id, print))
                call = first if is_result else ast.Call(first, arguments, keywords)
            plain = ast.unparse(call)
            for part in ast.walk(call):
                if isinstance(part, ast.Name) and len(_typed(local.get(part.id))) < 70:
                    part.id = _typed(local.get(part.id)) or part.id
            return min(ast.unparse(call), plain, key=lambda text: len(text) > 110)[:110]
        if isinstance(node, ast.Assert) and node.lineno <= line <= node.end_lineno:
            return f"assert {ast.unparse(node.test)}"
    return ""


def _typed(value):
    """Return a value as source code, or "" if it is None or of an unsupported type."""
    if hasattr(value, "columns"):
        return f"pd.DataFrame({value.to_dict('list')})"
    if hasattr(value, "tolist"):
        package = type(value).__module__.partition(".")[0]
        if package != "torch":
            maker = {"pandas": f"pd.{type(value).__name__}"}.get(package, "np.array")
            return f"{maker}({_typed(value.tolist())})"
        return f"torch.tensor({_typed(value.tolist())})" + ".double()" * ("float64" in str(value.dtype))
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_typed, value))}]"
    if isinstance(value, float) and abs(value) < 1e4:
        return f"{value:.4g}" + "." * (value == int(value))
    return repr(value) if isinstance(value, (int, float, str, dict, set)) else ""


def _kind(value):
    if hasattr(value, "columns"):
        return f"dataframe of shape {value.shape} with the columns {', '.join(map(str, value.columns))}"[:90]
    if hasattr(value, "dtype"):
        form = f" of shape {tuple(value.shape)}, {value.dtype}".replace("torch.", "")
        return type(value).__name__.replace("Parameter", "Tensor").lower() + form
    return "None; is a `return` missing?" if value is None else f"{type(value).__name__} {_typed(value)}"[:90]


def _leaves(value, place=()):
    """Yield the values in a tensor, array, table, dict or nested list, each with its keys and indices."""
    if hasattr(value, "iloc"):
        columns = value.to_dict("list") if hasattr(value, "columns") else {"values": value.tolist()}
        value = {"index": value.index.tolist(), **columns}
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, (list, tuple, dict)):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(each, (*place, key))
    else:
        yield place, set(value) if isinstance(value, set) else value


def _unlike(title, expected, yours, *more):
    """Return the error with this title for a result `yours` that differs from the expected result."""
    return _Unmet(title, f"expected  {expected}", f"yours     {yours}", *more)


def _of(name):
    """Return " of NAME" for a message about a named value, or "" for the answer's result."""
    return "" if name == "The result" else f" of {name[:1].lower()}{name[1:]}"


def expect(holds, message):
    """Expect a condition; `message` says what should hold."""
    if not holds:
        raise _Unmet("this should hold", message)


def expect_shape(actual, shape, hint="", *, name="The result"):
    """Expect that `actual`, a tensor, array or table, has this shape, and return `actual`."""
    if not hasattr(actual, "shape") or tuple(actual.shape) != tuple(shape):
        raise _unlike(f"unexpected shape{_of(name)}", f"shape {tuple(shape)}", _kind(actual), hint)
    return actual


class any_of:  # noqa: N801 - it is called like a function
    """Several accepted values: expect_close(result, any_of([1, 2], [2, 1]))."""

    def __init__(self, *values):
        self.values = values


def expect_close(actual, expected, hint="", atol=None, *, rtol=0.0, name="The result"):
    """Expect that `actual` has the values of `expected`, and return `actual`.

    A tensor must also have the same shape and dtype. An array must have the same shape and a similar dtype. A
    table must have the same labels.
    """
    if isinstance(expected, any_of):
        for each in expected.values:
            try:
                return expect_close(actual, each, hint, atol, rtol=rtol, name=name)
            except _Unmet:
                pass
        several = " or ".join(_typed(each) or _kind(each) for each in expected.values)
        raise _unlike(f"wrong values{_of(name)}", several, _typed(actual) or _kind(actual), hint)
    _expect_form(actual, expected, hint, name)
    right, yours = dict(_leaves(expected)), dict(_leaves(actual))
    if right.keys() != yours.keys() or isinstance(expected, dict) != isinstance(actual, dict):
        raise _unlike(f"{_STRUCTURE}{_of(name)}", _typed(expected) or _kind(expected), _kind(actual), hint)
    is_double = hasattr(expected, "columns") or "64" in str(getattr(expected, "dtype", ""))
    finest = min(filter(None, map(_last_digit, right.values())), default=1e-9)
    for place, wanted in right.items():
        near, value = 0.0, yours[place]
        if isinstance(wanted, _NUMBERS):
            scale = max(1, min(abs(wanted), 1e9))
            default = (_last_digit(wanted) or finest * scale) if is_double else 1e-4 * scale
            near = (atol * scale if atol else default) + rtol * abs(wanted)
        if _equal(wanted, value, near) and (wanted == wanted or not hasattr(expected, "is_inference")):
            continue
        rows = [_typed([row[p] for p in row if p[:-1] == place[:-1]][:8]) for row in (right, yours)]
        short = [_typed(each) or str(each) for each in (wanted, value)]
        short = short if short[0].strip(".") != short[1].strip(".") else [repr(wanted), repr(value)]
        first = f"first difference at {list(place)}: {short[0]} expected, {short[1]} found" if place else ""
        rows = [_typed(expected), _typed(actual)] if isinstance(expected, dict) else rows
        raise _unlike(f"wrong values{_of(name)}", *(rows if place else short), first, hint)
    return actual


def _expect_form(actual, expected, hint, name):
    """Expect the type, shape, dtype and columns of `expected`, if it has them.

    In arrays, integers are accepted in place of floats, and any precision, such as float32, is accepted.
    """
    wanted, yours = _kind(expected), _kind(actual)
    if hasattr(expected, "iloc"):
        columns = [list(getattr(each, "columns", ())) for each in (expected, actual)]
        if not isinstance(actual, type(expected)) or columns[0] != columns[1]:
            raise _unlike(f"{_STRUCTURE}{_of(name)}", wanted, yours, hint)
    elif hasattr(expected, "dtype") and wanted != yours:
        package = type(expected).__module__.partition(".")[0]
        is_number = isinstance(actual, _NUMBERS) and package == "numpy"
        if (() if is_number else getattr(actual, "shape", None)) != expected.shape:
            raise _unlike(f"unexpected shape{_of(name)}", wanted, yours, hint)
        if package != "torch" and not is_number and package != type(actual).__module__.partition(".")[0]:
            raise _unlike(f"{_STRUCTURE}{_of(name)}", wanted, yours, hint)
        if package == "torch" or (package == "numpy" and not _fits(actual, expected)):
            more = "Check the dtype of each value that you create or convert."
            raise _unlike(f"unexpected dtype{_of(name)}", wanted, yours, more)


def _fits(actual, expected):
    """Whether numpy's casting rule "same_kind" allows the array in place of the expected array."""
    numpy = sys.modules["numpy"]
    dtypes = [numpy.asarray(each).dtype for each in (actual, expected)]
    return all(each.kind in "OUT" for each in dtypes) or numpy.can_cast(*dtypes, "same_kind")


def _last_digit(value):
    """Return the tolerance for a rounded number: one unit of its last digit, such as 0.0001 for 0.1234.

    Return 0 for binary fractions such as 0.1875, for floats with fewer than 4 or more than 9 digits, and for
    values of other types.
    """
    if not isinstance(value, float) or value - value != 0 or value.as_integer_ratio()[1] < 1 << 20:
        return 0
    digits = next((n for n in range(1, 10) if float(f"{value:.{n}g}") == value), 0)
    return 10.0 ** (int(f"{value:e}".partition("e")[2]) - digits + 1) if digits > 3 else 0


def _equal(wanted, yours, near=0.0):
    """Whether two values are equal, both NaN, or both None, NA or NaT. Numbers may differ by `near`."""
    gaps = [each is None or type(each).__name__ in ("NAType", "NaTType") for each in (wanted, yours)]
    if any(gaps):
        return all(gaps)
    if isinstance(wanted, _NUMBERS) and isinstance(yours, _NUMBERS) and abs(wanted - yours) <= near:
        return True
    return wanted == yours or (wanted != wanted and yours != yours)


def expect_gradient(function, *arguments, expected=None, weight=None, hint="", atol=None, names=()):
    """Expect that gradients of (result * weight).sum() reach the arguments that are tensors of floats.

    With `expected={position: gradient}`, only the arguments at these positions need a gradient.
    `function` may also be a result. Then `arguments` are the tensors from which the result was computed.
    """
    floats = [place for place, each in enumerate(arguments) if _is_float_tensor(each)]
    sources, result = list(arguments), function
    if callable(function):
        for place in floats:
            sources[place] = arguments[place].detach().clone().requires_grad_()
        result = function(*sources)
    for place in floats if expected is None else expected:
        source, gradient = sources[place], None
        if getattr(result, "requires_grad", False) and source.requires_grad:
            total = (result if weight is None else result * weight).sum()
            grad = sys.modules["torch"].autograd.grad
            (gradient,) = grad(total, [source], retain_graph=True, allow_unused=True)
        if gradient is None:
            lost = "Which step cuts the gradient off: item(), tolist(), detach(), torch.tensor()?"
            which = names[place] if place < len(names) else f"the {_kind(source)}"
            raise _Unmet("no gradient flows back", f"to {which}", hint or lost)
        if expected is not None:
            expect_close(gradient, expected[place], hint, atol, name="the gradient")


def _is_float_tensor(value):
    return hasattr(value, "is_inference") and value.is_floating_point()


def expect_parameters(module, names, *inputs):
    """Expect exactly these parameters, in this order. After a call with `inputs`, each needs a gradient."""
    yours = " ".join(dict(module.named_parameters()))
    if yours != names:
        is_order = {*yours.split()} == {*names.split()}
        advice = "Only the order is wrong. Create the parameters in the expected order." if is_order else ""
        raise _unlike("unexpected parameters", names, yours or "none", advice)
    for name, parameter in module.named_parameters():
        expect_gradient(module(*inputs), parameter, hint=f"{name} is frozen, or not used.")


def set_weights(module, **values):
    """Write values into the matrices with these names, and 0 into all other parameters."""
    for parameter in module.parameters():
        parameter.data.zero_()
    for name, value in values.items():
        weight = getattr(getattr(module, name), "weight", getattr(module, name))
        block = sys.modules["torch"].as_tensor(value, dtype=weight.dtype)
        weight.data[tuple(map(slice, block.shape))] = block


def expect_unchanged(function, *arguments, hint="", names=()):
    """Expect that a call does not change its arguments, and return its result."""
    before = [dict(_leaves(each)) for each in arguments]
    result = function(*arguments)
    for number, (each, was) in enumerate(zip(arguments, before)):
        now = dict(_leaves(each))
        if now.keys() != was.keys() or not all(_equal(was[place], now[place]) for place in was):
            which = names[number] if number < len(names) else f"argument {number + 1}"
            raise _Unmet(f"it changes {which}", hint or _WRITES)
    return result


def expect_printed(expected, function, *arguments, hint="", **keywords):
    """Expect a call to print a text, or one of the texts in any_of(...), and return the call's result.

    Spaces at the ends of lines and empty lines at the end do not count.
    """
    from contextlib import redirect_stdout
    from io import StringIO

    with redirect_stdout(StringIO()) as printed:
        result = function(*arguments, **keywords)
    several = expected.values if isinstance(expected, any_of) else [expected]
    lines = [[line.rstrip() for line in text.rstrip().split("\n")] for text in (printed.getvalue(), *several)]
    if lines[0] not in lines[1:]:
        shown = ["\n            ".join(line[:90] for line in each[:8]) or "nothing" for each in lines]
        raise _unlike("unexpected output", shown[1], shown[0], hint)
    return result


def expect_raises(kinds, function, *arguments, hint="", **keywords):
    """Expect an error with this name, or with one of several names."""
    kinds, wrong = (kinds,) if isinstance(kinds, str) else kinds, "no error"
    try:
        yours = _kind(function(*arguments, **keywords))
    except builtins.NotImplementedError:
        raise
    except Exception as error:
        if set(kinds) & {kind.__name__ for kind in type(error).__mro__}:
            return
        yours, wrong = f"{type(error).__name__}: {error}", "unexpected error"
    raise _unlike(wrong, " or ".join(kinds), yours, hint)


def _hints(question):
    """Return the hints that match the last message of a question's check, then those without a pattern."""
    hints = [*_HINTS.get(question, ()), *_HINTS.get("*", ())]
    fitting = [each for each in hints if re.search(each[0], _SAID.get(question, ""))]
    return sorted(fitting, key=lambda each: not each[0])


def _in_lines(text, indent=""):
    """Return a text in lines of at most 88 characters. JupyterLab would break longer lines inside words."""
    long = {"break_long_words": False, "break_on_hyphens": False}
    return textwrap.fill(text, 88, initial_indent=indent, subsequent_indent=indent, **long)


def _first_hint(question):
    """Yield the text below a check's message: the first matching hint, or how to get a hint."""
    for when, text in _hints(question)[: "filled in" not in _SAID[question]]:
        if when:
            _GIVEN.setdefault(question, {})[text] = True
        yield _in_lines(f"hint: {text}", "  ") if when else f'  hint("{question}") gives a hint'
        return


def hint(question):
    """Print the next hint. Hints for the check's message come first, then the others, from vague to plain."""
    texts, given = [text for _, text in _hints(question)], _GIVEN.setdefault(question, {})
    for text in ([text for text in texts if text not in given] or texts[-1:])[:1]:
        given[text] = True
        print(_in_lines(f"hint {texts.index(text) + 1} of {len(texts)} for {question}: {text}"))
    if not texts:
        print(f"there are no hints for {question}")


_NUMBERS = (int, float, complex)
_CALLING = ("expect_unchanged", "expect_gradient", "expect_printed", "expect_raises")
_OPTIONS = ("hint", "expected", "weight", "atol", "names")  # arguments of `expect_...`, not of the answer
_WRITES = "Look for `+=`, a method whose name ends in _, and assignments such as `x[0] = 1`."
_STRUCTURE = "unexpected type or structure"
_SAID = {}  # the last message of each question's check, by question
_GIVEN = {}  # the hints that were printed, by question
_FORBIDDEN, _HINTS = {}, {}  # words and hints of this exercise, by question
