# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Sixteen readers of one cold file: how long the last of them waits, and how much memory it takes."""

import statistics
import subprocess
import threading
import time

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
        worst, asked = [], []
        for number in range(-1, results.rounds(7)):
            weir = Weir(stage, origin.base)
            before = len(origin.asked)
            times = together(weir.url("film.bin"))
            requests = len(origin.asked) - before
            weir.stop()
            if number >= 0:
                worst.append(results.sample("16 clients, worst first byte", "weir", number, max(times) * 1000, "ms"))
                asked.append(results.sample("16 clients, requests", "weir", number, requests, "requests"))
        results.row(
            f"{READERS} clients of one cold file ({DELAY * 1000:.0f} ms, {RATE / 1e6:.0f} MB/s), worst first byte, ms",
            "", f"{statistics.median(worst):.0f}", f"({min(worst):.0f} to {max(worst):.0f})",
        )
        results.row("the same, requests to the origin", "", f"{max(asked):.0f}", "")


def together(url):
    """How long each of them waited for its first byte."""
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
    """The largest resident memory while sixteen curls read 256 MiB each."""
    with Stage("bench") as stage:
        nginx = Nginx(stage, media.big_folder())
        peaks = []
        for number in range(results.rounds(3)):
            weir = Weir(stage, nginx.base)
            words = ["curl", "-sS", "--fail", "-o", "/dev/null", weir.url(media.BIG)]
            curls = [subprocess.Popen(words, env=stage.environment) for _ in range(READERS)]
            if any([curl.wait(300) for curl in curls]):
                raise RuntimeError("a curl failed")
            peaks.append(results.sample("16 readers, memory", "weir", number, weir.program.memory() / 2**20, "MiB"))
            weir.stop()
        nginx.stop()
        # nginx writes a request down when it has ended.
        sent = sum(request.body_bytes for request in nginx.requests())
        share = results.sample("16 readers, bytes", "weir", 0, sent / media.BIG_SIZE / len(peaks), "×")
        results.row(
            f"resident memory, {READERS} readers of one cold file of 256 MiB, MiB", "",
            f"{statistics.median(peaks):.1f}", f"({min(peaks):.1f} to {max(peaks):.1f})",
        )
        results.row("the same, bytes from the origin", "", f"{share:.2f}×", "")
