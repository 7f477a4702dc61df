__all__ = [
    "ClassStatistics",
    "Concern",
    "ExerciseStatistics",
    "GradedWork",
    "MistakeStatistics",
    "QuestionStatistics",
    "class_statistics",
    "read_graded_work",
    "render_dashboard",
    "write_dashboard",
    "write_pages",
    "write_tables",
]

from .concerns import Concern as Concern
from .dashboard import render_dashboard as render_dashboard
from .dashboard import write_dashboard as write_dashboard
from .export import write_tables as write_tables
from .feedback import write_pages as write_pages
from .graded_work import GradedWork as GradedWork
from .graded_work import read_graded_work as read_graded_work
from .question_statistics import QuestionStatistics as QuestionStatistics
from .statistics import ClassStatistics as ClassStatistics
from .statistics import ExerciseStatistics as ExerciseStatistics
from .statistics import MistakeStatistics as MistakeStatistics
from .statistics import class_statistics as class_statistics
