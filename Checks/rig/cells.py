# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Players and formats on a thin line: three times the bit rate, a round trip of 40 ms; with and without Weir.

    measured = cells.play(stage, cells.CELLS[0], through=True)
    measured.times   # by moment: "start", "seek", "back"
"""

from dataclasses import dataclass

import rig
from check_results import Skipped
from stage import media
from stage.origin import Origin
from stage.weir import Weir

# The length of every fixture, in seconds.
SECONDS = 40
DELAY = 0.04
# Seeks to 80 % and back, to data that a player in real time does not have from the start.
SEEKS = (32, 14)
PLAN = rig.Plan(start=1, seeks=SEEKS, after=0.5, has_pictures=False)
MOMENTS = ("start", "seek", "back")


@dataclass(frozen=True)
class Cell:
    """A player and its file."""

    player: str
    file: str

    def __str__(self):
        return f"{self.player}, {self.file}"


CELLS = [
    Cell("mpv", "film.mp4"), Cell("mpv", "song.flac"),
    Cell("ffmpeg", "film.mp4"), Cell("ffmpeg", "song.flac"),
    Cell("vlc", "film.mp4"), Cell("vlc", "song.mp3"),
    Cell("gstreamer", "song.flac"), Cell("gstreamer", "song.opus"),
    Cell("chromium", "film.mp4"), Cell("chromium", "song.mp3"),
]


class Quiet(Weir):
    verbosity = "--quiet"


class Measured:
    """The results of a play on its own line."""

    def __init__(self, played, link, weir):
        self.played = played
        self.link = link
        # The stopped Weir of the play; None for a play without Weir.
        self.weir = weir

    @property
    def times(self):
        """Seconds until the media time moves: from the start, and after each seek."""
        return dict(zip(MOMENTS, [self.played.opening, *(step.moving for step in self.played.steps)]))


def play(stage, cell, through, kind=Quiet, plan=PLAN):
    """Plays a file cold, over its own line."""
    absence = rig.absence(cell.player)
    if absence:
        raise Skipped(absence)
    data = (media.folder() / cell.file).read_bytes()
    link = rig.Link(3 * len(data) / SECONDS, DELAY)
    origin = Origin(stage, {f"/{cell.file}": link.route(data, f'"{cell.file}"')})
    weir = kind(stage, origin.base) if through else None
    try:
        played = rig.PLAYERS[cell.player](stage).play((weir or origin).base + cell.file, plan)
    finally:
        if weir:
            weir.stop()
        origin.stop()
    return Measured(played, link, weir)
