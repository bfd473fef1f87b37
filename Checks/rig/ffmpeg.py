# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""ffmpeg takes no commands and does not play in real time; it prints a digest and a time for every frame."""

import hashlib
import time
from fractions import Fraction

from stage import players

from .child import Child
from .plan import Played, Step
from .workspace import Workspace


class FFmpeg:
    name = "ffmpeg"

    def __init__(self, stage):
        self.stage = stage

    def play(self, url, plan):
        with Workspace(self.stage, self.name) as workspace:
            words = ["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", url]
            begin = time.monotonic()
            duration = float(players.run(words, workspace.environment, plan.limit))
            probing = time.monotonic() - begin
            moving, _, started, digest = decode(workspace, url, plan, None, plan.start)
            played = Played(self.name, duration, probing + moving, started, digests={0: digest})
            for asked in plan.seeks:
                begin = time.monotonic()
                moving, landed, reached, played.digests[asked] = decode(workspace, url, plan, asked, plan.after)
                took = time.monotonic() - begin
                played.steps.append(Step(asked, landed, reached, took, moving=moving, begun=begin))
            return played


def decode(workspace, url, plan, start, seconds):
    """How long the first frame took, where it begins, where the last one ends, and a digest of all frames."""
    words = ["ffmpeg", "-nostdin", "-v", "error", "-xerror", "-copyts"]
    words += ["-ss", start] if start is not None else []
    words += ["-t", seconds, "-i", url, "-f", "framemd5", "-flush_packets", 1, "-"]
    begin, child = time.monotonic(), Child(workspace, words)
    text, units, times, first = [], {}, [], None
    for line in child.lines(plan.limit):
        text.append(line)
        if line.startswith("#tb "):
            stream, _, unit = line.removeprefix("#tb ").partition(":")
            units[int(stream)] = Fraction(unit.strip())
        elif line and not line.startswith("#"):
            first = first or time.monotonic() - begin
            stream, _, shown, length, *_ = (word.strip() for word in line.split(","))
            times.append((int(shown) * units[int(stream)], int(length) * units[int(stream)]))
    if not child.has_ended(5) or child.process.returncode:
        raise child.explain(f"ended with {child.process.returncode}")
    if not times:
        raise players.PlayerFailed("ffmpeg decoded nothing")
    landed = min(time for time, _ in times)
    last = max(time + length for time, length in times)
    return first, float(landed), float(last), hashlib.md5("\n".join(text).encode()).hexdigest()
