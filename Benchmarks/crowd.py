# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Sixteen readers of one cold file: how long the last of them waits, and the memory that this takes."""

import threading
import time

import clients
from results import FEWEST_ROUNDS, SOME_ROUNDS
from stage import media, web
from stage.nginx import Nginx
from stage.origin import Origin, Sparse, slow_line
from stage.stage import Stage
from stage.weir import Weir

READERS = 16
DELAY, RATE = 0.05, 10_000_000


def first_bytes(results):
    with Stage("bench") as stage:
        origin = Origin(stage, {"/film.bin": slow_line(Sparse(256 << 20), DELAY, RATE)})
        measure = f"{READERS} clients of one cold file ({DELAY * 1000:.0f} ms, {RATE / 1e6:.0f} MB/s)"
        for number, _ in results.turns(["weir"], SOME_ROUNDS):
            weir = Weir(stage, origin.base)
            before = len(origin.asked)
            times = together(weir.url("film.bin"))
            requests = len(origin.asked) - before
            weir.stop()
            results.sample(f"{measure}, worst first byte", "weir", number, max(times) * 1000, "ms")
            results.sample(f"{measure}, requests to the origin", "weir", number, requests, "requests")
        results.alone(f"{measure}, worst first byte")
        most = max(results.values(f"{measure}, requests to the origin", "weir"))
        results.row("the same, requests to the origin, most of all rounds", "", f"{most}", "")


def together(url):
    """How long each reader waited for its first byte."""
    times = [0.0] * READERS
    start = threading.Barrier(READERS)

    def read(number):
        start.wait(30)
        begun = time.monotonic()
        download = web.Download(url)
        download.first_byte()
        times[number] = time.monotonic() - begun
        download.leave()

    threads = [threading.Thread(target=read, args=(number,), daemon=True) for number in range(READERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return times


def memory(results):
    """The peak resident memory while sixteen curls read 256 MiB each."""
    with Stage("bench") as stage:
        nginx = Nginx(stage, media.big_folder())
        measure = f"peak of resident memory, {READERS} readers of one cold file of 256 MiB"
        # The rest is pages of the files of the program and its libraries, which the system shares and can drop.
        own = f"{measure}, memory of its own"
        count = 0
        for number, _ in results.turns(["weir"], FEWEST_ROUNDS, warm_up=0):
            weir = Weir(stage, nginx.base)
            clients.download([weir.url(media.BIG)] * READERS, media.BIG_SIZE, stage.environment)
            results.sample(measure, "weir", number, weir.program.memory() / 2**20, "MiB")
            results.sample(own, "weir", number, weir.program.memory("RssAnon") / 2**20, "MiB")
            weir.stop()
            count += 1
        nginx.stop()
        results.alone(measure, digits=1)
        results.alone(own, digits=1, title="of that, memory of its own when they have ended")
        # nginx logs a request when it has ended.
        sent = sum(request.body_bytes for request in nginx.requests())
        share = f"{sent / media.BIG_SIZE / count:.2f}×"
        results.row("the same, bytes from the origin ÷ bytes of the file", "", share, "")
