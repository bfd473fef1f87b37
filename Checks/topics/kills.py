# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""kill -9 under a load of players: the bytes that journals then claim are right, and nearly all bytes are held."""

import os
import random
import shutil
import signal
import threading
import time

from check_results import Failed, equal, expect
from journals import Runs, journals
from limits import quick_disk
from stage import media, waiting, web
from stage.nginx import Nginx
from stage.origin import Origin
from stage.stage import Stage
from stage.weir import Weir, cached, command

SIZE = 48 << 20
NAMES = ("one.bin", "two.bin", "three.bin")
# The most bytes that a kill may lose of those that a player received, and the size of the player's pieces.
MOST_LOST, PIECE = 256 << 10, 64 << 10


def run(results):
    count = 1000 if results.is_long else 25
    with Stage("kills") as stage:
        folder = stage.new_folder("files")
        for number, name in enumerate(NAMES):
            (folder / name).write_bytes(media.part(media.big_folder() / media.BIG, number * SIZE, (number + 1) * SIZE))
        nginx = Nginx(stage, folder, rate="20m")
        seed = random.randrange(1 << 32)
        generator = random.Random(seed)
        fetched = kept = claimed = 0
        # kill -9 loses no data that the system already has. So the cache may be on a disk in memory, where fsync costs
        # nothing.
        disk = quick_disk(stage, "2g")
        with results.check(f"{count} times kill -9 under a load of players: every claimed byte is the origin's") as check:
            cache = None
            for number in range(count):
                # A cache lives through a dozen kills, so that later claims build on earlier ones.
                if number % 12 == 0:
                    if cache:
                        shutil.rmtree(cache)
                    cache = disk / f"cache-{number}"
                    cache.mkdir()
                try:
                    load = one_kill(stage, nginx, cache, generator)
                    claims = compare(stage, folder, cache)
                except Exception as failure:
                    raise Failed(f"kill {number} of seed {seed}: {type(failure).__name__}: {failure}") from failure
                fetched += load.older()
                kept += load.older(claims)
                claimed += sum(runs.count() for runs in claims.values())
            check.figure = f"seed {seed}, {claimed / 1e9:.1f} GB compared"
        with results.check("at least 99 % of the bytes fetched up to 1 s before the kills is held") as check:
            expect(fetched > 0, "no byte was fetched")
            check.figure = f"{kept / fetched * 100:.2f} % of {fetched / 1e6:.0f} MB"
            expect(kept >= 0.99 * fetched, check.figure)
        count = 50 if results.is_long else 5
        with results.check(f"{count} times kill -9 during a play: at most 256 KiB of the player's bytes are lost") as check:
            lost = [in_mid_play(stage, (folder / NAMES[0]).read_bytes(), generator) for _ in range(count)]
            check.figure = f"{', '.join(f'{each / 1024:.0f}' for each in lost[:5])} KiB"
            expect(max(lost) <= MOST_LOST, f"{max(lost)} bytes were lost")
        with results.check("afterwards the held bytes play, and the rest is fetched"):
            for name in NAMES:
                done = command(stage, "get", nginx.base + name, "-o", "-", "--quiet", "--cache", cache)
                equal((done.returncode, done.stdout == (folder / name).read_bytes()), (0, True), f"{name}: status, bytes")


def compare(stage, folder, cache):
    """Compares all bytes that the journals claim with the origin's files; returns the held ranges of each file."""
    held = {}
    for journal in journals(stage, cache):
        runs = held[journal.name] = journal.runs
        with open(journal.data(), "rb") as data, open(folder / journal.name, "rb") as right:

            def is_right(lower, upper, data=data, right=right):
                return os.pread(data.fileno(), upper - lower, lower) == os.pread(right.fileno(), upper - lower, lower)

            for lower, upper in runs.runs:
                expect(is_right(lower, upper), f"{journal.name}: {lower}..<{upper} is claimed and not the origin's")
            # A kill loses no written bytes: the next process checks bytes that were not yet durable against their
            # checksums.
            for lower, upper in journal.written.runs:
                if is_right(lower, upper):
                    runs.add(lower, upper)
    return held


def in_mid_play(stage, data, generator):
    """Kills Weir under one player; returns how many of the player's bytes are not held afterwards.

    The origin sends the next piece only when the player and the data file have the last one. A kill also loses bytes
    that still wait for the disk, and on a busy machine there may be many.
    """
    taken = threading.Semaphore(0)

    def route(handler):
        handler.head(200, 0, SIZE, SIZE)
        for lower in range(0, SIZE, PIECE):
            handler.wfile.write(data[lower : lower + PIECE])
            if not taken.acquire(timeout=20):
                return

    origin = Origin(stage, {f"/{NAMES[0]}": route})
    weir = Weir(stage, origin.base)
    download = web.Download(weir.url(NAMES[0]))
    got = 0

    def take():
        nonlocal got
        got += len(download.read_exactly(PIECE))
        waiting.until(lambda: size(".data") >= got, 20, "the player's bytes in the data file")
        taken.release()

    def size(suffix=".journal"):
        return sum(file.stat().st_size for file in stage.files(weir.cache) if file.suffix == suffix)

    def grows():
        take()
        return size() > header

    take()
    # The journal starts with its header; from then on it records arriving bytes.
    header = waiting.until(size, 20, "the journal")
    waiting.until(grows, 20, "its first record")
    for _ in range(generator.randrange(16, 128)):
        take()
    weir.stop(signal.SIGKILL)
    download.leave()
    # The next process recovers the held bytes.
    again = Weir(stage, origin.base, cache=weir.cache)
    held = cached(stage, weir.cache)[NAMES[0]]["heldBytes"]
    again.stop()
    origin.stop()
    return max(0, got - held)


def one_kill(stage, nginx, cache, generator):
    """Runs Weir under a random load, and kills it at a random moment."""
    weir = Weir(stage, nginx.base, cache=cache)
    load = Load(weir, generator)
    load.start()
    time.sleep(generator.uniform(0.05, 2.2))
    load.killed = time.monotonic()
    os.kill(weir.program.pid, signal.SIGKILL)
    equal(weir.program.wait(), -signal.SIGKILL, "the exit status")
    load.join()
    return load


class Load:
    """Several players: one that plays on, one that seeks, or sixteen at once."""

    def __init__(self, weir, generator):
        self.weir = weir
        self.killed = None
        self.received = []
        kinds = generator.choice((("play",), ("seek",), ("crowd",), ("play", "seek"), ("play", "crowd", "seek")))
        self.threads = []
        for kind in kinds:
            name, lower = generator.choice(NAMES), generator.randrange(SIZE)
            for _ in range(16 if kind == "crowd" else 1):
                player = self.seek if kind == "seek" else self.play
                own = random.Random(generator.randrange(1 << 32))
                self.threads.append(threading.Thread(target=self.quietly, args=(player, name, lower, own)))

    def start(self):
        for thread in self.threads:
            thread.start()

    def join(self):
        for thread in self.threads:
            thread.join()

    def quietly(self, player, *arguments):
        try:
            player(*arguments)
        except (OSError, web.http.client.HTTPException):
            pass  # This check kills the process, so the answer breaks off.

    def play(self, name, lower, _):
        self.read(name, lower, None)

    def seek(self, name, _, generator):
        while self.killed is None:
            lower = generator.randrange(SIZE)
            self.read(name, lower, min(SIZE, lower + generator.randrange(1, 1 << 20)))

    def read(self, name, lower, upper):
        end = "" if upper is None else upper - 1
        download = web.Download(self.weir.url(name), {"Range": f"bytes={lower}-{end}"})
        while piece := download.read(1 << 16):
            self.received.append((time.monotonic(), name, lower, lower + len(piece)))
            lower += len(piece)
        download.leave()

    def older(self, claims=None):
        """The bytes that players had received a second before the kill; with `claims`, how many of them are claimed."""
        ranges = {}
        for moment, name, lower, upper in self.received:
            if moment <= self.killed - 1:
                ranges.setdefault(name, Runs()).add(lower, upper)
        if claims is None:
            return sum(runs.count() for runs in ranges.values())
        return sum(
            claims.get(name, Runs()).covered(lower, upper) for name, runs in ranges.items() for lower, upper in runs.runs
        )
