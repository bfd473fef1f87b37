# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Players on a thin line: the wait until the media time moves, through Weir beside straight from the origin."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "Checks"))

from rig import cells  # noqa: E402
from stage.stage import Stage  # noqa: E402

WHAT = {"start": "cold start", "seek": "seek to 80 %", "back": "seek back"}


def seeks(results):
    """In turns: of five ratios, the smallest and the largest hold the median between them in 15 of 16 series."""
    with Stage("bench") as stage:
        for cell in cells.CELLS:
            series = {name: {moment: [] for moment in cells.MOMENTS} for name in ("straight", "weir")}
            for number in range(results.rounds(5)):
                # The same number of times first and second, but for one.
                for name in ("straight", "weir") if number % 2 else ("weir", "straight"):
                    for moment, seconds in cells.play(stage, cell, name == "weir").times.items():
                        measure = f"{cell} on a line of 3 times its bit rate and 40 ms: {WHAT[moment]}"
                        series[name][moment].append(results.sample(measure, name, number, seconds * 1000, "ms"))
            for moment in cells.MOMENTS:
                measure = f"{cell} on a line of 3 times its bit rate and 40 ms: {WHAT[moment]}, media time moves"
                results.compare(measure, "straight", series["straight"][moment], series["weir"][moment], "ms")
