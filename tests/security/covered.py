"""Which of the places in scripts are reached in a browser, by Chromium's account of what was executed."""

from __future__ import annotations

from tests.security.scripts import all_sinks


class Covered:
    """Which places in scripts the pages of some tests reach.

    Attributes
    ----------
    reached
        The places.
    walks
        Names of the tests that have come to their end.
    """

    def __init__(self):
        self.reached, self.walks, self._sessions, self._sources = set(), set(), {}, {}

    def watch(self, page):
        """Begin with a page, before it opens anything."""
        session = self._sessions[page] = page.context.new_cdp_session(page)
        for command in ("Debugger.enable", "Profiler.enable"):
            session.send(command)
        session.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": True})

    def took(self, page):
        """Note what a page has reached; to be called before it goes elsewhere."""
        session = self._sessions[page]
        for script in session.send("Profiler.takePreciseCoverage")["result"]:
            for sink, at in self._in(session, script["scriptId"]):
                if self._count(script, at) > 0:
                    self.reached.add(sink)

    def _in(self, session, script):
        """Return the places in a script, and where their values begin."""
        from playwright.sync_api import Error

        key = session, script
        if key not in self._sources:
            try:
                source = session.send("Debugger.getScriptSource", {"scriptId": script})["scriptSource"]
            except Error:  # of a page that was left
                source = ""
            found = ((sink, source.find(sink.line)) for sink in all_sinks())
            self._sources[key] = [(s, at + s.line.index(s.value)) for s, at in found if at >= 0]
        return self._sources[key]

    @staticmethod
    def _count(script, at):
        ranges = [each for function in script["functions"] for each in function["ranges"]]
        around = [each for each in ranges if each["startOffset"] <= at < each["endOffset"]]
        return min(around, key=lambda each: each["endOffset"] - each["startOffset"])["count"] if around else 0


def gone(page, act):
    """Do what leads elsewhere, and return the address; the answer there is that there is nothing."""
    asked = []

    def answer(route):
        if not route.request.is_navigation_request():
            route.continue_()
            return
        route.fulfill(status=204)
        asked.append(route.request.url)

    page.route("**/*", answer)
    act()
    for _ in range(900):
        if asked:
            page.unroute("**/*", answer)
            return asked[0]
        page.wait_for_timeout(100)
    raise AssertionError("the page went nowhere")
