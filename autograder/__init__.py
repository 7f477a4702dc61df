"""The engine that builds, releases and grades a course of notebooks; it knows no course content."""

import sys

# nbformat imports jsonschema, which imports these two packages if they are installed. The first import takes
# longer than the import of torch, and notebooks need neither package. With None in sys.modules, an import
# fails at once.
for _name in ("rfc3987_syntax", "isoduration"):
    sys.modules.setdefault(_name, None)  # type: ignore[arg-type]
