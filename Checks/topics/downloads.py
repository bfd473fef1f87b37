# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The download queue of a cache folder: `weir get` killed at random moments, interrupted, and beside an owner."""

import os
import random
import shutil
import signal
import threading
import time

from check_results import Failed, equal, expect
from journals import Runs, journals, queued
from limits import quick_disk
from stage import media, place, waiting
from stage.origin import Origin
from stage.program import Program
from stage.stage import Stage
from stage.weir import Weir, command

SIZE = 16 << 20
RATE = 8 << 20
PIECE = 64 << 10
NAMES = ("one.bin", "two.bin", "three.bin")
# In the middle of this file, the origin waits for a signal of the check.
SHORT = "short.bin"
# How many bytes the origin may send beyond the claims in the client's journal: the bytes of one second.
AHEAD = 8 << 20


def run(results):
    count = 300 if results.is_long else 6
    with Stage("downloads") as stage:
        bodies = {
            name: media.part(media.big_folder() / media.BIG, number * SIZE, (number + 1) * SIZE)
            for number, name in enumerate(NAMES)
        }
        bodies[SHORT] = bodies[NAMES[0]][: 6 << 20]
        origin = CountingOrigin(stage, bodies)
        killed(results, stage, origin, count)
        interrupted(results, stage, origin)
        beside_owner(results, stage, origin)


class CountingOrigin:
    """Sends at a rate, notes which bytes of each file it sent, and waits for the claims of a watched client.

    `sent` has (file, first byte, end) of each piece; `late` has the files whose claims did not follow.
    """

    def __init__(self, stage, bodies):
        self.stage = stage
        self.bodies = bodies
        self.lock = threading.Lock()
        self.sent, self.late = [], set()
        # The cache folder of the watched client, while that client runs.
        self.watched = None
        self.may_go_on = threading.Event()
        self.server = Origin(stage, {f"/{name}": self.route(name, body) for name, body in bodies.items()})
        self.base = self.server.base

    def route(self, name, body):
        def answer(handler):
            if handler.headers.get("If-None-Match") == f'"{name}"':
                handler.send_response(304)
                handler.end_headers()
                return
            status, lower, upper = handler.asked_range(len(body))
            handler.head(status, lower, upper, len(body), etag=f'"{name}"')
            start, first = time.monotonic(), lower
            while lower < upper:
                self.wait_for_claims(name, lower - AHEAD)
                end = min(upper, lower + PIECE)
                handler.wfile.write(body[lower:end])
                with self.lock:
                    self.sent.append((name, lower, end))
                lower = end
                if name == SHORT and lower >= len(body) // 2:
                    self.may_go_on.wait(60)
                time.sleep(max(0, start + (lower - first) / RATE - time.monotonic()))

        return answer

    def wait_for_claims(self, name, count):
        """Waits until the journal claims `count` bytes, or the origin watches no client."""

        def are_there():
            cache = self.watched
            try:
                return not cache or claims(self.stage, cache, is_running=True).get(name, Runs()).count() >= count
            except (OSError, ValueError):
                # The check has removed the folder of a killed client.
                return False

        try:
            if count > 0:
                waiting.until(are_there, 60, "the claims")
        except waiting.TookTooLong:
            self.late.add(name)

    def take(self):
        """Returns the pieces sent since the last call."""
        with self.lock:
            taken, self.sent = self.sent, []
        return taken


def get(stage, origin, cache, name, target):
    words = [place.weir_program(), "get", origin.base + name, "-o", target, "--cache", cache, "--quiet"]
    return stage.put(Program(words, stage.folder, stage.name("get"), stage.environment))


def claims(stage, cache, is_running=False):
    return {journal.name: journal.runs for journal in journals(stage, cache, is_running)}


def killed(results, stage, origin, count):
    seed = random.randrange(1 << 32)
    generator = random.Random(seed)
    tally = Tally()
    with results.check(f"weir get, killed {count} times with SIGKILL: in the end the files are right") as check:
        kills = files = 0
        # kill -9 loses no data that the system already has. So the cache may be on a disk in memory, where fsync costs
        # nothing.
        cache, target = quick_disk(stage, "1g") / "cache", stage.new_folder("target")
        while kills < count:
            for folder in (cache, target):
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
            for name in NAMES:
                try:
                    kills += download(stage, origin, cache, name, target / name, generator, tally)
                except Exception as failure:
                    raise Failed(f"kill {kills} of seed {seed}: {type(failure).__name__}: {failure}") from failure
                expect((target / name).read_bytes() == origin.bodies[name], f"{name} is not the origin's, seed {seed}")
                equal(queued(cache), {}, f"the queue when {name} is done")
                files += 1
                if kills >= count:
                    break
        check.figure = f"seed {seed}, {files} files, {kills} kills"
    with results.check(f"claims follow the reads: an origin that allows {AHEAD >> 20} MiB ahead continues") as check:
        check.figure = f"{tally.claimed / 1e6:.0f} MB claimed at the kills"
        expect(tally.claimed > 0, "no byte was claimed at any kill")
        equal(origin.late, set(), "the files whose claims did not come")
    with results.check("no claimed byte is sent again") as check:
        check.figure = f"{tally.again} of {tally.claimed} bytes"
        equal(tally.again, 0, "the bytes that were sent although they were claimed")


class Tally:
    def __init__(self):
        self.again = self.claimed = 0


def download(stage, origin, cache, name, target, generator, tally):
    """Gets a file, killing the program at random times until it finishes in time; returns the number of kills."""
    kills = 0
    held = Runs()
    while True:
        origin.take()
        program = get(stage, origin, cache, name, target)
        origin.watched = cache
        # Some kills come before the first byte. The first kill comes well after the first byte.
        if generator.random() < 0.8 or tally.claimed == 0:
            waiting.until(lambda: origin.sent or not program.is_alive(), 20, "the first byte")
        ended = ends_within(program, 1.4 if tally.claimed == 0 else generator.uniform(0.1, 1.8))
        if not ended:
            os.kill(program.pid, signal.SIGKILL)
        status = program.wait()
        origin.watched = None
        tally.again += sum(held.covered(lower, upper) for _, lower, upper in origin.take())
        if ended:
            equal(status, 0, f"the exit status, with {program.error.strip()[-300:]!r},")
            # Removes temporary files that killed processes left.
            for path in target.parent.glob(".weir-*.part"):
                path.unlink()
            return kills
        equal(status, -signal.SIGKILL, "the exit status")
        kills += 1
        held = claims(stage, cache).get(name, Runs())
        tally.claimed += held.count()
        compare(stage, cache, name, origin.bodies[name])
        if target.exists():
            # The target already had its final name; the next get needs it removed.
            target.unlink()
        elif 0 < held.count() < SIZE:
            # A file with claims is in the queue, until the cache holds it whole and get only has to write its
            # target.
            equal(queued(cache), {name: False}, "the queue after the kill")


def ends_within(program, seconds):
    try:
        waiting.until(lambda: not program.is_alive(), seconds, "the end of weir get")
    except waiting.TookTooLong:
        return False
    return True


def compare(stage, cache, name, body):
    for journal in journals(stage, cache):
        if journal.name != name:
            continue
        with open(journal.data(), "rb") as held:
            for lower, upper in journal.runs.runs:
                held.seek(lower)
                same = held.read(upper - lower) == body[lower:upper]
                expect(same, f"{lower}..<{upper} of {name} is not the origin's")


def interrupted(results, stage, origin):
    cache, target = stage.new_folder("cache"), stage.new_folder("target")
    name = SHORT
    with results.check("SIGINT leaves the download in the queue, and the same command completes and removes it"):
        program = get(stage, origin, cache, name, target / name)
        waiting.until(lambda: queued(cache), 10, "the download in the queue")
        waiting.until(lambda: claims(stage, cache, is_running=True).get(name, Runs()).count(), 10, "the first bytes held")
        equal(program.stop(signal.SIGINT), 130, "the exit status")
        equal(queued(cache), {name: False}, "the queue")
        origin.may_go_on.set()
        done = command(stage, "get", origin.base + name, "-o", target / name, "--cache", cache)
        equal(done.returncode, 0, f"the exit status, with {done.stderr.decode()!r},")
        equal(queued(cache), {}, "the queue")
    with results.check("a file that the origin does not have does not stay in the queue"):
        done = command(stage, "get", origin.base + "none.bin", "-o", target / "none.bin", "--cache", cache)
        equal(done.returncode, 3, "the exit status")
        equal(queued(cache), {}, "the queue")


def beside_owner(results, stage, origin):
    cache, target = stage.new_folder("cache"), stage.new_folder("target")
    name = SHORT
    with results.check("with an owner, its queue has the download: a kill leaves it there, the next get completes it"):
        weir = Weir(stage, origin.base, cache=cache)
        origin.may_go_on.clear()
        program = get(stage, origin, cache, name, target / name)
        waiting.until(lambda: queued(cache), 10, "the download in the queue")
        waiting.until(lambda: claims(stage, cache, is_running=True).get(name, Runs()).count(), 10, "the first bytes held")
        os.kill(program.pid, signal.SIGKILL)
        equal(program.wait(), -signal.SIGKILL, "the exit status")
        equal(queued(cache), {name: False}, "the queue")
        origin.may_go_on.set()
        done = command(stage, "get", origin.base + name, "-o", target / name, "--cache", cache)
        equal(done.returncode, 0, f"the exit status, with {done.stderr.decode()!r},")
        expect((target / name).read_bytes() == origin.bodies[name], "the file is not the origin's")
        equal(queued(cache), {}, "the queue")
        equal(weir.stop(), 0, "the owner's exit status")
