# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The cost of a seek, of a listener that leaves, and of a slow one; only counts decide, times are reported."""

import statistics
import time

from check_results import equal, expect
from stage import media, web
from stage.nginx import Nginx
from stage.origin import Origin, Sparse, slow_line
from stage.stage import Stage
from stage.weir import Weir

DELAY, RATE = 0.05, 10_000_000
SIZE = 256 << 20
TAIL = 64 << 10
WANTED = 8 << 20


def run(results):
    with Stage("pace") as stage:
        film = Sparse(SIZE)
        server = Origin(stage, {"/film.bin": slow_line(film, DELAY, RATE)})
        count = 15 if results.is_long else 5
        for after_start in (False, True):
            seeks(results, stage, server, film, count, after_start)
        leaves(results, stage, server)
        slow_listener(results, stage)


def seeks(results, stage, server, film, count, after_start):
    when = "while its start is read" if after_start else "cold"
    requests = 2 if after_start else 1
    cost = "2 requests in all" if after_start else "1 request"
    with results.check(f"a seek to the end of a 256 MiB file, {when}, costs {cost}") as check:
        times = []
        for _ in range(count):
            weir = Weir(stage, server.base)
            start = web.Download(weir.url("film.bin")) if after_start else None
            if start:
                start.read_exactly(1 << 20)
            lower = SIZE - TAIL
            tail = web.Download(weir.url("film.bin"), {"Range": f"bytes={lower}-"})
            times.append(tail.first_byte())
            rest = tail.read_exactly(TAIL)
            expect(rest == film.bytes(lower + 1, SIZE), "the bytes differ")
            tail.leave()
            if start:
                start.leave()
            asked = weir.asks()
            equal(len(asked), requests, f"the number of requests ({asked})")
            weir.stop()
        check.figure = (
            f"first byte after {statistics.median(times) * 1000:.0f} ms, at most {max(times) * 1000:.0f} ms,"
            f" on a line of {DELAY * 1000:.0f} ms and {RATE / 1e6:.0f} MB/s"
        )


def leaves(results, stage, server):
    with results.check("a listener who leaves after 8 MiB costs at most 1.15 × 8 MiB") as check:
        weir = Weir(stage, server.base)
        download = web.Download(weir.url("film.bin"))
        expect(len(download.read_exactly(WANTED)) == WANTED, "the download ended before 8 MiB")
        download.leave()
        # This time is long enough to see whether Weir continues the download.
        time.sleep(1.5)
        weir.stop()
        share = weir.summary().origin_bytes / WANTED
        check.figure = f"{share:.2f}×"
        expect(share <= 1.15, check.figure)


def slow_listener(results, stage):
    with results.check("a listener slower than the origin slows the origin down") as check:
        nginx = Nginx(stage, media.big_folder())
        weir = Weir(stage, nginx.base)
        download = web.Download(weir.url(media.BIG))
        start, read = time.monotonic(), 0
        while read < WANTED:
            read += len(download.read_exactly(256 << 10))
            time.sleep(max(0.0, start + read / 4e6 - time.monotonic()))
        download.leave()
        weir.stop()
        received = weir.summary().origin_bytes
        check.figure = f"{received / 1e6:.1f} MB fetched for {WANTED / 1e6:.1f} MB read"
        # The tolerance covers the read-ahead of 1 MB and the buffers of two loopback connections.
        expect(received < WANTED + (16 << 20), check.figure)
