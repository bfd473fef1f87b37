# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Players on a thin line of 40 ms: what they see and what is asked; in the long form also how soon they play on."""

import statistics
from concurrent.futures import ThreadPoolExecutor

import rig
from board import Skipped, equal, expect
from rig import cells
from stage import media
from stage.origin import Origin
from stage.origin import content as origin_content
from stage.stage import Stage
from stage.weir import Weir, cached

SHORT = (cells.Cell("mpv", "film.mp4"), cells.Cell("ffmpeg", "film.mp4"))
ROUNDS = 5
# How much later than straight the media time may move: a share, and so many seconds.
SHARE, MORE = 1.05, 0.05
# How many requests may follow a seek: the place, what lies around it, and what a player asks beside it.
AFTER_A_SEEK = 6
# How much of what came for a request may have been dropped when it was given up.
LOST = 32 << 10


def run(board):
    with Stage("thin") as stage:
        if board.is_long:
            for cell in cells.CELLS:
                content(board, stage, cell, lambda: near(stage, cell), lambda: thinly(stage, cell))
                soon(board, stage, cell)
            return
        # Nothing is timed here, so they may play side by side.
        with ThreadPoolExecutor(2 * len(SHORT)) as pool:
            plays = [(cell, pool.submit(near, stage, cell), pool.submit(thinly, stage, cell)) for cell in SHORT]
            for cell, one, other in plays:
                content(board, stage, cell, one.result, other.result)


def plan_of(cell):
    return rig.Plan(start=1, seeks=cells.SEEKS, after=0.5, has_pictures=cell.file == "film.mp4")


def near(stage, cell):
    """The same from an origin that is near and fast, without Weir: what it must look and sound like."""
    absence = rig.absence(cell.player)
    if absence:
        raise Skipped(absence)
    data = (media.folder() / cell.file).read_bytes()
    origin = Origin(stage, {f"/{cell.file}": origin_content(data)})
    return rig.PLAYERS[cell.player](stage).play(origin.base + cell.file, plan_of(cell))


def thinly(stage, cell):
    return cells.play(stage, cell, through=True, kind=Weir, plan=plan_of(cell))


def content(board, stage, cell, near, thinly):
    """What a player sees through Weir on the thin line, and what that costs at the origin."""
    measured = None
    with board.check(f"{cell}: through Weir on a thin line, as from nearby") as check:
        measured = thinly()
        played = measured.played
        equal(rig.faults(played, plan_of(cell), cells.SECONDS), [], "what is not as it must be")
        # Of a player that only sounds there is nothing to compare. (GStreamer, which then has the whole at once, may
        # refuse to seek in Ogg from nearby.)
        if played.digests or plan_of(cell).has_pictures:
            expect(played.same_as(near()), f"it shows something else: {played.facts()}")
        check.figure = f"{len(played.pictures)} seeks, {len(played.digests)} parts decoded"
    if measured:
        with board.check(f"{cell}: no byte is asked for twice, and a seek costs few requests") as check:
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
    # What came is rounded where it is told; a look at what is held takes 4 KiB, and what had come of a fetch that was
    # given up, and was not kept, a few pieces.
    expect(received <= entry["heldBytes"] * 1.01 + LOST * len(requests), figure)
    if max(counts) > AFTER_A_SEEK:
        # A player searches some formats by halves: there the whole costs no more than straight. (Not so each seek: what
        # is held comes at once, and the player asks for what follows before it looks elsewhere.)
        straight = len(cells.play(stage, cell, through=False, plan=plan_of(cell)).link.requests)
        figure += f"; straight {straight} requests"
        expect(len(requests) <= straight, figure)
    return figure


def soon(board, stage, cell):
    """Through Weir and straight, in turns."""
    with board.check(f"{cell}: it plays on as soon as straight from the origin") as check:
        straight, through = {}, {}
        for number in range(ROUNDS):
            pair = [(straight, False), (through, True)]
            # The same number of times first and second, but for one.
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
