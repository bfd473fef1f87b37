# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Chromium without a window, controlled over the DevTools protocol: with any page, or as a player with a <video>."""

import base64
import contextlib
import fcntl
import hashlib
import json
import os
import select
import time

from stage import waiting
from stage.players import PlayerFailed

from .child import Child
from .plan import follow
from .workspace import Workspace

OPTIONS = """
    --headless --remote-debugging-pipe --no-first-run --no-default-browser-check --no-proxy-server --disable-gpu
    --mute-audio --disable-dev-shm-usage --autoplay-policy=no-user-gesture-required --disable-breakpad
    --disable-background-networking --disable-component-update --disable-sync --disable-extensions
    --window-size=1000,800
""".split()

# Chromium expects the pipes at descriptors 3 and 4; bash moves them there from any number.
LAUNCH = 'exec "${@:3}" 3<&"$1" 4>&"$2"'

PAGE = """
    new Promise(done => {
        document.body.style.margin = 0;
        window.video = document.createElement("video");
        video.muted = true;
        video.style.display = "block";
        video.onloadedmetadata = () => done(null);
        video.onerror = () => done(video.error.message || "error " + video.error.code);
        video.src = %s;
        document.body.append(video);
    })
"""

SEEK = """
    new Promise(done => {
        const shown = %s ? new Promise(is => video.requestVideoFrameCallback(is)) : null;
        video.onseeked = () => Promise.resolve(shown).then(() => done(null));
        video.onerror = () => done(video.error.message || "error " + video.error.code);
        video.currentTime = %s;
    })
"""

MORE = """
    ({
        shown: video.getVideoPlaybackQuality().totalVideoFrames,
        dropped: video.getVideoPlaybackQuality().droppedVideoFrames,
        buffered: [...Array(video.buffered.length).keys()].map(
            index => [video.buffered.start(index), video.buffered.end(index)]),
    })
"""


class Chromium:
    name = "chromium"

    def __init__(self, stage):
        self.stage = stage

    def play(self, url, plan):
        with Workspace(self.stage, self.name) as workspace:
            return follow(self.name, Run(workspace, url, plan), plan)


class Run:
    def __init__(self, workspace, url, plan):
        self.plan = plan
        self.browser = Browser(workspace, plan.limit)
        self.begun = time.monotonic()
        self.expect_none(self.browser.evaluate(PAGE % json.dumps(url)), "to open it")
        self.resume()

    def expect_none(self, error, what):
        if error is not None:
            raise PlayerFailed(f"chromium failed {what}: {error}")

    def position(self):
        self.expect_none(self.browser.evaluate("video.error && (video.error.message || video.error.code)"), "to play")
        return self.browser.evaluate("video.currentTime")

    def duration(self):
        return self.browser.evaluate("video.duration")

    def pause(self):
        self.browser.evaluate("video.pause()")

    def resume(self):
        # The promise of play() waits for data, so it is ignored; the position shows when the video plays.
        self.browser.evaluate("void video.play()")

    def seek(self, position):
        what = f"to seek to {position:.0f} s"
        self.expect_none(self.browser.evaluate(SEEK % (json.dumps(self.plan.has_pictures), position)), what)

    def picture(self):
        width, height = self.browser.evaluate("[video.videoWidth, video.videoHeight]")
        return hashlib.md5(self.browser.picture(width, height)).hexdigest()

    def complaints(self):
        return []

    def more(self):
        return self.browser.evaluate(MORE)


class Browser:
    """A browser with one page; each message is JSON and ends with a NUL, through two pipes."""

    def __init__(self, workspace, limit, *more):
        """`more` are options of the browser."""
        self.limit = limit
        self.number = 0
        self.heard = b""
        # The events of the enabled domains, as (method, parameters).
        self.events = []
        self.session = None
        read, self.output = pipe()
        self.input, write = pipe()
        # root cannot set up the sandbox.
        options = [*OPTIONS, *more, f"--user-data-dir={workspace.folder / 'profile'}"]
        options += ["--no-sandbox"] if os.geteuid() == 0 else []
        words = ["bash", "-c", LAUNCH, "bash", read, write, "chromium", *options, "about:blank"]
        self.child = Child(workspace, words, pass_fds=(read, write))
        self.child.name = "chromium"
        os.close(read)
        os.close(write)
        workspace.callback(os.close, self.output)
        workspace.callback(os.close, self.input)
        workspace.callback(self.close)
        self.session = self.open_tab()

    def open_tab(self):
        """Opens a tab; returns the session for its messages."""
        before, self.session = self.session, None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.session = before
        return session

    def ask(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        try:
            os.write(self.output, json.dumps(message).encode() + b"\0")
        except OSError as error:
            raise self.child.explain(f"ended ({error})") from error
        limit = time.monotonic() + self.limit
        while True:
            answer = json.loads(self.hear(limit, method))
            if "method" in answer:
                self.events.append((answer["method"], answer["params"]))
            if answer.get("id") != self.number:
                continue
            if "error" in answer:
                raise PlayerFailed(f"chromium: {method}: {answer['error']['message']}")
            return answer["result"]

    def hear(self, limit, method):
        while b"\0" not in self.heard:
            if not select.select([self.input], [], [], max(0, limit - time.monotonic()))[0]:
                raise waiting.TookTooLong(f"chromium did not answer {method} within {self.limit} s")
            piece = os.read(self.input, 1 << 20)
            if not piece:
                raise self.child.explain("ended")
            self.heard += piece
        message, _, self.heard = self.heard.partition(b"\0")
        return message

    def open(self, url):
        """Opens a page, and waits until it has a body."""
        self.ask("Page.navigate", url=url)
        there = f"location.href == {json.dumps(url)} && document.readyState == 'complete'"
        waiting.until(lambda: self.evaluate(there), self.limit, f"chromium: opening {url}", pause=0.05)

    def evaluate(self, expression):
        """The value of an expression in the page; if it is a promise, the value that it resolves to."""
        answer = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise PlayerFailed(f"chromium: {answer['exceptionDetails']}"[:400])
        return answer["result"].get("value")

    def picture(self, width, height):
        """A picture of the page's top left corner."""
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        return base64.b64decode(self.ask("Page.captureScreenshot", format="png", clip=clip)["data"])

    def close(self):
        self.session = None
        # The browser may have ended already.
        with contextlib.suppress(PlayerFailed, waiting.TookTooLong):
            self.ask("Browser.close")


def pipe():
    """The two ends of a pipe, with numbers high enough that bash does not use them."""
    ends = []
    for low in os.pipe():
        ends.append(fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, 20))
        os.close(low)
    return ends
