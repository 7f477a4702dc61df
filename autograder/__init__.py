"""The engine that builds, releases and grades a course of notebooks; it knows no course content."""

import sys

# jsonschema, which every reader of notebooks imports, looks for grammars of durations and internationalised
# addresses. Building the second takes longer than importing torch, and no notebook is checked for either.
for _name in ("rfc3987_syntax", "isoduration"):
    sys.modules.setdefault(_name, None)  # type: ignore[arg-type]
