"""A page as a browser would read it."""

from html.parser import HTMLParser


class Page(HTMLParser):
    """What stands on a page: its tags and texts, and all that could lead or load something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.handlers: set[str] = set()  # such as onclick
        self.links: list[str] = []
        self.loads: set[str] = set()
        self.words = ""
        self.ids: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in ((name, value or "") for name, value in attrs):
            if name.startswith("on"):
                self.handlers.add(value)
            elif name == "id":
                self.ids.append(value)
            elif tag == "a" and name == "href":
                self.links.append(value)
            elif name in ("src", "href", "xlink:href", "srcset", "data", "action"):
                self.loads.add(value)

    def handle_data(self, data: str) -> None:
        if self.lasttag != "style" or "body {" not in data:
            self.words += data
