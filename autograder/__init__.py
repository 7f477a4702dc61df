"""The engine that builds, releases and grades a course of notebooks; it knows no course content."""

import sys

# jsonschema, which every reader of notebooks imports, looks for this grammar of internationalised addresses.
# Building it takes longer than importing torch, and no notebook is checked for such addresses.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
