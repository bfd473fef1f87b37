# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The download queue of a cache folder: `weir get` killed at random moments, interrupted, and beside an owner."""

import os
import random
import shutil
import signal
import threading
import time
from pathlib import Path

from board import Failed, equal, expect
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
# The origin stops in the middle of this one until it is told to go on.
SHORT = "short.bin"
# How often the origin looks at how much the client has read.
LOOK = 0.1


def run(board):
    count = 300 if board.is_long else 6
    with Stage("downloads") as stage:
        bodies = {
            name: media.part(media.big_folder() / media.BIG, number * SIZE, (number + 1) * SIZE)
            for number, name in enumerate(NAMES)
        }
        bodies[SHORT] = bodies[NAMES[0]][: 6 << 20]
        origin = CountingOrigin(stage, bodies)
        killed(board, stage, origin, count)
        interrupted(board, stage, origin)
        beside_owner(board, stage, origin)


class CountingOrigin:
    """Sends at a rate, and writes down what it has sent of which file, and when the client had read it.

    `sent` has (file, first byte, end) of each piece; `read` has (time, file, first byte, end) of each look.
    """

    def __init__(self, stage, bodies):
        self.bodies = bodies
        self.lock = threading.Lock()
        self.sent, self.read = [], []
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
            due = start + LOOK
            while lower < upper:
                end = min(upper, lower + PIECE)
                handler.wfile.write(body[lower:end])
                with self.lock:
                    self.sent.append((name, lower, end))
                if time.monotonic() >= due:
                    had = end - unread(handler)
                    with self.lock:
                        self.read.append((time.monotonic(), name, first, had))
                    due = time.monotonic() + LOOK
                lower = end
                if name == SHORT and lower >= len(body) // 2:
                    self.may_go_on.wait(60)
                time.sleep(max(0, start + (lower - first) / RATE - time.monotonic()))

        return answer

    def take(self):
        """What was sent, and what was read, since the last call."""
        with self.lock:
            taken = self.sent, self.read
            self.sent, self.read = [], []
        return taken


def unread(handler):
    """How many bytes of an answer the system holds: the client has not read them yet, or they are not sent yet."""
    near, far = handler.server.server_address[1], handler.client_address[1]
    count = 0
    # proc(5): the local and the remote address, the state, and how much the socket has to send and to be read.
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, remote, _, queues, *_ = line.split()
        ports = tuple(int(address.partition(":")[2], 16) for address in (local, remote))
        to_send, to_read = (int(queue, 16) for queue in queues.split(":"))
        if ports == (near, far):
            count += to_send
        elif ports == (far, near):
            count += to_read
    return count


def get(stage, origin, cache, name, target):
    words = [place.weir_program(), "get", origin.base + name, "-o", target, "--cache", cache, "--quiet"]
    return stage.put(Program(words, stage.folder, stage.name("get"), stage.environment))


def claims(stage, cache):
    return {journal.name: journal.runs for journal in journals(stage, cache)}


def killed(board, stage, origin, count):
    seed = random.randrange(1 << 32)
    generator = random.Random(seed)
    tally = Tally()
    with board.check(f"weir get, {count} times killed -9: in the end the files are right") as check:
        kills = files = 0
        # kill -9 loses nothing that the system has, and how long a slow disk takes for fsync is not weir's.
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
                equal(queued(cache), {}, f"what stands in the queue when {name} is done")
                files += 1
                if kills >= count:
                    break
        check.figure = f"seed {seed}, {files} files, {kills} kills"
    with board.check("of what weir had read up to 1 s before the kills, at least 99 % is claimed") as check:
        expect(tally.older > 0, "nothing was read so early")
        check.figure = f"{tally.kept / tally.older * 100:.2f} % of {tally.older / 1e6:.0f} MB"
        expect(tally.kept >= 0.99 * tally.older, check.figure)
    with board.check("nothing that is claimed is sent again") as check:
        check.figure = f"{tally.again} of {tally.claimed} bytes"
        equal(tally.again, 0, "the bytes that were sent although they were claimed")


class Tally:
    def __init__(self):
        self.older = self.kept = self.again = self.claimed = 0


def download(stage, origin, cache, name, target, generator, tally):
    """Gets a file, killed until a random time is long enough; tells how many kills that took."""
    kills = 0
    held = Runs()
    while True:
        origin.take()
        program = get(stage, origin, cache, name, target)
        # Now and then before the first byte; the first time a good while behind it.
        if generator.random() < 0.8 or tally.older == 0:
            waiting.until(lambda: origin.sent or not program.is_alive(), 20, "the first byte")
        ended = ends_within(program, 1.4 if tally.older == 0 else generator.uniform(0.1, 1.8))
        if not ended:
            os.kill(program.pid, signal.SIGKILL)
        moment = time.monotonic()
        status = program.wait()
        sent, read = origin.take()
        tally.again += sum(held.covered(lower, upper) for _, lower, upper in sent)
        tally.claimed += held.count()
        if ended:
            equal(status, 0, f"the exit status, with {program.error.strip()[-300:]!r},")
            # What an earlier process was writing when it was killed.
            for path in target.parent.glob(".weir-*.part"):
                path.unlink()
            return kills
        equal(status, -signal.SIGKILL, "the exit status")
        kills += 1
        held = claims(stage, cache).get(name, Runs())
        compare(stage, cache, name, origin.bodies[name])
        early = Runs()
        for when, _, lower, upper in read:
            if when <= moment - 1 and lower < upper:
                early.add(lower, upper)
        tally.older += early.count()
        tally.kept += sum(held.covered(lower, upper) for lower, upper in early.runs)
        # The file is claimed only once the queue has written the download down, or a moment before; what is held whole
        # stands in it no more, although it is still being written to its target.
        if early.count() and held.count() < SIZE:
            equal(queued(cache), {name: False}, "what stands in the queue after the kill")


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


def interrupted(board, stage, origin):
    cache, target = stage.new_folder("cache"), stage.new_folder("target")
    name = SHORT
    with board.check("SIGINT leaves the download in the queue, and the same command takes it out when it is done"):
        program = get(stage, origin, cache, name, target / name)
        waiting.until(lambda: queued(cache), 10, "the download in the queue")
        waiting.until(lambda: claims(stage, cache).get(name, Runs()).count(), 10, "the first bytes held")
        equal(program.stop(signal.SIGINT), 130, "the exit status")
        equal(queued(cache), {name: False}, "what stands in the queue")
        origin.may_go_on.set()
        done = command(stage, "get", origin.base + name, "-o", target / name, "--cache", cache)
        equal(done.returncode, 0, f"the exit status, with {done.stderr.decode()!r},")
        equal(queued(cache), {}, "what stands in the queue")
    with board.check("what the origin does not have is no download that waits"):
        done = command(stage, "get", origin.base + "none.bin", "-o", target / "none.bin", "--cache", cache)
        equal(done.returncode, 3, "the exit status")
        equal(queued(cache), {}, "what stands in the queue")


def beside_owner(board, stage, origin):
    cache, target = stage.new_folder("cache"), stage.new_folder("target")
    name = SHORT
    with board.check("beside an owner its queue has the download, a kill leaves it, the next get ends it"):
        weir = Weir(stage, origin.base, cache=cache)
        origin.may_go_on.clear()
        program = get(stage, origin, cache, name, target / name)
        waiting.until(lambda: queued(cache), 10, "the download in the queue")
        waiting.until(lambda: claims(stage, cache).get(name, Runs()).count(), 10, "the first bytes held")
        os.kill(program.pid, signal.SIGKILL)
        equal(program.wait(), -signal.SIGKILL, "the exit status")
        equal(queued(cache), {name: False}, "what stands in the queue")
        origin.may_go_on.set()
        done = command(stage, "get", origin.base + name, "-o", target / name, "--cache", cache)
        equal(done.returncode, 0, f"the exit status, with {done.stderr.decode()!r},")
        expect((target / name).read_bytes() == origin.bodies[name], "the file is not the origin's")
        equal(queued(cache), {}, "what stands in the queue")
        equal(weir.stop(), 0, "the owner's exit status")
