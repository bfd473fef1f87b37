# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Many processes use one cache folder: one owns it, the others use it through the owner; a kill passes it on."""

import os
import random
import signal
import stat
import subprocess
import threading
import time

from check_results import Failed, equal, expect
from stage import media, place, waiting, web
from stage.nginx import Nginx
from stage.program import Program
from stage.stage import Stage
from stage.weir import Weir, command

SIZE = 32 << 20
NAMES = ("one.bin", "two.bin", "three.bin")
GETS, SEEKERS, KILLS = 6, 4, 5
# The bytes of each file that a kill may lose: a checkpoint that was not yet durable, and the connection's buffers.
IN_FLIGHT = 8 << 20


def run(results):
    with Stage("owners") as stage:
        folder = stage.new_folder("files")
        for number, name in enumerate(NAMES):
            (folder / name).write_bytes(media.part(media.big_folder() / media.BIG, number * SIZE, (number + 1) * SIZE))
        with results.check("while weir serve runs, get and the cache's commands use it") as check:
            check.figure = beside_a_server(stage, folder)
        with results.check("two processes at one cache report consistent counts of requests, fetched bytes and held bytes") as check:
            check.figure = adds_up(stage, folder)
        with results.check("only the user can use the socket, and a killed owner's socket does not block"):
            leftovers(stage, folder)
        for _ in range(8 if results.is_long else 1):
            with results.check(f"{GETS + SEEKERS} processes get and seek; the owner is killed {KILLS} times: every get is right") as check:
                check.figure, sent = struggle(stage, folder)
            with results.check("no byte was sent twice except those in transit at a kill") as check:
                cost = sent - len(NAMES) * SIZE
                check.figure = f"{cost / 2**20:.1f} MiB for {KILLS} kills, beside {len(NAMES) * SIZE >> 20} MiB"
                expect(cost <= KILLS * len(NAMES) * IN_FLIGHT, f"{sent} bytes were sent, {check.figure}")
        with results.check("get bypasses a hanging owner: it succeeds, with one warning") as check:
            check.figure = hanging(stage, folder)


def beside_a_server(stage, folder):
    nginx = Nginx(stage, folder, token="secret")
    weir = Weir(stage, nginx.base, header=nginx.header)
    url, words = nginx.base + NAMES[0], ("--cache", weir.cache)
    target = stage.new_folder("target") / "a"
    for _ in range(2):
        # The command sends its own token, because the server does not share its token with other processes.
        done = command(
            stage, "get", url, "-o", target, "--force", "--quiet", "--header", nginx.header, "--account", "checks", *words
        )
        equal((done.returncode, done.stderr), (0, b""), "the status and the errors of get")
        equal(target.read_bytes() == (folder / NAMES[0]).read_bytes(), True, "whether the bytes are the same")
    answer = web.fetch(weir.url(NAMES[0]))
    expect(answer.body == (folder / NAMES[0]).read_bytes(), "the server serves other bytes")
    equal(weir.asks(), [], "the server's requests to the origin")
    equal(sum(request.body_bytes for request in nginx.settled().requests()), SIZE, "bytes that came from the origin")
    refused = command(
        stage, "get", nginx.base + NAMES[1], "-o", target, "--force", "--quiet", "--account", "checks", *words
    )
    equal(refused.returncode, 3, "the status of get without the token")
    copy = stage.new_folder("copy") / "a"
    for words_of, said in (
        (("pin", url), "pinned"),
        (("verify",), ""),
        (("export", url, "-o", copy), "wrote"),
        (("unpin", url), "unpinned"),
        (("remove", url), "removed"),
        (("clear", "--yes"), "removed 0"),
    ):
        done = command(stage, "cache", *words_of, *words)
        equal(done.returncode, 0, f"the status of {words_of[0]}, with {done.stderr[:200]!r},")
        expect(said in done.stdout.decode(), f"{words_of[0]} says {done.stdout!r}")
    equal(copy.read_bytes() == (folder / NAMES[0]).read_bytes(), True, "whether the export is right")
    equal(command(stage, "cache", "list", *words).stdout, b"", "the list")
    answer = web.fetch(weir.url(NAMES[0]))
    expect(answer.body == (folder / NAMES[0]).read_bytes(), "afterwards the server serves other bytes")
    equal(weir.stop(), 0, "the server's status")
    nginx.stop()
    return "8 commands"


def adds_up(stage, folder):
    """Both processes serve the same file, and each finds the other's bytes held; their summaries agree within 0.2 MB."""
    nginx = Nginx(stage, folder)
    # Without read-ahead, Weir fetches only requested bytes.
    owner = Weir(stage, nginx.base, "--read-ahead", "0")
    user = Weir(stage, nginx.base, "--read-ahead", "0", cache=owner.cache)
    half, unit = SIZE // 2, 100_000

    def part(weir, lower, upper):
        answer = web.fetch(weir.url(NAMES[0]), {"Range": f"bytes={lower}-{upper - 1}"})
        expect(answer.body == media.part(folder / NAMES[0], lower, upper), f"other bytes at {lower}")

    # The owner fetches the first half. The user finds that half held, and fetches only the second half of the whole
    # file. Then the user finds the second half held.
    part(owner, 0, half)
    part(user, 0, half)
    part(user, 0, SIZE)
    part(user, half, SIZE)
    # The owner finds the second half, which the user fetched, held.
    part(owner, 0, SIZE)
    # These requests end within the held bytes, and follow one another without a wait.
    for lower in range(0, SIZE, SIZE // 8):
        part(user, lower, lower + 1000)
    totals = []
    # The owner stops last: a process that takes over a cache opens it again.
    for weir in (user, owner):
        equal(weir.stop(), 0, "the status")
        summary = weir.summary()
        rest = summary.asked_bytes - summary.origin_bytes - summary.held_bytes
        expect(abs(rest) <= 2 * unit, f"it asked for {rest} bytes that it neither fetched nor found held: {summary}")
        totals.append(summary)
    equal(totals[0].origin, 1, "requests of the second process")
    expect(abs(totals[0].held_bytes - 2 * half - half) <= 2 * unit, f"the second process found held: {totals[0]}")
    expect(abs(totals[1].held_bytes - SIZE) <= 2 * unit, f"the first process found held: {totals[1]}")
    nginx.stop()
    return f"{totals[0].asked_bytes} = {totals[0].origin_bytes} + {totals[0].held_bytes} bytes, within 0.2 MB"


def leftovers(stage, folder):
    nginx = Nginx(stage, folder)
    weir = Weir(stage, nginx.base)
    path = weir.cache / "owner.socket"
    waiting.until(path.exists, 5, "the socket")
    mode = path.stat().st_mode
    equal((stat.S_ISSOCK(mode), stat.S_IMODE(mode)), (True, 0o600), "whether it is a socket, and its mode")
    os.kill(weir.program.pid, signal.SIGKILL)
    weir.program.wait()
    expect(path.exists(), "the killed owner removed its socket")
    for _ in range(2):
        done = command(stage, "get", nginx.base + NAMES[0], "-o", "-", "--quiet", "--cache", weir.cache)
        equal((done.returncode, len(done.stdout)), (0, SIZE), "status and bytes of get")
    expect(not path.exists(), "an owner that ended left its socket")
    nginx.stop()


def hanging(stage, folder):
    nginx = Nginx(stage, folder)
    weir = Weir(stage, nginx.base)
    expect(web.fetch(weir.url(NAMES[1]), {"Range": "bytes=0-9"}).status == 206, "the server does not serve")
    os.kill(weir.program.pid, signal.SIGSTOP)
    try:
        start = time.monotonic()
        done = command(stage, "get", nginx.base + NAMES[0], "-o", "-", "--cache", weir.cache)
        seconds = time.monotonic() - start
    finally:
        os.kill(weir.program.pid, signal.SIGCONT)
    equal((done.returncode, done.stdout == (folder / NAMES[0]).read_bytes()), (0, True), "status of get, and its bytes")
    warnings = [line for line in done.stderr.decode().splitlines() if line.startswith("warning: ")]
    equal(len(warnings), 1, f"the number of warnings, in {done.stderr[-300:]!r},")
    expect(web.fetch(weir.url(NAMES[1]), {"Range": "bytes=0-9"}).status == 206, "the server does not continue")
    equal(weir.stop(), 0, "the server's status")
    nginx.stop()
    return f"{seconds:.0f} s"


def struggle(stage, folder):
    """Processes that get and seek, while the check kills the folder's owner repeatedly."""
    nginx = Nginx(stage, folder, rate="3m")
    seed = random.randrange(1 << 32)
    crowd = Crowd(stage, folder, nginx, random.Random(seed))
    try:
        crowd.start()
        victims = crowd.kill_owners(KILLS)
        crowd.finish()
    except Exception as failure:
        raise Failed(f"seed {seed}, {crowd.tale()}: {type(failure).__name__}: {failure}") from failure
    finally:
        crowd.end()
    nginx.settled().stop()
    sent = sum(request.body_bytes for request in nginx.requests())
    figure = f"seed {seed}; killed: {victims.count('get')} get, {victims.count('serve')} serve; {crowd.tale()}"
    return figure, sent


class Crowd:
    def __init__(self, stage, folder, nginx, generator):
        self.stage, self.folder, self.nginx, self.generator = stage, folder, nginx, generator
        self.cache = stage.new_folder("cache")
        self.target = stage.new_folder("target")
        self.is_over = False
        self.failures = []
        self.right_gets = self.right_ranges = self.broken = 0
        self.running = {}
        self.threads = [threading.Thread(target=self.get, args=(index,)) for index in range(GETS)]
        self.seekers = [
            threading.Thread(target=self.seek, args=(random.Random(generator.randrange(1 << 32)),))
            for _ in range(SEEKERS)
        ]

    def tale(self):
        return f"{self.right_gets} gets and {self.right_ranges} seeks right, {self.broken} broke off with their server"

    def start(self):
        for thread in self.threads + self.seekers:
            thread.start()

    def finish(self):
        """Waits for every get; then the seekers may stop."""
        for thread in self.threads:
            thread.join(120)
            expect(not thread.is_alive(), "a get does not end")
        self.is_over = True
        for thread in self.seekers:
            thread.join(60)
            expect(not thread.is_alive(), "a seek does not end")
        if self.failures:
            raise Failed("; ".join(self.failures[:3]))
        equal(self.right_gets, GETS, "the number of gets that are right")
        expect(self.right_ranges > 0, "no process could seek")

    def end(self):
        self.is_over = True
        for program in list(self.running.values()):
            program[1].stop(signal.SIGKILL)

    def kill_owners(self, count):
        """Kills the folder's owner at random intervals; returns the kinds of the killed processes."""
        victims = []
        while len(victims) < count:
            time.sleep(self.generator.uniform(1, 2.5))
            lock = self.cache / "lock"
            # On a busy machine the first process may not have started yet.
            text = lock.read_text().strip() if lock.exists() else ""
            owner = self.running.get(int(text)) if text else None
            if owner is None:
                continue
            os.kill(owner[1].pid, signal.SIGKILL)
            victims.append(owner[0])
            if self.failures:
                raise Failed("; ".join(self.failures[:3]))
        return victims

    def get(self, index):
        """Downloads a file, and starts a new process when the last one was killed."""
        name = NAMES[index % len(NAMES)]
        target = self.target / f"{index}-{name}"
        # A kill may come after the file is complete, so the next run needs --force.
        words = [place.weir_program(), "get", self.nginx.base + name, "-o", target, "--force", "--quiet"]
        words += ["--cache", self.cache]
        while not self.is_over:
            program = Program(words, self.stage.folder, self.stage.name("get"), self.stage.environment)
            self.running[program.pid] = ("get", program)
            status = program.wait(120)
            del self.running[program.pid]
            if status == -signal.SIGKILL:
                continue
            if status != 0:
                self.failures.append(f"get {name} ended with {status}: {program.error.strip()[-300:]}")
            elif target.read_bytes() != (self.folder / name).read_bytes():
                self.failures.append(f"get {name} got something else")
            else:
                self.right_gets += 1
            return

    def seek(self, generator):
        """Serves and seeks in the served files, and starts a new process when the last one was killed."""
        while not self.is_over:
            try:
                weir = Weir(self.stage, self.nginx.base, cache=self.cache)
            except RuntimeError as failure:
                if "-9" not in str(failure):
                    self.failures.append(str(failure))
                continue
            self.running[weir.program.pid] = ("serve", weir.program)
            try:
                while not self.is_over and weir.is_alive():
                    self.seek_once(weir, generator)
            finally:
                del self.running[weir.program.pid]
                weir.stop()

    def seek_once(self, weir, generator):
        name, lower = generator.choice(NAMES), generator.randrange(SIZE)
        upper = min(SIZE, lower + generator.randrange(1, 1 << 18))
        try:
            answer = web.fetch(weir.url(name), {"Range": f"bytes={lower}-{upper - 1}"}, timeout=60)
        except (OSError, web.http.client.HTTPException) as failure:
            # The client may see the broken answer a moment before the process ends.
            try:
                waiting.until(lambda: not weir.is_alive(), 10, "the end of weir after a broken answer")
            except waiting.TookTooLong:
                self.failures.append(f"{name} {lower}-{upper - 1}: {failure!r}: {weir.log[-300:]}")
            self.broken += 1
            return
        if answer.status != 206 or answer.body != media.part(self.folder / name, lower, upper):
            self.failures.append(f"{name} {lower}-{upper - 1}: {answer.status}, {len(answer.body)} bytes: {weir.log[-300:]}")
            return
        self.right_ranges += 1
        time.sleep(0.02)
