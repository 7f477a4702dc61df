__all__ = [
    "MEANINGS",
    "POLICY",
    "GradebookEntry",
    "GradebookSubmission",
    "Output",
    "QuestionReport",
    "Report",
    "Status",
    "TestReport",
    "Verdict",
    "checked_outputs",
    "clean_html",
    "clean_text",
    "is_picture",
    "load_template",
    "number",
    "one_line",
    "printable",
    "render_feedback",
    "render_markdown",
    "summarize",
    "terminal_line",
    "total",
    "writable",
    "written",
    "xml_text",
]

from .feedback_page import render_feedback as render_feedback
from .gradebook_submission import GradebookEntry as GradebookEntry
from .gradebook_submission import GradebookSubmission as GradebookSubmission
from .outputs import Output as Output
from .outputs import checked_outputs as checked_outputs
from .question_view import MEANINGS as MEANINGS
from .report import QuestionReport as QuestionReport
from .report import Report as Report
from .report import Status as Status
from .report import TestReport as TestReport
from .report import Verdict as Verdict
from .report import summarize as summarize
from .report import total as total
from .report import written as written
from .safe_html import POLICY as POLICY
from .safe_html import load_template as load_template
from .safe_html import render_markdown as render_markdown
from .text import clean_html as clean_html
from .text import clean_text as clean_text
from .text import is_picture as is_picture
from .text import number as number
from .text import one_line as one_line
from .text import printable as printable
from .text import terminal_line as terminal_line
from .text import writable as writable
from .text import xml_text as xml_text
