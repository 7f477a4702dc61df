__all__ = [
    "ArchiveEntry",
    "ArchiveError",
    "Arrival",
    "Bounds",
    "CollectedLine",
    "EntryError",
    "NamingRules",
    "PatternError",
    "Placing",
    "collect_archives",
    "place",
    "read_entries",
    "read_pattern",
    "read_times",
]

from .archive import read_entries as read_entries
from .arrival import Arrival as Arrival
from .attribution import NamingRules as NamingRules
from .collect import collect_archives as collect_archives
from .entry import ArchiveEntry as ArchiveEntry
from .entry import ArchiveError as ArchiveError
from .entry import Bounds as Bounds
from .entry import EntryError as EntryError
from .names import PatternError as PatternError
from .names import read_pattern as read_pattern
from .placing import Placing as Placing
from .placing import place as place
from .survey import CollectedLine as CollectedLine
from .times import read_times as read_times
