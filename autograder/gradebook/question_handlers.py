"""Serves the pages of written questions in nbgrader's formgrader, and saves the grades from these pages."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from nbgrader.server_extensions.formgrader import handlers
from nbgrader.server_extensions.formgrader.base import BaseApiHandler, check_notebook_dir, check_xsrf
from nbgrader.server_extensions.formgrader.formgrader import FormgradeExtension
from tornado import web

from autograder.course.course import Course, load_course
from autograder.errors import AutograderError
from autograder.gradebook.formgrader import grader_name
from autograder.gradebook.question_page import FILES, render_problem, render_question, render_questions
from autograder.gradebook.written_answers import (
    Change,
    ChangedAnswerError,
    WrittenAnswer,
    WrittenQuestion,
    apply_rubric,
    find_question,
    read_answers,
    save,
)

_TEMPLATES = Path(__file__).with_name("formgrader_pages")  # templates that replace those of nbgrader
# Only scripts from this server may run. The page has only one script, question.js.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)


def _guarded(method: Callable[..., None]) -> Callable[..., Any]:
    """Admit only users who may use nbgrader's pages."""
    return web.authenticated(check_xsrf(check_notebook_dir(method)))


class _Page(BaseApiHandler):  # type: ignore[misc]
    """A page that this project adds to the formgrader."""

    @property
    def content_security_policy(self) -> str:
        return _POLICY

    @property
    def course(self) -> Course:
        """The course. Each request loads it again, since its files may have changed."""
        return load_course(Path(self.coursedir.root))


class QuestionHandler(_Page):
    """The page of a written question."""

    @_guarded
    def get(self, exercise: str, name: str) -> None:
        """Reply with the page, or with the reason why there is none."""
        try:
            question = find_question(self.course, exercise, name)
            apart = self.get_argument("apart", "") == "1"
            session, grader = self.gradebook.db(), grader_name(self.current_user)
            self.write(str(render_question(session, question, self.base_url, grader, apart=apart)))
        except AutograderError as error:
            self.set_status(404)
            self.write(str(render_problem(str(error), self.base_url)))


class QuestionsHandler(_Page):
    """The list of all written questions."""

    @_guarded
    def get(self) -> None:
        """Reply with a page of all written questions, with links and numbers of answers."""
        self.write(str(render_questions(self.gradebook.db(), self.course, self.base_url)))


class AnswersHandler(_Page):
    """Returns and saves the grades of all answers to a written question."""

    @_guarded
    def get(self, exercise: str, name: str) -> None:
        """Reply with the grades of all answers."""
        self._answer(exercise, name, lambda question: read_answers(self.gradebook.db(), question))

    @_guarded
    def put(self, exercise: str, name: str) -> None:
        """Save new grades of some answers, or apply a changed rubric to these answers."""
        grader = grader_name(self.current_user)

        def saved(question: WrittenQuestion) -> list[WrittenAnswer]:
            body = self.get_json_body()
            change = Change.from_json(body)
            if body.get("rubric") is True:
                change.refuse_old_rubric(question)
                return apply_rubric(self.gradebook, question, change.versions, grader)
            return save(self.gradebook, question, change, grader)

        self._answer(exercise, name, saved)

    def _answer(
        self, exercise: str, name: str, act: Callable[[WrittenQuestion], list[WrittenAnswer]]
    ) -> None:
        """Reply with the grades that `act` returns. If `act` fails, reply with the problem and all grades."""
        problem, question = "", None
        try:
            question = find_question(self.course, exercise, name)
            answers = act(question)
        except AutograderError as error:
            self.set_status(409 if isinstance(error, ChangedAnswerError) else 400)
            problem = str(error)
            answers = read_answers(self.gradebook.db(), question) if question else []
        states = {answer.grade_id: answer.state(question.items) for answer in answers} if question else {}
        self.write({"problem": problem, "states": states})


PAGES = [
    (r"/formgrader/questions/?", QuestionsHandler),
    (r"/formgrader/question/([^/]+)/([^/]+)/?", QuestionHandler),
    (r"/formgrader/api/question/([^/]+)/([^/]+)", AnswersHandler),
    (r"/formgrader/question_page/(.*)", web.StaticFileHandler, {"path": str(FILES)}),
]


def install() -> None:
    """Add the pages, and links to them in nbgrader's pages, to the formgrader before it starts."""
    if PAGES[0] in handlers.default_handlers:
        return
    handlers.default_handlers += PAGES
    init = FormgradeExtension.init_tornado_settings

    def init_with_links(extension: Any, webapp: Any) -> None:
        init(extension, webapp)
        webapp.settings["nbgrader_jinja2_env"].loader.searchpath.insert(0, str(_TEMPLATES))

    FormgradeExtension.init_tornado_settings = init_with_links
