# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A cache with a hundred thousand resources: ranges of a big one, and all of the small ones."""

import os
import random
import shutil
import subprocess
import time
from pathlib import Path

import machine
import peers
import rates
from results import note
from stage import media, once, place, waiting
from stage.nginx import Nginx
from stage.stage import Stage, free_port
from stage.weir import cached

COUNT = 100_000
SMALL = 1024
JOURNAL = 400
FOLDER = place.BUILD / "bench" / "many"
# Weir revalidates nothing during the measurement, although it would after a minute by default. The cache has room
# for all.
OPTIONS = ("--revalidate", "never", "--cache-limit", "8GiB")


def ranges(results):
    results.uses("nginx", "wrk")
    with Stage("bench") as stage:
        folder, origin, many = filled(results, stage)
        cache = stage.new_folder("one")
        one = peers.weir(stage, origin.base, *OPTIONS, cache=cache)
        one.name = "weir with one resource"
        for subject in (many, one):
            peers.warm(stage, subject, media.BIG, folder / media.BIG)
        read_from_disk(keeper() / "cache", cache)
        measure = f"warm 64 KiB ranges of one of {COUNT:,} resources, 16 connections"
        rates.take(results, stage, [many, one], measure, rates.ranges(16))
        measure = f"warm files of 1 KiB, at random of {COUNT:,}, 16 connections"
        load = rates.Load("small/", "files.lua", (COUNT,), 16)
        second = once.made(FOLDER / "second", make_second)
        read_all(keeper() / "cache", folder / "small", second)
        servers = [many, peers.nginx(stage, folder), peers.least(stage, folder, second)]
        rates.take(results, stage, servers, measure, load)
        asked = len([request for request in origin.requests() if request.path.startswith("/small/")])
        results.write({"requests to the origin": asked})
        if asked > COUNT / 1000:
            raise RuntimeError(f"the origin got {asked} requests for held bytes")


def filled(results, stage):
    """The files, an origin with them, and a Weir that holds them; made once for each version, and kept."""
    folder = once.made(FOLDER / "files", make_files)
    kept = keeper()
    for _ in range(2):
        with once.alone_in(FOLDER):
            if not (kept / "port").exists():
                fill(results, stage, folder, kept)
        try:
            # The cache knows its resources by their URLs, so the origin must have the same address.
            origin = Nginx(stage, folder, port=int((kept / "port").read_text()))
            many = peers.weir(stage, origin.base, *OPTIONS, cache=kept / "cache")
            held = len(cached(stage, kept / "cache"))
            if held >= COUNT:
                return folder, origin, many
            note(f"  of {COUNT:,} resources {held:,} are held")
            many.program.stop()
            origin.stop()
        except (waiting.TookTooLong, RuntimeError) as failure:
            note(f"  {failure}")
        shutil.rmtree(kept)
    raise RuntimeError(f"no cache of {COUNT:,} resources could be made; it is in {kept}")


def keeper():
    """The folder with the cache of this version of Weir, and with its origin's port."""
    return FOLDER / machine.version("weir").replace(" ", "-")


def read_from_disk(*caches):
    """Reads each big file from the disk, so that the system keeps all of them in memory in pieces of the same size."""
    for cache in caches:
        for path in cache.glob("*/*.data"):
            if path.stat().st_size <= SMALL:
                continue
            with path.open("rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
                while file.read(1 << 20):
                    pass


def read_all(*folders):
    """Reads every small file, so that the system has its name and its bytes in memory."""
    for folder in folders:
        for root, _, names in os.walk(folder):
            for path in (Path(root, name) for name in names):
                if path.is_file() and path.stat().st_size <= 2 * SMALL:
                    path.read_bytes()


def make_second(new):
    """A second file for each small one, of the size of its journal, for the least server."""
    (new / "small").mkdir(parents=True)
    for number in range(COUNT):
        (new / "small" / str(number)).write_bytes(bytes(JOURNAL))


def make_files(new, count=COUNT):
    """Makes a number of small files, and a link to the big one."""
    generator = random.Random(7)
    (new / "small").mkdir(parents=True)
    for number in range(count):
        (new / "small" / str(number)).write_bytes(generator.randbytes(SMALL))
    (new / media.BIG).symlink_to(media.big_folder() / media.BIG)


def fill(results, stage, folder, kept):
    """Requests every file into a new cache folder."""
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True)
    port = free_port()
    origin = Nginx(stage, folder, log=False, port=port)
    weir = peers.weir(stage, origin.base, *OPTIONS, cache=kept / "cache")
    note(f"  asks for {COUNT:,} resources, some minutes")
    start = time.monotonic()
    ask_for_all(stage, weir)
    results.sample(f"{COUNT} resources fetched over 64 connections", "weir", 0, time.monotonic() - start, "s")
    weir.program.stop()
    origin.stop()
    (kept / "port").write_text(str(port))


def ask_for_all(stage, weir, count=COUNT):
    """Requests a number of small files, over 64 connections at a time."""
    words = ["curl", "-sS", "--no-progress-meter", "--fail", "--parallel", "--parallel-max", "64", "-o", "/dev/null"]
    subprocess.run([*words, weir.url(f"small/[0-{count - 1}]")], env=stage.environment, check=True, timeout=3600)
