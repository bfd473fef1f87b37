# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""ffmpeg: no clock and no steering, but every picture and sample has its own digest and time."""

import hashlib
import time
from fractions import Fraction

from stage import players

from .plan import Played, Step
from .seat import Seat


class FFmpeg:
    name = "ffmpeg"

    def __init__(self, stage):
        self.stage = stage

    def play(self, url, plan):
        with Seat(self.stage, self.name) as seat:
            words = ["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", url]
            begin = time.monotonic()
            duration = float(players.run(words, seat.environment, plan.limit))
            opening = time.monotonic() - begin
            _, started, digest = decode(seat, url, plan, None, plan.start)
            played = Played(self.name, duration, opening, started, digests={0: digest})
            for asked in plan.seeks:
                begin = time.monotonic()
                landed, reached, played.digests[asked] = decode(seat, url, plan, asked, plan.after)
                played.steps.append(Step(asked, landed, reached, time.monotonic() - begin))
            return played


def decode(seat, url, plan, start, seconds):
    """Where the first frame begins, where the last one ends, and a digest of all."""
    words = ["ffmpeg", "-nostdin", "-v", "error", "-xerror", "-copyts"]
    words += ["-ss", start] if start is not None else []
    words += ["-t", seconds, "-i", url, "-f", "framemd5", "-"]
    text = players.run(words, seat.environment, plan.limit)
    units, times = {}, []
    for line in text.decode().splitlines():
        if line.startswith("#tb "):
            stream, _, unit = line.removeprefix("#tb ").partition(":")
            units[int(stream)] = Fraction(unit.strip())
        elif line and not line.startswith("#"):
            stream, _, shown, length, *_ = (word.strip() for word in line.split(","))
            times.append((int(shown) * units[int(stream)], int(length) * units[int(stream)]))
    if not times:
        raise players.PlayerFailed("ffmpeg decoded nothing")
    first = min(time for time, _ in times)
    last = max(time + length for time, length in times)
    return float(first), float(last), hashlib.md5(text).hexdigest()
