__all__ = [
    "NotOverError",
    "Proof",
    "Strength",
    "build_sources",
    "create",
    "create_course",
    "entry",
    "fill",
    "other_answers",
    "prove",
    "prove_together",
    "release_notebooks",
    "released",
    "right_answers",
    "solved_cells",
    "stale",
    "stubs",
    "write_solutions",
    "write_source",
]

from .answers import fill as fill
from .answers import other_answers as other_answers
from .answers import released as released
from .answers import right_answers as right_answers
from .answers import solved_cells as solved_cells
from .answers import stubs as stubs
from .build import build_sources as build_sources
from .build import write_source as write_source
from .new import create as create
from .new import create_course as create_course
from .new import entry as entry
from .proof import Proof as Proof
from .proving import prove_together as prove_together
from .release import release_notebooks as release_notebooks
from .release import stale as stale
from .solutions import NotOverError as NotOverError
from .solutions import write_solutions as write_solutions
from .strength import Strength as Strength
from .verify import prove as prove
