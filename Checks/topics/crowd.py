# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Sixteen readers of one cold file share one download, in little memory; small ranges of it cost one request each."""

import random
import subprocess
import threading
import time

from check_results import equal, expect
from stage import media, web
from stage.nginx import Nginx
from stage.origin import Counted, Origin, Sparse, slow_line
from stage.stage import Stage
from stage.weir import Weir

READERS = 16
MEMORY = 64 << 20

# Ranges of one byte, far from each other, in a file over a line of 50 ms and 10 MB/s.
RANGES, SIZE = 128, 256 << 20
DELAY, RATE = 0.05, 10_000_000
# Weir reads the first 512 bytes to find the type, so the ranges begin behind them.
GAP = SIZE // (2 * RANGES)
# An nginx cache that fetches slices. The slices are small, so that a request for one byte fetches little.
OUTSIDE = "proxy_cache_path {folder} levels=2 keys_zone=slices:1m inactive=1d use_temp_path=off;"
INSIDE = """
location / {{
    proxy_pass {origin};
    slice 64k;
    proxy_cache slices;
    proxy_cache_key $uri$slice_range;
    proxy_set_header Range $slice_range;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_cache_valid 200 206 1d;
}}
"""


def run(results):
    folder = media.big_folder()
    with Stage("crowd") as stage:
        nginx = Nginx(stage, folder)
        weir = Weir(stage, nginx.base)
        with results.check(f"all {READERS} readers of one cold 256 MiB file get it"):
            equal(differences(stage, weir.url(media.BIG)), 0, "the number of readers with wrong bytes")
        memory = weir.program.memory()
        weir.stop()
        nginx.settled().stop()
        with results.check("together they cost one request and 1.00× the bytes") as check:
            requests = nginx.requests()
            equal(len(requests), 1, "the number of requests")
            sent = sum(request.body_bytes for request in requests)
            equal(sent, media.BIG_SIZE, "bytes that nginx sent")
            expect(abs(weir.summary().origin_bytes - media.BIG_SIZE) < 100_000, f"weir says {weir.summary()}")
            check.figure = f"{sent / media.BIG_SIZE:.2f}×"
        with results.check("the process stays under 64 MiB of resident memory") as check:
            check.figure = f"{memory / 2**20:.1f} MiB"
            expect(memory < MEMORY, f"it reached {check.figure}")
        for count in (8, 16, 32, 64):
            small_ranges(results, stage, count)


def small_ranges(results, stage, count):
    """Clients take ranges of a cold file from one list until the list is empty; nginx serves them for comparison."""
    seed = random.randrange(1 << 32)
    with results.check(f"{RANGES} ranges of one byte of a cold file cost {count} clients one request each") as check:
        offsets = random.Random(seed).sample(range(GAP, SIZE, GAP), RANGES)
        figures = []
        for name in ("weir", "nginx, slices of 64 KiB"):
            film = Counted(Sparse(SIZE))
            origin = Origin(stage, {"/film.bin": slow_line(film, DELAY, RATE)})
            peer = Weir(stage, origin.base) if name == "weir" else slices(stage, origin.base)
            waits = together(peer.base + "film.bin", offsets, count, film)
            peer.stop()
            origin.stop()
            asked = len(origin.asked)
            figures.append(f"{name}: {asked} requests, {film.count} bytes, worst first byte {max(waits) * 1000:.0f} ms")
            if name == "weir":
                expect(asked <= RANGES * 1.1, f"{asked} requests for {RANGES} ranges, of seed {seed}")
                equal(film.count, RANGES, f"bytes that the origin sent, of seed {seed}")
        check.figure = "; ".join(figures)


def slices(stage, origin):
    inside = INSIDE.format(origin=origin.rstrip("/"))
    outside = OUTSIDE.format(folder=stage.new_folder("slices"))
    return Nginx(stage, stage.new_folder("empty"), log=False, more=inside, outside=outside)


def together(url, offsets, count, film):
    """Requests each range once, checks its byte, and returns how many seconds each answer took."""
    left, waits, failures = list(offsets), [], []
    start = threading.Barrier(count)

    def read():
        start.wait(30)
        while True:
            try:
                lower = left.pop()
            except IndexError:
                return
            begun = time.monotonic()
            answer = web.fetch(url, {"Range": f"bytes={lower}-{lower}"})
            waits.append(time.monotonic() - begun)
            if answer.status != 206 or answer.body != film.content.bytes(lower, lower + 1):
                failures.append(f"{answer.status} {answer.body!r} at {lower}")

    threads = [threading.Thread(target=read, daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    equal(failures, [], "ranges with wrong bytes")
    equal(len(waits), len(offsets), "ranges with an answer")
    return waits


def differences(stage, url):
    """How many of the simultaneous readers did not get the exact bytes of the file."""
    file = media.big_folder() / media.BIG
    pairs = []
    for _ in range(READERS):
        curl = subprocess.Popen(["curl", "-sS", "--fail", url], stdout=subprocess.PIPE, env=stage.environment)
        compare = ["cmp", "-", str(file)]
        pairs.append((curl, subprocess.Popen(compare, stdin=curl.stdout, stdout=subprocess.DEVNULL)))
        curl.stdout.close()
    # Waits for every process, whatever the results of the others.
    return sum([curl.wait(120) != 0 or comparison.wait(120) != 0 for curl, comparison in pairs])
