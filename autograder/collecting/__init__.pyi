__all__ = [
    "ArchiveEntry",
    "ArchiveError",
    "Bounds",
    "CollectedLine",
    "EntryError",
    "NamingRules",
    "PatternError",
    "Placing",
    "RosterError",
    "collect_archives",
    "place",
    "read_entries",
    "read_pattern",
    "read_roster",
]

from .archive import read_entries as read_entries
from .bounds import ArchiveError as ArchiveError
from .bounds import Bounds as Bounds
from .collect import collect_archives as collect_archives
from .entry import ArchiveEntry as ArchiveEntry
from .entry import EntryError as EntryError
from .instructor import PatternError as PatternError
from .instructor import RosterError as RosterError
from .instructor import read_pattern as read_pattern
from .instructor import read_roster as read_roster
from .naming import NamingRules as NamingRules
from .placing import Placing as Placing
from .placing import place as place
from .survey import CollectedLine as CollectedLine
