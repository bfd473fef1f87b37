# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Ends by signal: afterwards the cache has the fetched bytes."""

import signal
import time

from check_results import equal, expect
from stage import media, web
from stage.nginx import Nginx
from stage.stage import Stage
from stage.weir import Weir

READ = 8 << 20


def run(results):
    folder = media.big_folder()
    for number, status in ((signal.SIGTERM, 0), (signal.SIGINT, 130)):
        with Stage("endings") as stage:
            ends_by(results, stage, folder, number, status)


def ends_by(results, stage, folder, number, status):
    name = number.name
    nginx = Nginx(stage, folder, rate="40m")
    weir = Weir(stage, nginx.base)
    with results.check(f"{name} during a play ends serve with {status}, at once") as check:
        download = web.Download(weir.url(media.BIG))
        expect(len(download.read_exactly(READ)) == READ, "the download ended")
        start = time.monotonic()
        equal(weir.stop(number), status, "the exit status")
        took = time.monotonic() - start
        download.leave()
        expect(took < 5, f"it took {took:.1f} s")
        check.figure = f"{took * 1000:.0f} ms"
    nginx.stop()
    with results.check(f"bytes fetched before {name} play without the origin"):
        again = Weir(stage, nginx.base, cache=weir.cache)
        answer = web.fetch(again.url(media.BIG), {"Range": f"bytes=0-{READ - 1}"})
        equal((answer.status, len(answer.body)), (206, READ), "status and length")
        expect(answer.body == media.part(folder / media.BIG, 0, READ), "the bytes differ")
        equal(again.asks(), [], "the requests to the origin")
        end = media.BIG_SIZE - 10
        missing = web.fetch(again.url(media.BIG), {"Range": f"bytes={end}-"})
        expect(missing.status in (502, 504), f"a missing range gets {missing.status}")
        expect(again.is_alive(), "weir ended")
        equal(again.stop(), 0, "the exit status after that")
