# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The page of a running `weir serve`, open in a real browser."""

import base64
import contextlib
import json

from check_results import expect
from rig.chromium import Browser
from rig.workspace import Workspace
from stage import waiting

# Seconds that the page may take for an immediate action.
LIMIT = 30

# JavaScript: the most frequent colour in each cell of the piece map.
CELLS = """
    (() => {
        const map = document.getElementById("map"), {cellWidth, cellHeight, columns, bytesPerCell, length} = map.dataset;
        const [wide, high] = [Number(cellWidth), Number(cellHeight)], context = map.getContext("2d");
        return [...Array(Math.ceil(length / bytesPerCell)).keys()].map(index => {
            const [x, y] = [index % columns * wide, Math.floor(index / columns) * high];
            const pixels = context.getImageData(x, y, wide, high).data, counts = {};
            for (let at = 0; at < pixels.length; at += 4) {
                if (pixels[at + 3] < 255) continue;
                const colour = [...pixels.slice(at, at + 3)].map(part => part.toString(16).padStart(2, "0")).join("");
                counts[colour] = (counts[colour] || 0) + 1;
            }
            return Object.entries(counts).sort((left, right) => right[1] - left[1])[0]?.[0] ?? "";
        });
    })()
"""

# JavaScript: the state for each colour of the piece map, from CSS.
COLOURS = """
    Object.fromEntries(["not-held", "wanted", "fetched", "part", "held", "verified", "bad"].map(state => {
        const context = new OffscreenCanvas(1, 1).getContext("2d");
        context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(`--state-${state}`);
        context.fillRect(0, 0, 1, 1);
        const pixel = [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
        return [pixel.map(part => part.toString(16).padStart(2, "0")).join(""), state];
    }))
"""


class Page:
    """A tab with a page in it."""

    def __init__(self, browser, session=None):
        self.browser = browser
        self.session = session or browser.session

    def ask(self, method, **parameters):
        self.browser.session = self.session
        return self.browser.ask(method, **parameters)

    def evaluate(self, expression):
        self.browser.session = self.session
        return self.browser.evaluate(expression)

    def open(self, address):
        """Opens an address; returns when the previous document has gone."""
        self.evaluate("window.isLeft = true")
        self.ask("Page.navigate", url=address)
        # If only the fragment changes, the document stays.
        if "#" not in address:
            self.until("window.isLeft !== true", "another document")
        return self

    def until(self, expression, what):
        """Waits until an expression is true in the page."""
        return waiting.until(lambda: self.evaluate(expression), LIMIT, what, pause=0.05)

    def until_connected(self):
        self.until('document.documentElement?.dataset.connection === "open"', "the page's connection")
        return self

    def text(self, name):
        return self.evaluate(f"document.getElementById({json.dumps(name)}).innerText")

    def press(self, name):
        """Presses a button by its identifier, as a person does: it must be visible and enabled."""
        self.until(f"(e => e && !e.disabled && e.offsetParent !== null)(document.getElementById({json.dumps(name)}))",
                   f"the button {name}")
        self.evaluate(f"document.getElementById({json.dumps(name)}).click()")

    def names(self):
        """The texts of the list's rows."""
        return self.evaluate('[...document.querySelectorAll("#list > li")].map(row => row.innerText)')

    def open_resource(self, name):
        """Opens a resource by its name."""
        row = f"""[...document.querySelectorAll("#list > li")].find(row => row.innerText.includes({json.dumps(name)}))"""
        try:
            self.until(f"{row} !== undefined", f"{name} in the list")
        except waiting.TookTooLong as late:
            raise waiting.TookTooLong(f"{late}; there are {self.names()}") from None
        self.evaluate(f"{row}.querySelector('button').click()")
        self.until(f'document.getElementById("detail-title").innerText.includes({json.dumps(name)})', "its details")
        self.until('document.getElementById("map").dataset.columns > 0', "its piece map")

    def cells(self):
        """The states of the cells of the piece map, by their drawn colours."""
        colours = self.evaluate(COLOURS)
        return [colours.get(colour, f"#{colour}") for colour in self.evaluate(CELLS)]

    def faults(self, axe):
        """The serious and critical faults that axe finds in the page."""
        if not self.evaluate('typeof axe === "object"'):
            self.evaluate(f"{axe}; null")
        found = self.evaluate("axe.run(document, {resultTypes: ['violations']}).then(result => result.violations.map("
                              "fault => [fault.impact, fault.id, fault.nodes.map(node => node.target.join(' ')).slice(0, 3)]))")
        return [fault for fault in found if fault[0] in ("serious", "critical")]

    def picture(self, path, width, height, is_dark=False):
        """Writes a picture of the page at a given size."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"},
        ])
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))")
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))


@contextlib.contextmanager
def browser(stage, *options):
    """A browser with one tab, which records the requests of its pages."""
    with Workspace(stage, "browser") as workspace:
        found = Browser(workspace, LIMIT, *options)
        page = Page(found)
        page.ask("Network.enable")
        page.ask("Page.enable")
        yield page


def another_tab(page):
    """Another tab of the same browser."""
    other = Page(page.browser, page.browser.open_tab())
    other.ask("Network.enable")
    return other


def asked(page):
    """The addresses that pages of the browser have requested."""
    return [event["request"]["url"] for method, event in page.browser.events if method == "Network.requestWillBeSent"]


def expect_no_faults(page, axe, what):
    faults = page.faults(axe)
    expect(not faults, f"{what}: {faults}")
