"""The fonts of pages in tests: those that come with matplotlib, so all machines draw the same letters."""

from pathlib import Path
from xml.sax.saxutils import escape

import matplotlib

FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<dir>{fonts}</dir>
<cachedir>{cache}</cachedir>
<match target="font">
<edit name="antialias"><bool>true</bool></edit>
<edit name="hintstyle"><const>hintslight</const></edit>
<edit name="rgba"><const>none</const></edit>
</match>
<alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
<alias><family>serif</family><prefer><family>DejaVu Serif</family></prefer></alias>
<alias><family>sans-serif</family><prefer><family>DejaVu Sans</family></prefer></alias>
<alias><family>system-ui</family><prefer><family>DejaVu Sans</family></prefer></alias>
</fontconfig>
"""


def write_fonts(folder: Path) -> Path:
    """Write, for programs that use fontconfig, which fonts there are; return the file."""
    folder.mkdir(parents=True, exist_ok=True)
    brought, path = Path(matplotlib.get_data_path()) / "fonts" / "ttf", folder / "fonts.conf"
    text = FONTS.format(fonts=escape(str(brought)), cache=escape(str(folder / "fonts")))
    path.write_text(text, encoding="utf-8")
    return path
