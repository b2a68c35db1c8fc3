"""What a piece of HTML or SVG holds, read back by a parser."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"br", "img", "input"}


class Markup(HTMLParser):
    """Elements with their attributes, and the text between them; complains of unbalanced tags."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open, f"left open: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self) -> str:
        return "".join(self.words)

    def tags(self) -> set[str]:
        return {tag for tag, _ in self.elements}

    def all(self, tag: str, css_class: str | None = None) -> list[dict[str, str | None]]:
        found = [attributes for name, attributes in self.elements if name == tag]
        return [a for a in found if css_class is None or css_class in (a.get("class") or "").split()]


HOSTILE = '<b onclick="x()">&amp;"\'</b>'
IPA = "ˌt͡ʃɪ.lɐ̃ŋ.kʰʊ.ɹeɪʒ.nəl"
