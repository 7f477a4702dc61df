"""The engine that builds, releases and grades a course of notebooks on any subject."""

import sys

# nbformat imports jsonschema, which imports these two packages if they are installed. Notebooks do not need
# them, and importing rfc3987_syntax takes about a second. None in sys.modules makes an import fail at once.
for _name in ("rfc3987_syntax", "isoduration"):
    sys.modules.setdefault(_name, None)  # type: ignore[arg-type]
