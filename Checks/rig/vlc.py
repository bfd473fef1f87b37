# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""VLC, steered over its command line interface."""

import contextlib
import hashlib
import re
import time

from stage import waiting
from stage.players import PlayerFailed

from .child import Child
from .plan import follow
from .seat import Seat

OPTIONS = """
    --intf luaintf --lua-intf cli --no-color --ignore-config --no-media-library --no-interact
    --no-metadata-network-access --vout dummy --aout dummy --avcodec-hw none --no-osd --play-and-exit
    --snapshot-format png --no-snapshot-preview --snapshot-prefix picture --snapshot-sequential
""".split()

PROMPT = b"> "

# A line of VLC's own, behind the number of the object that says it.
OWN = re.compile(r"\[[0-9a-f]{16}\] .*(?:\n|$)")

# What the decoder says when a seek takes its pictures away.
HARMLESS = ("get_buffer() failed", "thread_get_buffer() failed", "decode_slice_header error", "no frame!")


class VLC:
    name = "vlc"

    def __init__(self, stage):
        self.stage = stage

    def play(self, url, plan):
        with Seat(self.stage, self.name, is_humble=True) as seat:
            return follow(self.name, Run(seat, url, plan), plan)


class Run:
    """Positions are whole seconds: that is all it tells."""

    def __init__(self, seat, url, plan):
        self.seat = seat
        self.plan = plan
        self.begun = time.monotonic()
        self.child = Child(seat, ["vlc", *OPTIONS, "--snapshot-path", seat.folder, url])
        seat.callback(self.quit)
        self.child.hear(PROMPT, 30)

    def quit(self):
        # It may have ended already, and not as it should: then that is what is told.
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
            # It tells the new time at once, and shows the new picture when it has it.
            waiting.until(lambda: self.snapshot() not in (None, before), limit, f"{what}, its picture", pause=0.05)

    def picture(self):
        """The picture at which it stands: a pause, too, comes a little after the word."""
        last = None

        def is_steady():
            nonlocal last
            earlier, last = last, self.snapshot()
            return last is not None and last == earlier

        waiting.until(is_steady, self.plan.limit, "vlc: a picture that stands", pause=0.05)
        return last

    def snapshot(self):
        """A digest of what is shown now; None if nothing is, as in the middle of a seek."""
        for file in self.seat.folder.glob("picture*.png"):
            file.unlink()
        self.ask("snapshot")
        try:
            data = waiting.until(self.taken, 1, "vlc's snapshot")
        except waiting.TookTooLong:
            return None
        return hashlib.md5(data).hexdigest()

    def taken(self):
        """The bytes of a snapshot once all are there."""
        for file in self.seat.folder.glob("picture*.png"):
            data = file.read_bytes()
            if data.endswith(b"IEND\xaeB`\x82"):
                return data
        if not self.child.is_alive():
            raise self.child.explain("ended")
        return None

    def complaints(self):
        # Only the decoders: VLC itself also complains about what is not on this machine, and about pauses. Its lines
        # are taken out first, since one may stand within a line of another thread's decoder.
        text = OWN.sub("", self.child.error)
        lines = [line for line in text.splitlines() if re.match(r"\[\w+ @ 0x", line)]
        return [line for line in lines if not line.endswith(HARMLESS)]

    def more(self):
        return {name: int(count) for name, count in re.findall(r"\| (\w+ \w+) *: +(\d+)\r", self.ask("stats"))}
