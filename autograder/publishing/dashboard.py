"""Writes the dashboard for instructors: statistics of a class, and submissions that need attention."""

import hashlib
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from statistics import StatisticsError, correlation, fmean, median
from urllib.parse import quote

from autograder.course.answers import Kind
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.guard import OnFailure, SubmissionError, raise_failure, skipping
from autograder.course.source import SourceError
from autograder.diagnosis.misconceptions import load_catalogue
from autograder.files import write_whole
from autograder.gradebook.pages import read_graders
from autograder.publishing.graded_work import GradedWork, read_graded_work
from autograder.report.report import Entry, QuestionReport, Verdict
from autograder.report.safe_html import load_template
from autograder.submission.students import student_names
from autograder.submission.submission import Submission, count_newer_pythons

_TEMPLATE = Path(__file__).with_suffix(".html")
TENTHS = 10
MIN_ANSWERS = 5  # the fewest answers for a correlation
# If a student's share of the points falls by this much from one exercise to the next, this is a concern.
DROP = 0.4
_PLACE = re.compile(r" \(the cell of [^)]*\)")  # the part of a hint that names the cell and line of an error
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_DECIMALS = 9  # sums of scores are rounded to this many decimals, which removes rounding errors
_Answer = tuple[GradedWork, Entry]  # a student's work on an exercise, and the gradebook's entry on a question
_Bar = tuple[str, str, float]  # a bar of a chart: its label, its number, and its length between 0 and 1


@dataclass(frozen=True, slots=True)
class ExerciseStatistics:
    """The submissions for one exercise: their number and their shares of the points."""

    name: str
    handed_in: int  # the number of submissions
    shares: tuple[float, ...]  # each submission's share of the points of tested questions, in ascending order

    @property
    def score_summary(self) -> tuple[float | None, ...]:
        """The lowest, median, mean and highest of `shares`, in percent."""
        if not self.shares:
            return (None,) * 4
        summary = (self.shares[0], median(self.shares), fmean(self.shares), self.shares[-1])
        return tuple(100 * share for share in summary)

    @property
    def histogram(self) -> tuple[int, ...]:
        """The numbers of submissions whose share is 0-9 %, 10-19 %, ... and 90-100 %."""
        counts = Counter(min(max(int(share * TENTHS + 1e-9), 0), TENTHS - 1) for share in self.shares)
        return tuple(counts[tenth] for tenth in range(TENTHS))


@dataclass(frozen=True, slots=True)
class Group:
    """Answers to one question that have the same known mistake, or the same test results."""

    name: str  # the mistake's name, or a hash of the test results
    exercise: str
    question: str
    hint: str
    students: tuple[str, ...]
    answer: str  # the first student's code


@dataclass(frozen=True, slots=True)
class QuestionStatistics:
    """The scores and test results of all answers to one question."""

    exercise: str
    name: str
    points: float
    written: bool
    scores: tuple[float, ...]  # all scores, in the order of the students' ids
    verdicts: tuple[frozenset[Verdict], ...]  # for each answer, the verdicts of the question and of its tests
    discrimination: float | None  # see `_discrimination`
    graded: int  # the number of answers that instructors have graded
    waiting: int  # the number of answers that wait for an instructor

    @property
    def mean(self) -> float | None:
        """The mean score in points."""
        return fmean(self.scores) if self.scores else None

    @property
    def full_marks(self) -> int:
        """The number of students with full marks."""
        return sum(score >= self.points for score in self.scores)

    def count(self, verdict: Verdict) -> int:
        """Return the number of answers with this verdict on the question or on one of its tests."""
        return sum(verdict in verdicts for verdicts in self.verdicts)


@dataclass(frozen=True, slots=True)
class Concern:
    """A submission that an instructor should look at, and the reason."""

    student: str
    exercise: str
    why: str


@dataclass(frozen=True, slots=True)
class ClassStatistics:
    """The content of the dashboard."""

    students: int
    exercises: tuple[ExerciseStatistics, ...]
    questions: tuple[QuestionStatistics, ...]
    mistakes: tuple[Group, ...]
    groups: tuple[Group, ...]
    concerns: tuple[Concern, ...]
    unexplained: int = 0  # the number of submissions whose wrong answers are not explained yet


def class_statistics(works: Iterable[GradedWork]) -> ClassStatistics:
    """Return the statistics of `works`, which must be sorted by exercise and student."""
    by_exercise: dict[str, list[GradedWork]] = defaultdict(list)
    for work in works:
        by_exercise[work.exercise].append(work)
    everything = list(chain.from_iterable(by_exercise.values()))
    return ClassStatistics(
        students=len({work.student for work in everything}),
        exercises=tuple(
            ExerciseStatistics(
                exercise, len(works), tuple(sorted(work.share for work in works if work.share is not None))
            )
            for exercise, works in by_exercise.items()
        ),
        questions=tuple(chain.from_iterable(map(question_statistics, by_exercise.values()))),
        mistakes=_groups(everything, lambda question: question.mistake),
        groups=tuple(group for group in _groups(everything, _results) if len(group.students) > 1),
        concerns=find_concerns(everything),
        unexplained=sum(work.report is not None and not work.report.explained for work in everything),
    )


def _groups(
    works: Iterable[GradedWork], name_of: Callable[[QuestionReport], str | None]
) -> tuple[Group, ...]:
    """Group the answers to each question by the name that `name_of` returns. The largest group comes first.

    Answers for which `name_of` returns None are left out.
    """
    by_name = defaultdict[tuple[str, str, str], list[tuple[GradedWork, QuestionReport]]](list)
    for work in works:
        for question in work.questions.values():
            if name := name_of(question):
                by_name[name, work.exercise, question.name].append((work, question))
    groups = [
        Group(
            *names,
            hint=answers[0][1].hint,
            students=tuple(work.student for work, _ in answers),
            answer=answers[0][0].answers.get(names[-1], ""),
        )
        for names, answers in by_name.items()
    ]
    return tuple(sorted(groups, key=lambda group: -len(group.students)))


def _results(question: QuestionReport) -> str | None:
    """Return a name for the test results of a wrong answer; None for other answers and for known mistakes."""
    if question.mistake is not None or question.verdict not in (Verdict.FAILED, Verdict.CRASHED):
        return None
    results = [(test.title, test.verdict, _PLACE.sub("", test.hint)) for test in question.tests]
    digest = hashlib.sha256(repr((results, question.shown)).encode()).hexdigest()
    return f"{question.name}-{digest[:6]}"


def question_statistics(works: Sequence[GradedWork]) -> Iterator[QuestionStatistics]:
    """Yield the statistics of each question of an exercise. `works` is all students' work on the exercise."""
    questions = {name: entry for work in works for name, entry in work.entries.items()}
    for name, entry in questions.items():
        answers = [(work, work.entries[name]) for work in works if work.questions and name in work.entries]
        reports = [work.questions[name] for work, _ in answers if name in work.questions]
        # Unreadable files do not wait for an instructor, because the students have to hand in new ones.
        readable = [work for work in works if not work.is_unreadable]
        entries = [work.entries[name] for work in readable if name in work.entries]
        yield QuestionStatistics(
            exercise=works[0].exercise,
            name=name,
            points=entry.max_score,
            written=entry.written,
            scores=tuple(answer.score for _, answer in answers if answer.score is not None),
            verdicts=tuple(frozenset({q.verdict, *(test.verdict for test in q.tests)}) for q in reports),
            discrimination=_discrimination(answers),
            graded=sum(each.manual_score is not None and not each.waits for each in entries),
            waiting=sum(each.waits for each in entries),
        )


def _discrimination(answers: Sequence[_Answer]) -> float | None:
    """Return the correlation of a question's scores with the students' totals for the other tested questions.

    Return None if the correlation is undefined, or if there are too few answers.
    """
    pairs = [
        (answer.score, work.score - (0.0 if answer.written else answer.score))
        for work, answer in answers
        if answer.score is not None and work.score is not None
    ]
    if len(pairs) < MIN_ANSWERS:
        return None
    scores, rests = ([round(pair[side], _DECIMALS) for pair in pairs] for side in (0, 1))
    with suppress(StatisticsError):  # raised if all students have equal scores
        return correlation(scores, rests)
    return None


def find_concerns(works: Iterable[GradedWork]) -> tuple[Concern, ...]:
    """Return the concerns about `works`, the most serious first. `works` must be ordered by exercise."""
    scored: dict[str, GradedWork] = {}  # each student's latest work that has a score
    ranked: list[tuple[int, Concern]] = []
    for work in works:
        reasons = (*_unfinished(work), *_falling_behind(work, scored.get(work.student)))
        ranked += [(rank, Concern(work.student, work.exercise, why)) for rank, why in reasons]
        if work.share is not None:
            scored[work.student] = work
    return tuple(concern for _, concern in sorted(ranked, key=lambda pair: pair[0]))


def _unfinished(work: GradedWork) -> Iterator[tuple[int, str]]:
    """Yield each problem that an instructor has to solve, with its rank: 0 is the most serious."""
    waiting = {entry.question for entry in work.tested if entry.waits}
    if work.report is None:
        yield 1, "not graded yet"
    elif work.is_unreadable:
        yield 2, f"unreadable: {work.report.message}"
    questions = [question for question in work.questions.values() if question.name in waiting]
    if names := _names(questions, Verdict.GRADER_ERROR):
        yield 0, f"grader error in {names}"
    if names := _names(questions, Verdict.REVIEW):
        yield 3, f"review of {names}"
    if work.is_late_untimed:
        yield 4, "late according to Canvas, time unknown: collect again with --times"
    for request in work.requests:
        yield 4, request.words


def _falling_behind(work: GradedWork, last: GradedWork | None) -> Iterator[tuple[int, str]]:
    """Yield a concern and its rank if a student attempted nothing, or earned a much lower share than before.

    `last` is the student's latest scored work on an earlier exercise.
    """
    if work.untouched:
        yield 5, "nothing attempted"
    elif last and last.share is not None and work.share is not None and last.share - work.share >= DROP:
        yield 6, f"fell from {last.share:.0%} in {last.exercise} to {work.share:.0%}"


def _names(questions: Iterable[QuestionReport], verdict: Verdict) -> str:
    return ", ".join(question.name for question in questions if question.verdict is verdict)


def write_dashboard(
    course: Course, exercises: Sequence[Exercise], on_failure: OnFailure = raise_failure
) -> Path:
    """Write build/dashboard.html and return its path.

    The dashboard links to the feedback pages that exist. If a submission cannot be processed, it is listed as
    a concern.
    """
    works, concerns = list[GradedWork](), list[Concern]()

    def fail(error: SubmissionError) -> None:
        concerns.append(Concern(error.student, error.exercise, error.problem))
        on_failure(error)

    for work in read_graded_work(course, exercises, fail):
        with skipping(course, work.exercise, work.student, fail):
            # If a submission breaks the statistics, the error is raised here, and the submission is left out.
            class_statistics([work])
            works.append(work)
    newer_pythons = count_newer_pythons(course, exercises, fail)
    statistics = class_statistics(works)
    statistics = replace(statistics, concerns=(*concerns, *statistics.concerns))
    page = load_template(_TEMPLATE).render(
        course_title=course.settings.title,
        statistics=statistics,
        hand_grading=[question for question in statistics.questions if question.waiting or question.graded],
        graders=read_graders(course, exercises),
        score_bars=_score_bars,
        address=partial(_address, course),
        names=student_names(course.root),
        sentences=_sentences(exercises),
        pages=partial(_pages, course),
        has_overview=(course.build / "overview.html").is_file(),
        newer_pythons=newer_pythons,
        our_python=f"{sys.version_info.major}.{sys.version_info.minor}",
        Verdict=Verdict,
        min_answers=MIN_ANSWERS,
    )
    return write_whole(course.build / "dashboard.html", page)


def _sentences(exercises: Iterable[Exercise]) -> dict[tuple[str, str], str]:
    """Return a sentence about each mistake. The keys are pairs of exercise and mistake."""
    sentences = dict[tuple[str, str], str]()
    for exercise in exercises:
        # If a file is invalid, the page shows only the mistakes' names. `verify` reports the error.
        with suppress(SourceError):
            entries = load_catalogue(exercise.catalogue).misconceptions
            sentences |= {(exercise.name, entry.name): entry.sentence for entry in entries}
            mistakes = (answer for answer in exercise.wrong_answers() if answer.kind is Kind.MISTAKE)
            sentences |= {(exercise.name, mistake.name): _statement(mistake.hint) for mistake in mistakes}
    return sentences


def _statement(hint: str) -> str:
    """Return the first statement in a hint. If there are only questions, return the first question."""
    sentences = _SENTENCE.split(hint)
    return next((sentence for sentence in sentences if not sentence.endswith("?")), sentences[0])


def _score_bars(exercise: ExerciseStatistics) -> Iterator[_Bar]:
    """Yield a bar for each number in the histogram, labelled with a range of percentages."""
    width = 100 // TENTHS
    most = max(*exercise.histogram, 1)
    for tenth, submissions in enumerate(exercise.histogram):
        low = tenth * width
        high = 100 if tenth == TENTHS - 1 else low + width - 1
        yield f"{low}\N{EN DASH}{high}", str(submissions), submissions / most


def _address(course: Course, student: str, exercise: str) -> str | None:
    feedback = Submission(course.root, student, exercise).feedback
    return f"../{quote(feedback.relative_to(course.root).as_posix())}" if feedback.is_file() else None


def _pages(course: Course, exercise: str) -> dict[str, list[tuple[str, str]]]:
    """For each FOLDER, return the titles and links of the pages in build/FOLDER/EXERCISE."""
    pages = defaultdict[str, list[tuple[str, str]]](list)
    for folder in sorted(course.build.glob(f"*/{exercise}")):
        for page in sorted(folder.rglob("*.html")):
            title = page.relative_to(folder).with_suffix("").as_posix()
            pages[folder.parent.name].append((title, quote(page.relative_to(course.build).as_posix())))
    return pages
