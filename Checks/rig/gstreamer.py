# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""GStreamer's playbin, in a process of its own."""

import json
import sys
import time
from pathlib import Path

from stage.players import PlayerFailed

from .child import Child
from .plan import follow
from .workspace import Workspace


class GStreamer:
    name = "gstreamer"

    def __init__(self, stage):
        self.stage = stage

    def play(self, url, plan):
        with Workspace(self.stage, self.name) as workspace:
            return follow(self.name, Run(workspace, url, plan), plan)


class Run:
    def __init__(self, workspace, url, plan):
        self.limit = plan.limit
        workspace.environment["GST_REGISTRY"] = str(workspace.folder.parent / "gstreamer.registry")
        workspace.environment |= {"GST_DEBUG": "libav:1", "GST_DEBUG_NO_COLOR": "1"}
        self.begun = time.monotonic()
        self.child = Child(workspace, [sys.executable, Path(__file__).with_name("playbin.py"), url])
        self.child.name = GStreamer.name

    def ask(self, *words):
        self.child.say(json.dumps(words))
        answer = json.loads(self.child.hear(b"\n", self.limit + 10))
        if answer["error"]:
            raise PlayerFailed(f"gstreamer: {answer['error']}")
        return answer["value"]

    def position(self):
        return self.ask("position")

    def duration(self):
        return self.ask("duration")

    def pause(self):
        self.ask("pause")

    def resume(self):
        self.ask("resume")

    def seek(self, position):
        self.ask("seek", position, self.limit)

    def picture(self):
        return self.ask("picture")

    def complaints(self):
        errors = [line for line in self.child.error.splitlines() if " ERROR " in line]
        return self.ask("warnings") + errors

    def more(self):
        return {"shown": self.ask("shown")}
