__all__ = [
    "ArchiveEntry",
    "ArchiveError",
    "Bounds",
    "CollectedLine",
    "EntryError",
    "NamingRules",
    "PatternError",
    "Placing",
    "PlacingError",
    "RosterError",
    "collect_archives",
    "place",
    "read_entries",
    "read_pattern",
    "read_roster",
]

from .archive import read_entries as read_entries
from .collect import CollectedLine as CollectedLine
from .collect import collect_archives as collect_archives
from .entry import ArchiveEntry as ArchiveEntry
from .entry import ArchiveError as ArchiveError
from .entry import Bounds as Bounds
from .entry import EntryError as EntryError
from .naming import NamingRules as NamingRules
from .pattern import PatternError as PatternError
from .pattern import read_pattern as read_pattern
from .placing import Placing as Placing
from .placing import PlacingError as PlacingError
from .placing import place as place
from .roster import RosterError as RosterError
from .roster import read_roster as read_roster
