"""Given, for the checks below. hint("question") prints a hint. Write nothing here: grading leaves it out."""

import ast
import dis
import linecache
import re
import sys


class CheckFailed(AssertionError):
    """Says in a few lines what a check has found. Notebooks show them in the place of a traceback."""

    def _render_traceback_(self):
        return str(self).splitlines()


class _Unmet(Exception):
    """An expectation that does not hold: what is wrong, and lines that say more."""


def check(question):
    """Run the function below it at once, with variables of its own, as the check of a question."""

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
    """Run a check, unless an answer is missing or uses what is forbidden; put back what it changes."""
    names = function.__globals__
    if question not in names:
        raise _Unmet("not defined; run the cell above")
    used = _used(names[question], question)
    for word in _FORBIDDEN.get(question, ()):
        if word in used:
            raise _Unmet(f"`{word}` is not allowed here", "The description lists what is not allowed.")
    tensors = [(name, one) for name, one in names.items() if hasattr(type(one), "is_inference")]
    before = [(name, one, one._version, one.clone()) for name, one in tensors if not one.is_inference()]
    try:
        function()
    finally:
        for name, one, version, copy in before:
            if one._version != version:
                one.data = copy.detach()
                raise _Unmet(f"it changes {name}", _WRITES)


def _used(answer, itself):
    """Return the names and operators that a function uses, with those of functions inside it."""
    codes, used = [answer.__code__] if hasattr(answer, "__code__") else [], set()
    for code in codes:
        codes += [inner for inner in code.co_consts if hasattr(inner, "co_code")]
        for step in dis.get_instructions(code):
            if step.argval in code.co_names and (step.opname, step.argval) != ("LOAD_GLOBAL", itself):
                used.add(step.argval.strip("_"))
            if step.opname.startswith(("BINARY_", "INPLACE_")):
                used.add("@" if "MATRIX" in step.opname else step.argrepr.strip("="))
    return used


def _described(error, question, function):
    """Return the call that led to an error, and what the error says, with the student's own line."""
    trace, call, own = error.__traceback__, "", ""
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
            and (code.co_filename in answered or not own)
        ):
            own = f"  your line {line}: {linecache.getline(code.co_filename, line).strip()}"
        trace = trace.tb_next
    said = " ".join(str(error).split())[:300]
    if isinstance(error, NotImplementedError) and own:
        return [f"{question}: not filled in yet"]
    if isinstance(error, _Unmet):
        return [f"{call or question}: {error.args[0]}", *(f"  {line}" for line in error.args[1:] if line)]
    if isinstance(error, AssertionError) and not own:
        return [said or f"{question}: this should hold", f"  {call}"]
    nothing = f"  Does {question} return its result?" if "'NoneType' object" in said else ""
    return [f"{call or question}: {type(error).__name__}", f"  {said}".rstrip(), own or nothing]


def _called(file, line, local):
    """Return the call on a line of a check as one would type it, with small values for the check's names."""
    for node in ast.walk(ast.parse("".join(linecache.getlines(file)))):
        if isinstance(node, (ast.Expr, ast.Assign)) and node.lineno <= line <= node.end_lineno:
            call, name = node.value, ast.unparse(node.value).partition("(")[0]
            if name in ("expect_raises", "expect_unchanged", "expect_gradients"):
                function, *arguments = call.args[name == "expect_raises" :]
                call = ast.Call(function, arguments, [])
            elif name.startswith("expect"):
                call = call.args[0]
            plain = ast.unparse(call)
            for part in ast.walk(call):
                if isinstance(part, ast.Name) and len(_typed(local.get(part.id))) < 70:
                    part.id = _typed(local.get(part.id)) or part.id
            return min(ast.unparse(call), plain, key=lambda text: len(text) > 110)[:110]
        if isinstance(node, ast.Assert) and node.lineno <= line <= node.end_lineno:
            return f"assert {ast.unparse(node.test)}"
    return ""


def _typed(value):
    """Return a value as one would type it; nothing for None and objects of other kinds."""
    if hasattr(value, "tolist"):
        if not type(value).__module__.startswith("torch"):
            return f"np.array({_typed(value.tolist())})"
        return f"torch.tensor({_typed(value.tolist())})" + ".double()" * ("float64" in str(value.dtype))
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_typed, value))}]"
    if isinstance(value, float) and abs(value) < 1e4:
        return f"{value:.4g}" + "." * (value == int(value))
    return repr(value) if isinstance(value, (int, float, str, dict, set)) else ""


def _kind(value):
    if hasattr(value, "dtype"):
        form = f" of shape {tuple(value.shape)}, {value.dtype}".replace("torch.", "")
        return type(value).__name__.replace("Parameter", "Tensor").lower() + form
    return "None; is a `return` missing?" if value is None else f"{type(value).__name__} {_typed(value)}"[:90]


def _leaves(value, place=()):
    """Yield what a tensor, an array or nested lists hold, each with its place."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(value, (list, tuple)):
        yield place, value
    for number, each in enumerate(value) if isinstance(value, (list, tuple)) else ():
        yield from _leaves(each, (*place, number))


def _unlike(wrong, expected, yours, *more):
    """Return what is wrong with a result, beside what was expected."""
    return _Unmet(wrong, f"expected  {expected}", f"yours     {yours}", *more)


def expect(holds, why):
    """Expect a condition."""
    if not holds:
        raise _Unmet("this should hold", why)


def expect_shape(actual, shape, why=""):
    """Expect a tensor of this shape, and return it."""
    if not hasattr(actual, "dtype") or tuple(actual.shape) != tuple(shape):
        raise _unlike("another shape", f"tensor of shape {tuple(shape)}", _kind(actual), why)
    return actual


def expect_close(actual, expected, why="", atol=None):
    """Expect these values, and return them; a tensor stands for its shape and dtype too, a list does not."""
    if hasattr(expected, "dtype") and _kind(actual) != _kind(expected):
        same = hasattr(actual, "dtype") and actual.shape == expected.shape
        more = "Something that you make or convert has a dtype of its own." if same else why
        raise _unlike("another dtype" if same else "another shape", _kind(expected), _kind(actual), more)
    right, found = dict(_leaves(expected)), dict(_leaves(actual))
    if right.keys() != found.keys():
        raise _unlike("another form", _typed(expected), _kind(actual), why)
    atol = atol or (1e-9 if "64" in str(getattr(expected, "dtype", "")) else 1e-4)
    for place, one in right.items():
        other = found[place]
        near = isinstance(one, (int, float)) and abs(one - other) <= atol * max(1, min(abs(one), 1e9))
        if one == other or near:
            continue
        rows = [_typed([row[p] for p in row if p[:-1] == place[:-1]][:8]) for row in (right, found)]
        short = [_typed(one), _typed(other)]
        short = short if short[0].strip(".") != short[1].strip(".") else [repr(one), repr(other)]
        first = f"first difference at {list(place)}: {short[0]} expected, {short[1]} found" if place else ""
        raise _unlike("wrong values", *(rows if place else short), first, why)
    return actual


def expect_gradient(result, source, expected=None, why=""):
    """Expect that a gradient of a result's sum reaches a tensor, and perhaps its values."""
    gradient = None
    if getattr(result, "requires_grad", False) and source.requires_grad:
        grad = sys.modules["torch"].autograd.grad
        (gradient,) = grad(result.sum(), [source], retain_graph=True, allow_unused=True)
    if gradient is None:
        lost = "Which step leaves torch: item(), tolist(), detach(), torch.tensor()?"
        raise _Unmet("no gradient flows back", f"to the {_kind(source)}", why or lost)
    if expected is not None:
        try:
            expect_close(gradient, expected, why)
        except _Unmet as error:
            raise _Unmet(f"{error.args[0]} of the gradient", *error.args[1:]) from None


def expect_parameters(module, names, *inputs):
    """Expect a module to have just these parameters, in this order, and a call to send a gradient to each."""
    found = " ".join(dict(module.named_parameters()))
    if found != names:
        order = "Their order is that of being made." if {*found.split()} == {*names.split()} else ""
        raise _unlike("other parameters", names, found or "none", order)
    for name, one in module.named_parameters():
        expect_gradient(module(*inputs), one, why=f"{name} is frozen, or not used.")


def set_weights(module, **values):
    """Write values into the matrices of these names, and 0 into the rest of all parameters."""
    for one in module.parameters():
        one.data.zero_()
    for name, value in values.items():
        weight = getattr(getattr(module, name), "weight", getattr(module, name))
        block = sys.modules["torch"].as_tensor(value, dtype=weight.dtype)
        weight.data[tuple(map(slice, block.shape))] = block


def expect_unchanged(function, *arguments):
    """Expect that a call leaves its arguments as they were, and return its result."""
    before = [dict(_leaves(each)) for each in arguments]
    result = function(*arguments)
    for number, each in enumerate(arguments):
        if dict(_leaves(each)) != before[number]:
            raise _Unmet(f"it changes argument {number + 1}", _WRITES)
    return result


def expect_gradients(function, *arguments):
    """Expect that a call leaves its arguments as they were, and sends a gradient to each tensor of floats."""
    expect_unchanged(function, *arguments)
    sources = [one for one in arguments if "float" in str(getattr(one, "dtype", ""))]
    for one in sources:
        one.requires_grad_()
    for one in sources:
        expect_gradient(function(*arguments), one)


def expect_raises(kinds, function, *arguments, why=""):
    """Expect an error of this name, or of one of several."""
    kinds, wrong = (kinds,) if isinstance(kinds, str) else kinds, "no error"
    try:
        yours = _kind(function(*arguments))
    except NotImplementedError:
        raise
    except Exception as error:
        if set(kinds) & {kind.__name__ for kind in type(error).__mro__}:
            return
        yours, wrong = f"{type(error).__name__}: {error}", "another error"
    raise _unlike(wrong, " or ".join(kinds), yours, why)


def _hints(question):
    """Return the hints that fit what the check of a question has said, those that always fit last."""
    hints = [*_HINTS.get(question, ()), *_HINTS.get("*", ())]
    fitting = [each for each in hints if re.search(each[0], _SAID.get(question, ""))]
    return sorted(fitting, key=lambda each: not each[0])


def _first_hint(question):
    """Yield the hint that a check ends with, where one fits what it has found."""
    for when, text in _hints(question)[: "filled in" not in _SAID[question]]:
        if when:
            _GIVEN.setdefault(question, {})[text] = True
        yield f"  hint: {text}" if when else f'  hint("{question}") gives a hint'
        return


def hint(question):
    """Print the next hint: what fits the mistake that the check has found comes first, the plainest last."""
    texts, given = [text for _, text in _hints(question)], _GIVEN.setdefault(question, {})
    for text in ([text for text in texts if text not in given] or texts[-1:])[:1]:
        given[text] = True
        print(f"hint {texts.index(text) + 1} of {len(texts)} for {question}: {text}")
    if not texts:
        print(f"there are no hints for {question}")


_WRITES = "Which line writes into it: `+=`, a method that ends in _, or an index on the left?"
_SAID, _GIVEN = {}, {}  # by question: what its check has found, and the hints that were given
_FORBIDDEN, _HINTS = {}, {}  # of this exercise, by question
