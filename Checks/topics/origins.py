# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""An origin and clients that draw their behaviour from a seed: no wrong byte, and no endless requests.

WEIR_SEED=NUMBER repeats a run as far as the order of events allows; WEIR_ORIGINS_SECONDS sets how long it takes.
"""

import asyncio
import os
import random
import re
from urllib.parse import urlsplit

import usage
from check_results import equal, expect
from servers.seeded_origin import SeededOrigin
from stage import waiting
from stage.stage import Stage
from stage.weir import Weir

RESOURCES, CLIENTS = 48, 12
# A client gives up after this many seconds, which ends a hang.
PATIENCE = 30
# COST: how many requests at the origin a client's request for a file may cost on average. That is six attempts
# before an error, and two checks of held bytes. ALLOWANCE: further requests for each file, because clients may find
# it half held.
COST, ALLOWANCE = 8, 60
# How many requests that only follow redirects Weir may send for one request.
HOPS = 21


def run(results):
    seed = int(os.environ.get("WEIR_SEED") or random.randrange(1 << 32))
    seconds = float(os.environ.get("WEIR_ORIGINS_SECONDS") or (600 if results.is_long else 30))
    with Stage("origins") as stage:
        asyncio.run(Run(results, stage, seed, seconds).run())


class Seen:
    """The observations of the clients over a whole run."""

    def __init__(self):
        self.answers = self.whole = self.broken = self.errors = self.left = self.bytes = 0
        # The faults: sentences, by their kind.
        self.faults = {}
        # Requests of clients, by name; the versions that a strong tag may name, by (name, tag).
        self.asked = {}
        self.versions = {}

    def told(self):
        """The first fault of each kind, with their number."""
        return "; ".join(f"{len(each)} times {kind}, first {each[0]}" for kind, each in self.faults.items())

    def __str__(self):
        return (f"{self.answers} answers, {self.whole} of them to their end, {self.broken} broken off, "
                f"{self.left} left, {self.errors} errors; {self.bytes / 1e6:.1f} MB")


class Run:
    def __init__(self, results, stage, seed, seconds):
        self.results = results
        self.stage = stage
        self.seed = seed
        self.seconds = seconds
        self.seen = Seen()
        self.is_over = False

    async def run(self):
        names = [f"{number}.bin" for number in range(RESOURCES)]
        self.origin = await SeededOrigin(self.seed, names).start()
        try:
            draw = random.Random(self.seed)
            options = ["--cache-limit", draw.choice(("2MiB", "2MiB", "64MiB")), "--revalidate", draw.choice(("always", "2s"))]
            options += ["--read-ahead", draw.choice(("16KiB", "64KiB", "1MiB"))]
            # This blocks until the program's first line, which does not need the event loop.
            self.weir = Weir(self.stage, self.origin.base, *options)
            parts = urlsplit(self.weir.base)
            self.port, self.path = parts.port, parts.path
            pid = self.weir.program.pid
            # Weir listens on the port, and on a socket for other processes with this cache folder. The socket may open
            # a moment later.
            waiting.until(lambda: usage.sockets(pid) >= 2, 20, "two listening sockets")
            start = len(usage.open_files(pid)), usage.sockets(pid)
            await self.storm()
            self.judge(f"seed {self.seed}, {' '.join(options)}")
            await self.calm()
            await self.rest(start)
        finally:
            await self.origin.stop()

    async def storm(self):
        """Runs clients and changes for the time of the check."""
        clients = [asyncio.create_task(self.client(number)) for number in range(CLIENTS)]
        changes = asyncio.create_task(self.changes())
        done, _ = await asyncio.wait([*clients, changes], timeout=self.seconds, return_when=asyncio.FIRST_EXCEPTION)
        self.is_over = True
        changes.cancel()
        # Requests in progress get 5 s. Then the run cancels the clients that still wait for an answer.
        await asyncio.wait(clients, timeout=5)
        for task in clients:
            task.cancel()
        outcomes = await asyncio.gather(*clients, changes, return_exceptions=True)
        for result in outcomes:
            if isinstance(result, Exception):
                raise result

    def judge(self, where):
        seen, origin = self.seen, self.origin
        pairs = [(resource, seen.asked.get(resource.name, 0)) for resource in origin.resources.values()]
        sentence = f"{self.seconds:.0f} s of an origin with random behaviour: every byte is right"
        with self.results.check(f"{sentence} ({where})") as check:
            check.figure = str(seen)
            expect(not seen.faults, seen.told())
            expect(seen.whole > 100 and seen.bytes > 1_000_000, f"too few bytes were compared: {seen}")
        with self.results.check(f"requests stay within a budget ({where})") as check:
            asked = sum(resource.asked for resource in origin.resources.values())
            check.figure = f"{asked} of the origin, {sum(count for _, count in pairs)} of clients"
            for resource, count in pairs:
                budget = COST * count + ALLOWANCE
                expect(resource.asked <= budget, f"{resource} was asked {resource.asked} times, for {count} requests")
                expect(resource.followed <= HOPS * (resource.asked + 1), f"{resource}: {resource.followed} redirects")
        with self.results.check(f"the process lives ({where})"):
            expect(self.weir.is_alive(), f"weir ended with {self.weir.program.poll()}: {self.weir.log[-300:]}")

    async def calm(self):
        """Makes the origin behave correctly: from now on, clients get every file whole."""
        self.origin.is_calm = True
        with self.results.check(f"with a correct origin again, every file arrives complete (seed {self.seed})") as check:
            before = self.seen.whole
            self.seen.faults.clear()
            outcomes = await asyncio.gather(*(self.comes(resource) for resource in self.origin.resources.values()))
            missing = [told for told in outcomes if told]
            expect(not missing, f"{len(missing)} do not: {'; '.join(missing[:3])}")
            expect(not self.seen.faults, self.seen.told())
            check.figure = f"{RESOURCES} files, {self.seen.whole - before} answers"

    async def comes(self, resource):
        """Asks until the whole file arrives; otherwise returns the last answer as text."""
        for _ in range(12):
            answer = Answer(self, resource)
            await self.visit(answer, Ask())
            if answer.is_whole and answer.status == 200:
                return None
            await asyncio.sleep(1)
        return f"{resource} gets {answer}"

    async def rest(self, start):
        """Stops the origin, and with it the idle connections that Weir keeps for the next request."""
        with self.results.check(f"weir releases all descriptors, and ends with 0 (seed {self.seed})") as check:
            pid = self.weir.program.pid
            expect(self.weir.is_alive(), f"weir ended with {self.weir.program.poll()}")
            await self.origin.stop()

            def now():
                return len(usage.open_files(pid)), usage.sockets(pid), len(usage.deleted(pid, self.weir.cache))

            # The data file of a resource may stay open. Weir may have opened a timer since `start` was counted.
            allowed = start[0] + RESOURCES + 2, start[1] + 1, 0
            for _ in range(200):
                # Judge what was counted here, since the next save opens journals again for a moment.
                seen = now()
                if all(value <= bound for value, bound in zip(seen, allowed)):
                    break
                await asyncio.sleep(0.1)
            check.figure = f"{start[0]} at the start, {seen[0]} at the end, {seen[1]} of them sockets"
            expect(all(value <= bound for value, bound in zip(seen, allowed)),
                   f"descriptors, sockets and removed files that are open are {seen}, where {allowed} are allowed")
            equal(await asyncio.get_running_loop().run_in_executor(None, self.weir.stop), 0, "weir's exit status")

    async def changes(self):
        """Adds versions to resources without validators, while no client reads them."""
        generator = random.Random(f"{self.seed} changes")
        quiet = [each for each in self.origin.resources.values() if not each.names_versions and each.change]
        while quiet and not self.is_over:
            await asyncio.sleep(generator.uniform(0.2, 0.8))
            await self.origin.change_between(generator.choice(quiet))

    async def client(self, number):
        """Makes requests one after another, and sometimes several at once."""
        generator = random.Random(f"{self.seed} client {number}")
        every = list(self.origin.resources.values())
        # The client's favourites, so that it reads the same files again.
        few = generator.sample(every, 5)
        while not self.is_over:
            resource = generator.choice(few if generator.random() < 0.8 else every)
            count = generator.choice((1, 1, 1, 2, 4))
            asks = [Ask.drawn(generator, resource, self.seen) for _ in range(count)]
            await asyncio.gather(*(self.visit(Answer(self, resource), ask) for ask in asks))
            await asyncio.sleep(generator.choice((0, 0, 0, 0.05, 0.3)))

    async def visit(self, answer, ask):
        resource = answer.resource
        while resource.is_held:
            await asyncio.sleep(0.02)
        resource.clients += 1
        self.seen.asked[resource.name] = self.seen.asked.get(resource.name, 0) + 1
        try:
            await asyncio.wait_for(answer.get(ask), PATIENCE)
            # Some clients leave early. `judge` still checks the bytes that they read.
        except (asyncio.TimeoutError, TimeoutError):
            self.seen.left += 1
        except (OSError, asyncio.IncompleteReadError):
            self.seen.broken += 1
        finally:
            answer.judge(ask)
            resource.clients -= 1


class Ask:
    """The request of a client, and how the client reads the answer."""

    def __init__(self, method="GET", part=None, fields=None, most=None, pause=None):
        self.method = method
        self.part = part
        self.fields = fields or {}
        # After `most` bytes the client leaves. `pause` says after how many bytes it stops reading, and for how long.
        self.most = most
        self.pause = pause

    @staticmethod
    def drawn(g, resource, seen):
        length = max(1, resource.length)
        lower = g.randrange(length)
        upper = min(length, lower + g.choice((1, 100, 4096, 30_000, 65_536, length)))
        huge = 2**63 - 1
        part = g.choice((
            None, None, f"{lower}-{upper - 1}", f"{lower}-{upper - 1}", f"{lower}-", f"{lower}-", "0-0", "-0",
            f"-{g.randrange(1, length + 9)}", f"{length - 1}-", f"{length + g.randrange(99)}-", f"0-{huge}",
            f"{huge}-", f"-{huge}", f"{2**62}-{2**63}", f"{lower}-{lower},{upper}-{upper + 9}",
        ))
        fields = {}
        known = [tag for name, tag in seen.versions if name == resource.name]
        if known and part and g.random() < 0.3:
            fields["If-Range"] = g.choice(known)
        elif known and g.random() < 0.1:
            fields["If-None-Match"] = g.choice(known)
        most = g.randrange(length + 1) if g.random() < 0.25 else None
        pause = (g.randrange(length), g.uniform(0.05, 0.6)) if g.random() < 0.2 else None
        return Ask("HEAD" if g.random() < 0.05 else "GET", part, fields, most, pause)


class Answer:
    """Receives an answer; after the end, however the answer ends, `judge` checks the received bytes."""

    def __init__(self, run, resource):
        self.run = run
        self.resource = resource
        self.status = None
        self.fields = {}
        self.pieces = []
        self.is_whole = False

    def __str__(self):
        return f"{self.status} with {sum(map(len, self.pieces))} bytes, {'whole' if self.is_whole else 'broken off'}"

    async def get(self, ask):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.run.port)
        try:
            lines = [f"{ask.method} {self.run.path}{self.resource.name} HTTP/1.1", f"Host: 127.0.0.1:{self.run.port}"]
            lines += [f"Range: bytes={ask.part}"] if ask.part else []
            lines += [f"{name}: {value}" for name, value in ask.fields.items()]
            writer.write("\r\n".join([*lines, "", ""]).encode())
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            self.status = int(head[0].split()[1])
            fields = (line.partition(":") for line in head[1:] if line)
            self.fields = {name.lower(): value.strip() for name, _, value in fields}
            if ask.method == "HEAD" or self.status in (204, 304):
                self.is_whole = True
            elif self.fields.get("transfer-encoding", "").lower() == "chunked":
                await self.read_chunks(reader, ask)
            else:
                await self.read(reader, ask, int(self.fields["content-length"]))
                self.is_whole = True
        finally:
            writer.transport.abort()

    async def read(self, reader, ask, count):
        while count:
            got = sum(map(len, self.pieces))
            if ask.most is not None and got >= ask.most:
                raise asyncio.TimeoutError()
            if ask.pause and got >= ask.pause[0]:
                await asyncio.sleep(ask.pause[1])
                ask.pause = None
            piece = await reader.read(min(count, 16_384))
            if not piece:
                raise asyncio.IncompleteReadError(b"", count)
            self.pieces.append(piece)
            count -= len(piece)

    async def read_chunks(self, reader, ask):
        while True:
            size = int((await reader.readuntil(b"\r\n")).split(b";")[0], 16)
            await self.read(reader, ask, size)
            await reader.readexactly(2)
            if not size:
                self.is_whole = True
                return

    def judge(self, ask):
        """Checks that the received bytes are of one version, and of the version that the answer names."""
        seen = self.run.seen
        seen.answers += self.status is not None
        seen.whole += self.is_whole and self.status in (200, 206)
        if self.status not in (200, 206):
            seen.errors += self.status is not None
            if self.status == 304 and "If-None-Match" not in ask.fields:
                self.fault("a 304", ask, "the request had no condition")
            return
        body = b"".join(self.pieces)
        seen.bytes += len(body)
        lower = 0
        if self.status == 206:
            found = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+|\*)", self.fields.get("content-range", ""))
            if not found:
                self.fault("a Content-Range", ask, f"it is {self.fields.get('content-range')!r}")
                return
            lower = int(found[1])
            if ask.part and ask.part[0] != "-" and lower != int(ask.part.partition("-")[0]):
                self.fault("another range", ask, f"it begins at {lower}")
        elif ask.part is None and self.is_whole and ask.method == "GET":
            lengths = {content.length for content in self.resource.versions[1:]}
            if len(body) not in lengths:
                self.fault("a wrong end", ask, f"it ends as complete with {len(body)} bytes")
        fitting = {content.version for content in self.resource.versions[1:] if content.stands_at(body, lower)}
        if not fitting:
            told = f"the {len(body)} bytes at {lower} are of no version{self.where(body, lower)}"
            self.fault("wrong bytes", ask, told)
            return
        self.judge_tag(ask, fitting)

    def judge_tag(self, ask, fitting):
        tag = self.fields.get("etag")
        if tag is None or tag.startswith("W/"):
            return
        if not self.resource.names_versions:
            self.fault("a strong ETag where the origin names no version", ask, tag)
        known = self.run.seen.versions.setdefault((self.resource.name, tag), fitting)
        if not known & fitting:
            told = f"{tag} stands for version {sorted(known)}, and for {sorted(fitting)}"
            self.fault("an ETag of two versions", ask, told)
            return
        self.run.seen.versions[self.resource.name, tag] = known & fitting
        named = re.fullmatch(rf'"{re.escape(self.resource.name)}-(\d+)(-\d+)?"', tag)
        if named and int(named[1]) not in fitting:
            told = f"the bytes are of version {sorted(fitting)}, where the ETag {tag} is the origin's"
            self.fault("a claim that is wrong", ask, told)

    def where(self, body, lower):
        """Which version's bytes begin at which offset of the body, for the message."""
        told = []
        at = 0
        while at < len(body) and len(told) < 4:
            longest, version = max(
                (common(body[at:], content.part(lower + at, lower + len(body))), content.version)
                for content in self.resource.versions[1:]
            )
            if not longest:
                told.append(f"something else at {at}")
                break
            told.append(f"version {version} at {at}")
            at += longest
        return f" ({', '.join(told)})"

    def fault(self, kind, ask, what):
        part = f" for {ask.part}" if ask.part else ""
        self.run.seen.faults.setdefault(kind, []).append(f"{self.resource}{part}: {what}")


def common(one, other):
    """The length of the common beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
