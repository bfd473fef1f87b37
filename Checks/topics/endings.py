# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Ends by signal and by kill: what was fetched is there afterwards, and nothing wrong."""

import os
import random
import signal
import time

from board import Failed, equal, expect
from stage import media, web
from stage.nginx import Nginx
from stage.stage import Stage
from stage.weir import Weir

READ = 8 << 20


def run(board):
    folder = media.big_folder()
    for number, status in ((signal.SIGTERM, 0), (signal.SIGINT, 130)):
        with Stage("endings") as stage:
            ends_by(board, stage, folder, number, status)
    with Stage("kills") as stage:
        kills(board, stage, folder, 300 if board.is_long else 6)


def ends_by(board, stage, folder, number, status):
    name = number.name
    nginx = Nginx(stage, folder, rate="40m")
    weir = Weir(stage, nginx.base)
    with board.check(f"{name} in mid-play ends serve with {status}, at once") as check:
        download = web.Download(weir.url(media.BIG))
        expect(len(download.read_exactly(READ)) == READ, "the download ended")
        start = time.monotonic()
        equal(weir.stop(number), status, "the exit status")
        took = time.monotonic() - start
        download.leave()
        expect(took < 5, f"it took {took:.1f} s")
        check.figure = f"{took * 1000:.0f} ms"
    nginx.stop()
    with board.check(f"what was fetched before {name} plays without the origin"):
        again = Weir(stage, nginx.base, cache=weir.cache)
        answer = web.fetch(again.url(media.BIG), {"Range": f"bytes=0-{READ - 1}"})
        equal((answer.status, len(answer.body)), (206, READ), "status and length")
        expect(answer.body == media.part(folder / media.BIG, 0, READ), "the bytes differ")
        equal(again.asks(), [], "what was asked of the origin")
        end = media.BIG_SIZE - 10
        missing = web.fetch(again.url(media.BIG), {"Range": f"bytes={end}-"})
        expect(missing.status in (502, 504), f"what is not held gets {missing.status}")
        expect(again.is_alive(), "weir ended")
        equal(again.stop(), 0, "the exit status after that")


def kills(board, stage, folder, count):
    seed = random.randrange(1 << 32)
    generator = random.Random(seed)
    nginx = Nginx(stage, folder, rate="30m")
    shares = []
    with board.check(f"{count} times kill -9 in mid-play: no wrong byte after a restart") as check:
        for number in range(count):
            lower = generator.randrange(media.BIG_SIZE // 2)
            try:
                shares.append(one_kill(stage, nginx, folder, lower, generator.uniform(0.8, 2.0)))
            except Exception as failure:
                raise Failed(f"kill {number} of seed {seed}: {failure}") from failure
        check.figure = f"seed {seed}"
    with board.check("of what was fetched up to 1 s before the kill nearly all is held") as check:
        expect(shares, "there was no kill")
        check.figure = f"at least {min(shares) * 100:.1f} %"
        expect(min(shares) >= 0.9, check.figure)


def one_kill(stage, nginx, folder, lower, seconds):
    """Kills weir after some seconds of reading; returns which part of the older bytes it still holds."""
    weir = Weir(stage, nginx.base)
    download = web.Download(weir.url(media.BIG), {"Range": f"bytes={lower}-"})
    start = time.monotonic()
    timeline, count = [], 0
    while (now := time.monotonic()) - start < seconds:
        timeline.append((now, count))
        count += len(download.read(1 << 16))
    os.kill(weir.program.pid, signal.SIGKILL)
    killed = time.monotonic()
    equal(weir.program.wait(), -signal.SIGKILL, "the exit status")
    download.leave()
    older = max((total for moment, total in timeline if moment <= killed - 1), default=0)

    offline = Weir(stage, nginx.base, "--offline", cache=weir.cache)
    held = prefix(offline.url(media.BIG), lower)
    expect(held == media.part(folder / media.BIG, lower, lower + len(held)), "wrong bytes are held")
    offline.stop()
    again = Weir(stage, nginx.base, cache=weir.cache)
    upper = min(media.BIG_SIZE, lower + count + (1 << 20))
    answer = web.fetch(again.url(media.BIG), {"Range": f"bytes={lower}-{upper - 1}"})
    expect(answer.body == media.part(folder / media.BIG, lower, upper), "wrong bytes are played")
    again.stop()
    return min(1.0, len(held) / older) if older else 1.0


def prefix(url, lower):
    """What is held from a place on: a body that breaks off, or no body at all."""
    try:
        download = web.Download(url, {"Range": f"bytes={lower}-"})
    except (OSError, web.http.client.HTTPException):
        return b""
    if download.status != 206:
        return b""
    pieces = []
    try:
        while piece := download.read(1 << 20):
            pieces.append(piece)
    except (OSError, web.http.client.HTTPException):
        pass
    download.leave()
    return b"".join(pieces)
