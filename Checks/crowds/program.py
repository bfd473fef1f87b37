# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The clients of a crowd: program.py SETTING takes a JSON line with a command and answers with a JSON line.

Each kind of client is a coroutine over a bare socket. The clients come from sixteen addresses of the loopback
network. Every kind compares the bytes that it receives with the file's content.
"""

import asyncio
import contextlib
import json
import random
import re
import resource
import socket
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "Scripts"))

from contents import Content  # noqa: E402
from crowds import film, small  # noqa: E402

ADDRESSES = 16
# How long a client waits at most. This ends a hang; no result depends on it.
PATIENCE = 120
# The receive buffer of clients that do not read. With a larger buffer, the system would read for them.
NARROW = 4096


class Tally:
    """The counts for the clients of one kind."""

    def __init__(self):
        # Clients that came, connections that opened, whole and right answers, 503 answers, connections that the
        # server closed too early, and answers with a wrong byte.
        self.came = self.connected = self.served = self.refused = self.closed = self.wrong = 0


class Gone(Exception):
    """The server ended the connection."""


class Line:
    """A connection."""

    def __init__(self, crowd, tally, is_narrow=False):
        self.crowd = crowd
        self.tally = tally
        self.is_narrow = is_narrow
        self.socket = None
        self.rest = b""

    async def __aenter__(self):
        self.socket = socket.socket()
        self.socket.setblocking(False)
        try:
            if self.is_narrow:
                self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, NARROW)
            self.socket.bind((f"127.0.0.{self.crowd.generator.randrange(2, 2 + ADDRESSES)}", 0))
            loop = asyncio.get_running_loop()
            await asyncio.wait_for(loop.sock_connect(self.socket, ("127.0.0.1", self.crowd.port)), PATIENCE)
        except BaseException:
            self.socket.close()
            raise
        self.tally.connected += 1
        return self

    async def __aexit__(self, kind, value, trace):
        # Half of the clients reset the connection: the system tells the server at once, and bytes in transit are
        # lost.
        if self.crowd.generator.random() < 0.5:
            with contextlib.suppress(OSError):
                self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    async def send(self, data):
        await asyncio.get_running_loop().sock_sendall(self.socket, data)

    async def some(self, count=65536):
        """Receives some bytes."""
        if self.rest:
            piece, self.rest = self.rest[:count], self.rest[count:]
            return piece
        piece = await asyncio.wait_for(asyncio.get_running_loop().sock_recv(self.socket, count), PATIENCE)
        if not piece:
            raise Gone()
        return piece

    async def ask(self, content, lower=None, upper=None):
        await self.send(self.crowd.request(content, lower, upper))

    async def head(self):
        """Reads the status and the header fields of an answer."""
        data = b""
        while b"\r\n\r\n" not in data:
            data += await self.some()
            if len(data) > 65536:
                raise ValueError("a head that does not end")
        head, _, self.rest = data.partition(b"\r\n\r\n")
        first, *fields = head.decode("latin-1").split("\r\n")
        names = {name.strip().lower(): value.strip() for name, _, value in (field.partition(":") for field in fields)}
        return int(first.split()[1]), names

    async def answer(self, content, most=None, pace=None):
        """Reads an answer, or its first `most` bytes; returns the offset behind its bytes, or None without media."""
        status, fields = await self.head()
        count = int(fields.get("content-length", 0))
        if status not in (200, 206):
            self.tally.refused += status == 503
            while count > 0:
                count -= len(await self.some(count))
            return None
        lower = int(re.match(r"bytes (\d+)-", fields["content-range"])[1]) if status == 206 else 0
        end = lower + (count if most is None else min(count, most))
        while lower < end:
            piece = await self.some(min(end - lower, 2048 if pace else 65536))
            if not content.stands_at(piece, lower):
                self.tally.wrong += 1
                return None
            lower += len(piece)
            if pace:
                await self.crowd.pause(pace)
        self.tally.served += most is None
        return lower


class Crowd:
    """All the clients."""

    def __init__(self, setting):
        self.port = setting["port"]
        self.path = setting["path"]
        self.generator = random.Random(setting["seed"])
        self.small = [small(number) for number in range(setting["small"])]
        self.films = [film(number) for number in range(setting["films"])]
        self.tallies = {}
        self.tasks = set()
        self.awake = asyncio.Event()
        self.awake.set()
        # Paused clients that wait for the command to go on.
        self.waiting = []

    def request(self, content, lower=None, upper=None):
        part = f"Range: bytes={lower}-{'' if upper is None else upper - 1}\r\n" if lower is not None else ""
        return f"GET {self.path}{content.name} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n{part}\r\n".encode()

    async def pause(self, seconds):
        await asyncio.sleep(seconds)
        await self.awake.wait()

    def come(self, kind):
        tally = self.tallies.setdefault(kind, Tally())
        tally.came += 1
        task = asyncio.create_task(self.be(getattr(self, kind), tally))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def be(self, client, tally):
        try:
            await client(tally)
        except (Gone, OSError, TimeoutError, asyncio.TimeoutError):
            tally.closed += 1

    async def again(self, tally, visit, times=100):
        """Makes a visit `times` times, with pauses; a connection that the server closes ends only its visit."""
        for _ in range(times):
            try:
                await visit()
            except (Gone, OSError, TimeoutError, asyncio.TimeoutError):
                tally.closed += 1
            await self.pause(0.5 + self.generator.random())

    # The kinds of clients.

    async def idle(self, tally):
        """Sends nothing."""
        async with Line(self, tally) as line:
            await asyncio.get_running_loop().sock_recv(line.socket, 1)
            raise Gone()

    async def kept(self, tally):
        """Asks for a range now and then, on one connection as long as it is open."""

        async def visit():
            async with Line(self, tally) as line:
                while True:
                    content = self.generator.choice(self.small)
                    lower = self.generator.randrange(content.length - 1000)
                    await line.ask(content, lower, lower + 1000)
                    if await line.answer(content) is None:
                        return
                    await self.pause(0.5 + 2 * self.generator.random())

        await self.again(tally, visit)

    async def slow(self, tally):
        """Reads a film at 20 kB/s."""
        content = self.generator.choice(self.films)
        async with Line(self, tally, is_narrow=True) as line:
            await line.ask(content)
            await line.answer(content, pace=0.1)

    async def half_closed(self, tally):
        """Asks, closes its writing side and reads the answer; makes up to five attempts to get the whole file."""
        content = self.generator.choice(self.small)
        for _ in range(5):
            with contextlib.suppress(Gone, OSError):
                async with Line(self, tally) as line:
                    await line.ask(content)
                    line.socket.shutdown(socket.SHUT_WR)
                    if await line.answer(content) == content.length:
                        return
            tally.closed += 1
            await asyncio.sleep(0.5)

    async def paused(self, tally):
        """Reads 64 KiB of a film and then pauses until the command to go on."""
        content = self.generator.choice(self.films)
        told = asyncio.get_running_loop().create_future()
        at = 0
        with contextlib.suppress(Gone, OSError):
            async with Line(self, tally, is_narrow=True) as line:
                await line.ask(content)
                at = await line.answer(content, most=64 << 10) or 0
                self.waiting.append(told)
                done = await told
                if await self.read_on(line, content, at, tally):
                    done.set_result(True)
                    return
        if not told.done():
            # The server closed the connection before the client had read its 64 KiB.
            self.waiting.append(told)
        done = await told
        for _ in range(20):
            with contextlib.suppress(Gone, OSError):
                async with Line(self, tally) as line:
                    await line.ask(content, at)
                    if await line.answer(content, most=256 << 10) == at + (256 << 10):
                        done.set_result(True)
                        return
            tally.closed += 1
            await asyncio.sleep(0.5)
        done.set_result(False)

    async def read_on(self, line, content, at, tally):
        end = at + (256 << 10)
        while at < end:
            piece = await line.some(end - at)
            if not content.stands_at(piece, at):
                tally.wrong += 1
                return False
            at += len(piece)
        return True

    async def never(self, tally):
        """Asks for a film and never reads."""
        async with Line(self, tally, is_narrow=True) as line:
            await line.ask(self.generator.choice(self.films))
            await asyncio.Event().wait()

    async def pipelining(self, tally):
        """Sends eight requests at once and reads eight answers."""

        async def visit():
            async with Line(self, tally) as line:
                while True:
                    asked = [(self.generator.choice(self.small), self.generator.randrange(60_000)) for _ in range(8)]
                    await line.send(b"".join(self.request(content, lower, lower + 777) for content, lower in asked))
                    for content, _ in asked:
                        if await line.answer(content) is None:
                            return
                    await self.pause(1 + self.generator.random())

        await self.again(tally, visit)

    async def garbage(self, tally):
        """Sends bytes that are not HTTP."""

        async def visit():
            async with Line(self, tally) as line:
                data = self.generator.randbytes(self.generator.randrange(1, 4096))
                await line.send(data + self.generator.choice((b"", b"\r\n\r\n", b"\n\n")))
                await line.some()

        await self.again(tally, visit)

    async def trickling(self, tally):
        """Sends a head that never ends."""
        content = self.generator.choice(self.small)
        async with Line(self, tally) as line:
            await line.send(self.request(content)[:-2])
            for number in range(10_000):
                await self.pause(1)
                await line.send(b"X: %d\r\n" % number)

    async def leaving(self, tally):
        """Leaves in the middle of a body."""

        async def visit():
            content = self.generator.choice(self.films)
            lower = self.generator.randrange(content.length)
            async with Line(self, tally) as line:
                await line.ask(content, lower)
                await line.answer(content, most=self.generator.randrange(300_000))

        await self.again(tally, visit)

    # The commands.

    async def do(self, command):
        match command["do"]:
            case "come":
                counts = dict(command["counts"])
                # In random order, and no faster than the listener's backlog allows.
                order = [kind for kind, count in counts.items() for _ in range(count)]
                self.generator.shuffle(order)
                for number, kind in enumerate(order):
                    self.come(kind)
                    if number % 50 == 49:
                        await asyncio.sleep(0.05)
            case "hush":
                self.awake.clear()
            case "wake":
                self.awake.set()
            case "go_on":
                return await self.go_on(command["count"], command["limit"])
            case "leave":
                await self.leave()
        return self.tell()

    async def go_on(self, count, limit):
        """Lets ten clients go on at a time, so that they do not take a free place from one another."""
        told, self.waiting = self.waiting[:count], self.waiting[count:]
        places = asyncio.Semaphore(10)

        async def one(future):
            async with places:
                done = asyncio.get_running_loop().create_future()
                future.set_result(done)
                return await done

        tasks = [asyncio.create_task(one(future)) for future in told]
        if not tasks:
            return {"waited": 0, "went_on": 0}
        finished, late = await asyncio.wait(tasks, timeout=limit)
        for task in late:
            task.cancel()
        return {"waited": len(told), "went_on": sum(task.result() for task in finished)}

    async def leave(self):
        tasks = set(self.tasks)
        # A task that is cancelled while it waits for its connection to close is cancelled again.
        for _ in range(5):
            if not tasks:
                break
            for task in tasks:
                task.cancel()
            _, tasks = await asyncio.wait(tasks, timeout=5)
        self.waiting.clear()
        self.awake.set()

    def tell(self):
        return {kind: vars(tally) for kind, tally in self.tallies.items()}


async def main():
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    crowd = Crowd(json.loads(sys.argv[1]))
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        print(json.dumps(await crowd.do(json.loads(line))), flush=True)
    await crowd.leave()


if __name__ == "__main__":
    asyncio.run(main())
