"""Says in a word or two how an answer stands: by its verdict, or by how much of it is right."""

from autograder.report.report import WRONG, Verdict

_NEARLY = 0.75  # of a question's points


def standing(verdict: Verdict, score: float | None, most: float) -> str:
    """Return how an answer stands that got `score` of `most` points.

    The worst test gives a question its verdict, but an answer that got most of the points has not failed.
    """
    if verdict not in WRONG or not score:
        return str(verdict)
    return "nearly right" if score >= _NEARLY * most else "partly right"
