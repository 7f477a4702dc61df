"""Checks pages by axe-core against WCAG 2.1, levels A and AA."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

_RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
_OPEN = "document.querySelectorAll('details').forEach(details => { details.open = true; })"


def violations(page: Page, within: str = "html") -> list[str]:
    """Return what axe-core finds wrong in a page with all of its folds open, or in what a selector finds."""
    page.evaluate(_OPEN)
    found = Axe().run(page, within, _RULES).response
    assert found["passes"], "axe-core has looked at nothing"
    return [
        f"{one['id']}: {' '.join(node['html'][:200] for node in one['nodes'])}" for one in found["violations"]
    ]
