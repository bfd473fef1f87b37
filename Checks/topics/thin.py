# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Players on a thin line of 40 ms: their sound, pictures and requests; in the long form also how soon they play on."""

import statistics
from concurrent.futures import ThreadPoolExecutor

import rig
from check_results import Skipped, equal, expect
from rig import cells
from stage import media
from stage.origin import Origin
from stage.origin import content as origin_content
from stage.stage import Stage
from stage.weir import Weir, cached

SHORT = (cells.Cell("mpv", "film.mp4"), cells.Cell("ffmpeg", "film.mp4"))
ROUNDS = 5
# How much later than without Weir the media time may move: a factor, and a number of seconds.
SHARE, MORE = 1.05, 0.05
# How many requests may follow a seek: for the position, for data around it, and for other data of the player.
AFTER_A_SEEK = 6
# How many received bytes Weir may have dropped when it cancelled a request.
LOST = 32 << 10


def run(results):
    with Stage("thin") as stage:
        if results.is_long:
            for cell in cells.CELLS:
                content(results, stage, cell, lambda: near(stage, cell), lambda: thinly(stage, cell))
                soon(results, stage, cell)
            return
        # Nothing is timed here, so plays may run in parallel.
        with ThreadPoolExecutor(2 * len(SHORT)) as pool:
            plays = [(cell, pool.submit(near, stage, cell), pool.submit(thinly, stage, cell)) for cell in SHORT]
            for cell, one, other in plays:
                content(results, stage, cell, one.result, other.result)


def plan_of(cell):
    return rig.Plan(start=1, seeks=cells.SEEKS, after=0.5, has_pictures=cell.file == "film.mp4")


def near(stage, cell):
    """The same play from a near and fast origin, without Weir: the expected pictures and sound."""
    absence = rig.absence(cell.player)
    if absence:
        raise Skipped(absence)
    data = (media.folder() / cell.file).read_bytes()
    origin = Origin(stage, {f"/{cell.file}": origin_content(data)})
    return rig.PLAYERS[cell.player](stage).play(origin.base + cell.file, plan_of(cell))


def thinly(stage, cell):
    return cells.play(stage, cell, through=True, kind=Weir, plan=plan_of(cell))


def content(results, stage, cell, near, thinly):
    """Expects the right pictures and sound through Weir on the thin line, and a bounded cost at the origin."""
    measured = None
    with results.check(f"{cell}: through Weir on a thin line it plays as from nearby") as check:
        measured = thinly()
        played = measured.played
        equal(rig.faults(played, plan_of(cell), cells.SECONDS), [], "the faults of the play")
        # There is nothing to compare if the player only reports sound. (GStreamer, which then has the whole file at
        # once, may refuse to seek in a near Ogg file.)
        if played.digests or plan_of(cell).has_pictures:
            expect(played.same_as(near()), f"it showed other pictures: {played.facts()}")
        check.figure = f"{len(played.pictures)} seeks, {len(played.digests)} parts decoded"
    if measured:
        with results.check(f"{cell}: no byte is requested twice, and a seek costs few requests") as check:
            check.figure = costs(stage, cell, measured)


def costs(stage, cell, measured):
    steps, requests = measured.played.steps, measured.link.requests
    counts = []
    for number, step in enumerate(steps):
        end = steps[number + 1].begun if number + 1 < len(steps) else step.begun + step.seconds
        counts.append(sum(step.begun <= asked.time < end for asked in requests))
    received = measured.weir.summary().origin_bytes
    entry = cached(stage, measured.weir.cache)[cell.file]
    came, held, length = (f"{count / 1e6:.2f}" for count in (received, entry["heldBytes"], entry["bytes"]))
    figure = (f"{len(requests)} requests, {' and '.join(map(str, counts))} of them after the seeks; "
              f"{came} MB came, {held} of {length} MB are held")
    # The received bytes are rounded in the report. A check of held bytes takes 4 KiB, and a cancelled fetch may have
    # a few received pieces that were not kept.
    expect(received <= entry["heldBytes"] * 1.01 + LOST * len(requests), figure)
    if max(counts) > AFTER_A_SEEK:
        # In some formats, a player searches by halves: then the whole play costs no more requests than without Weir.
        # A single seek may cost more: held bytes arrive at once, and the player requests the bytes behind them
        # before it looks elsewhere.
        straight = len(cells.play(stage, cell, through=False, plan=plan_of(cell)).link.requests)
        figure += f"; straight {straight} requests"
        expect(len(requests) <= straight, figure)
    return figure


def soon(results, stage, cell):
    """Plays through Weir and without Weir, in turns."""
    with results.check(f"{cell}: it resumes as soon as directly from the origin") as check:
        straight, through = {}, {}
        for number in range(ROUNDS):
            pair = [(straight, False), (through, True)]
            # The two kinds take turns at being first.
            for series, is_through in pair if number % 2 else reversed(pair):
                for moment, seconds in cells.play(stage, cell, is_through).times.items():
                    series.setdefault(moment, []).append(seconds)
        medians = {
            moment: (statistics.median(straight[moment]), statistics.median(through[moment])) for moment in straight
        }
        told = (f"{moment} {ours:.2f} s, straight {theirs:.2f} s" for moment, (theirs, ours) in medians.items())
        check.figure = "; ".join(told)
        late = [moment for moment, (theirs, ours) in medians.items() if ours > theirs * SHARE + MORE]
        expect(not late, f"{' and '.join(late)} come later: {check.figure}")
