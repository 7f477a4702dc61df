"""What a question asks its answers to do without, or to keep to: the rules of work by hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill

_INDENT = 8 * " "
# A visible check runs this first. It reads the compiled answer: pytest and grading have no source at hand.
_SCAN = """\
def check_words_of_{question}():
    import dis

    forbidden = \"\"\"
{words}
    \"\"\".split()
    answer, itself = {question}, "{question}"
    codes = [answer.__code__] if hasattr(answer, "__code__") else []
    for code in codes:  # of the function, and then of the functions inside it
        codes += [inner for inner in code.co_consts if hasattr(inner, "co_code")]
        used = set()
        for step in dis.get_instructions(code):
            again = step.opname == "LOAD_GLOBAL" and step.argval == itself
            if step.argval in code.co_names and not again:
                used.add(step.argval.strip("_"))
            if step.opname.startswith(("BINARY_", "INPLACE_")):
                used.add("@" if "MATRIX" in step.opname else step.argrepr.strip("="))
        for word in forbidden:
            assert word not in used, (
                f"{{word}} is not allowed here; see the description of {{itself}}"
            )


check_words_of_{question}()
"""


@dataclass(frozen=True, slots=True)
class Rule:
    """One question's rules; whatever breaks them is held for a person, and proves nothing."""

    forbid: tuple[str, ...] = ()  # names that its code must not use
    operators: frozenset[str] | None = None  # all that torch may run during its calls; None: anything


def with_scan(check: str, question: str, forbidden: Sequence[str]) -> str:
    """Return the text of a check that first looks for the words that its question forbids.

    The first line stays where it is: by that comment the student's kit knows a check.
    """
    title, end, rest = check.partition("\n")
    words = fill(" ".join(forbidden), 80, initial_indent=_INDENT, subsequent_indent=_INDENT)
    return f"{title}{end}{_SCAN.format(question=question, words=words)}\n\n{rest}"
