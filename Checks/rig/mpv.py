# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""mpv, controlled over its socket."""

import hashlib
import time

from stage import players, waiting

from .plan import follow
from .workspace import Workspace

# The driver without sound prints these messages after a seek while paused, or if a slow machine falls behind.
HARMLESS = ("[ao/null]", "Audio device underrun", "desynchronisation", "System too slow", "This should not happen")


class Mpv:
    name = "mpv"

    def __init__(self, stage):
        self.stage = stage

    def play(self, url, plan):
        with Workspace(self.stage, self.name) as workspace:
            played = follow(self.name, Run(workspace, url, plan), plan)
            for start in plan.seeks:
                # A second mpv decodes the part after the seek, as fast as possible, with every sample.
                played.digests[start] = players.decoded_by_mpv(url, workspace.environment, workspace.folder, start, plan.after)
            return played


class Run:
    def __init__(self, workspace, url, plan):
        self.workspace = workspace
        self.limit = plan.limit
        self.begun = time.monotonic()
        self.mpv = players.Mpv(workspace, url)

    def position(self):
        if not self.mpv.program.is_alive():
            raise players.PlayerFailed(f"mpv ended with {self.mpv.program.poll()}: {self.mpv.said()}")
        return self.mpv.position()

    def duration(self):
        return self.mpv.ask("get_property", "duration") or 0.0

    def pause(self):
        self.mpv.ask("set_property", "pause", True)

    def resume(self):
        self.mpv.ask("set_property", "pause", False)

    def seek(self, position):
        self.mpv.seek(position)

        def is_over():
            return abs(self.position() - position) < 1 and self.mpv.ask("get_property", "seeking") is False

        waiting.until(is_over, self.limit, f"mpv: the seek to {position:.0f} s", pause=0.02)

    def picture(self):
        file = self.workspace.folder / "picture.png"
        self.mpv.ask("screenshot-to-file", str(file), "video")
        digest = hashlib.md5(file.read_bytes()).hexdigest()
        file.unlink()
        return digest

    def complaints(self):
        lines = (self.mpv.program.error + self.mpv.program.output).splitlines()
        return [line for line in lines if line.strip() and not any(text in line for text in HARMLESS)]

    def more(self):
        return {"dropped": self.mpv.ask("get_property", "decoder-frame-drop-count")}
