# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""VLC, controlled over its command line interface."""

import contextlib
import hashlib
import re
import time

from stage import waiting
from stage.players import PlayerFailed

from .child import Child
from .plan import follow
from .workspace import Workspace

OPTIONS = """
    --intf luaintf --lua-intf cli --no-color --ignore-config --no-media-library --no-interact
    --no-metadata-network-access --vout dummy --aout dummy --avcodec-hw none --no-osd --play-and-exit
    --snapshot-format png --no-snapshot-preview --snapshot-prefix picture --snapshot-sequential
""".split()

PROMPT = b"> "

# A line of VLC itself, which begins with the number of an object.
OWN = re.compile(r"\[[0-9a-f]{16}\] .*(?:\n|$)")

# The decoder's messages when a seek discards its pictures.
HARMLESS = ("get_buffer() failed", "thread_get_buffer() failed", "decode_slice_header error", "no frame!")


class VLC:
    name = "vlc"

    def __init__(self, stage):
        self.stage = stage

    def play(self, url, plan):
        with Workspace(self.stage, self.name, is_humble=True) as workspace:
            return follow(self.name, Run(workspace, url, plan), plan)


class Run:
    """A run of VLC. Its positions are whole seconds: VLC reports no fractions."""

    def __init__(self, workspace, url, plan):
        self.workspace = workspace
        self.plan = plan
        self.begun = time.monotonic()
        self.child = Child(workspace, ["vlc", *OPTIONS, "--snapshot-path", workspace.folder, url])
        workspace.callback(self.quit)
        self.child.hear(PROMPT, 30)

    def quit(self):
        # VLC may have failed already; then that failure is the one to report.
        with contextlib.suppress(PlayerFailed):
            self.child.say("quit")

    def ask(self, line):
        self.child.say(line)
        return self.child.hear(PROMPT, 30).strip()

    def number(self, line):
        text = self.ask(line)
        return float(text) if text.isdecimal() else 0.0

    def position(self):
        return self.number("get_time")

    def duration(self):
        return self.number("get_length")

    def pause(self):
        self.ask("pause")

    def resume(self):
        self.ask("pause")

    def seek(self, position):
        before = self.picture() if self.plan.has_pictures else None
        self.ask(f"seek {position}")
        limit = self.plan.limit
        what = f"vlc: the seek to {position:.0f} s"
        waiting.until(lambda: abs(self.position() - position) <= 1, limit, what, pause=0.05)
        if self.plan.has_pictures:
            # VLC reports the new time at once, and shows the new picture when it has it.
            waiting.until(lambda: self.snapshot() not in (None, before), limit, f"{what}, its picture", pause=0.05)

    def picture(self):
        """The paused picture; waits for two equal snapshots, because VLC pauses a little after the command."""
        last = None

        def is_steady():
            nonlocal last
            earlier, last = last, self.snapshot()
            return last is not None and last == earlier

        waiting.until(is_steady, self.plan.limit, "vlc: a still picture", pause=0.05)
        return last

    def snapshot(self):
        """A digest of the shown picture; None without a picture, as during a seek."""
        for file in self.workspace.folder.glob("picture*.png"):
            file.unlink()
        self.ask("snapshot")
        try:
            data = waiting.until(self.taken, 1, "vlc's snapshot")
        except waiting.TookTooLong:
            return None
        return hashlib.md5(data).hexdigest()

    def taken(self):
        """The bytes of a snapshot when it is complete."""
        for file in self.workspace.folder.glob("picture*.png"):
            data = file.read_bytes()
            if data.endswith(b"IEND\xaeB`\x82"):
                return data
        if not self.child.is_alive():
            raise self.child.explain("ended")
        return None

    def complaints(self):
        # Only the decoders' lines: VLC itself also complains about parts that this machine lacks, and about pauses.
        # VLC's lines are removed first, because one may interrupt a line of another thread's decoder.
        text = OWN.sub("", self.child.error)
        lines = [line for line in text.splitlines() if re.match(r"\[\w+ @ 0x", line)]
        return [line for line in lines if not line.endswith(HARMLESS)]

    def more(self):
        return {name: int(count) for name, count in re.findall(r"\| (\w+ \w+) *: +(\d+)\r", self.ask("stats"))}
