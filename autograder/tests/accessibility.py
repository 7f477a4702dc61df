"""Checks pages by axe-core against WCAG 2.1, levels A and AA; `make test` installs it into .venv/axe."""

import sys
from pathlib import Path

from playwright.sync_api import Page

AXE = Path(sys.prefix) / "axe" / "node_modules" / "axe-core" / "axe.min.js"
_OPEN = "document.querySelectorAll('details').forEach(details => { details.open = true; })"
_RUN = """async within => {
    const found = await axe.run(within, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']});
    const named = one => `${one.id}: ${one.nodes.map(node => node.html.slice(0, 200)).join(' ')}`;
    return [found.passes.length, found.violations.map(named)];
}"""


def violations(page: Page, within: str = "html") -> list[str]:
    """Return what axe-core finds wrong in a page with all of its folds open, or in what a selector finds."""
    assert AXE.is_file(), "axe-core is missing: run `make axe`"
    page.evaluate(f"() => {{ {AXE.read_text(encoding='utf-8')}; {_OPEN}; }}")
    passed, found = page.evaluate(_RUN, within)
    assert passed > 0, "axe-core has looked at nothing"
    return list(found)
