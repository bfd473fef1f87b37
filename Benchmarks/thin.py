# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Players on a thin line: the wait until the media time moves, through Weir and directly from the origin."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "Checks"))

from results import FEWEST_ROUNDS  # noqa: E402
from rig import cells  # noqa: E402
from stage.stage import Stage  # noqa: E402

# One file for each player.
CELLS = [cell for cell in cells.CELLS if cell.file in ("film.mp4", "song.opus")]
WHAT = {"start": "cold start", "seek": "seek to 80 %", "back": "seek back"}


def seeks(results):
    """Directly from the origin, and through Weir, each in its own play."""
    with Stage("bench") as stage:
        for cell in CELLS:
            measures = {
                moment: f"{cell} on a line of 3 times its bit rate and 40 ms: {WHAT[moment]}, media time moves"
                for moment in cells.MOMENTS
            }
            for number, name in results.turns(("straight", "weir"), FEWEST_ROUNDS, warm_up=0):
                for moment, seconds in cells.play(stage, cell, name == "weir").times.items():
                    results.sample(measures[moment], name, number, seconds * 1000, "ms")
            for measure in measures.values():
                results.compare(measure, "straight")
