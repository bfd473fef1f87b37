# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""An origin that draws its behaviour from a seed, for each resource and for each request.

It never lies in a way that no client could detect. The bytes at an offset are those of the version that an answer's
validator names, and a `Content-Range` names the bytes that follow it. A body that only the end of the connection
delimits is whole. Everything else may happen: see TROUBLES.

    origin = SeededOrigin(seed, names)
    await origin.start()
    origin.is_calm = True               # from now on every answer is correct
    origin.resources["/a-0.bin"].asked  # requests so far
"""

import asyncio
import email.utils
import random
import re
import socket
import time

from contents import Content

# The longest file. Small files make many requests, and many of those at block borders.
LONGEST = 600_000
# How many seconds a stall lasts that stands for one without end; clients have their own limits.
FOREVER = 40
# The fields that tell the version in an answer with another range than the client requested.
VALIDATORS = ("ETag", "Last-Modified", "Date")


class Resource:
    """A file of the origin, with its server's behaviour."""

    def __init__(self, seed, name, number):
        self.name = name
        self.generator = generator = random.Random(f"{seed} {name}")
        borders = (0, 1, 4095, 4096, 65_535, 65_536, 65_537, 131_072)
        self.length = generator.choice((*borders, *(generator.randrange(1, LONGEST) for _ in range(16))))
        self.keeps_length = generator.random() < 0.7
        self.validator = generator.choice(("strong", "strong", "date", "weak", "none", "none", "changing"))
        # Every run has a few files of each kind.
        self.ranges = {3: "ignored", 7: "one byte"}.get(number % 12, "kept")
        self.heeds_if_range = generator.random() < 0.7
        self.is_chunked = generator.random() < 0.2
        # The share of requests that meet trouble, and the share that bring a new version.
        self.trouble = generator.choice((0, 0.1, 0.3, 0.6))
        self.change = generator.choice((0, 0, 0.02, 0.1))
        if self.ranges == "one byte":
            # Only a budget limits the cost of fetching such a file.
            self.length, self.change, self.is_chunked = 100_000, 0, False
        self.versions = [None, Content(name, self.length, 1)]
        # Requests to the file itself, requests that only followed a redirect, and requests in progress.
        self.asked = self.followed = self.flying = 0
        # Clients being served, and whether new clients have to wait (see `SeededOrigin.change_between`).
        self.clients = 0
        self.is_held = False

    @property
    def version(self):
        return len(self.versions) - 1

    @property
    def names_versions(self):
        return self.validator in ("strong", "date", "changing")

    def grow_new(self):
        """Adds a new version."""
        length = self.length if self.keeps_length else max(0, self.length + self.generator.randrange(-3000, 3000))
        self.versions.append(Content(self.name, length, self.version + 1))

    def tag(self, version):
        if self.validator == "strong":
            return f'"{self.name}-{version}"'
        if self.validator == "changing":
            return f'"{self.name}-{version}-{self.asked}"'
        if self.validator == "weak":
            # The weak tag is the same for every version.
            return f'W/"{self.name}"'
        return None

    def date(self, version):
        # Strong by RFC 9110 8.8.2.2: an hour apart, and long before the answer's Date.
        return email.utils.formatdate(1_700_000_000 + 3600 * version, usegmt=True)

    def __str__(self):
        return (f"{self.name} ({self.length} bytes, validator {self.validator}, ranges {self.ranges}, "
                f"trouble {self.trouble}, version {self.version})")


class Reply:
    """An answer before it is written."""

    def __init__(self, status, fields=(), body=b"", is_chunked=False):
        self.status = status
        self.fields = list(fields)
        self.body = body
        self.is_chunked = is_chunked
        # The bytes before and after the answer; the share of the answer after which it is cut; the share after which
        # it stalls, and for how many seconds.
        self.before = b""
        self.after = b""
        self.cut = None
        self.stall = None
        self.is_reset = False
        self.newline = b"\r\n"
        self.ends = False

    def remove(self, *names):
        self.fields = [(name, value) for name, value in self.fields if name.lower() not in names]

    def put(self, name, value):
        self.remove(name.lower())
        self.fields.append((name, value))

    def raw(self, generator):
        lines = [f"HTTP/1.1 {self.status:03} Answer", *(f"{name}: {value}" for name, value in self.fields)]
        body = chunked(self.body, generator) if self.is_chunked else self.body
        head = self.newline.join(line.encode("latin-1") for line in lines)
        return self.before + head + 2 * self.newline + body + self.after


def chunked(body, generator):
    pieces, at = [], 0
    while at < len(body):
        size = min(len(body) - at, generator.choice((1, 7, 1000, 65_536)) if at else 100)
        pieces.append(b"%x\r\n%b\r\n" % (size, body[at : at + size]))
        at += size
    return b"".join(pieces) + b"0\r\n\r\n"


def honest(resource, asked, base=""):
    """The right answer of a server with this resource's behaviour."""
    version = resource.version
    content, tag = resource.versions[version], resource.tag(version)
    fields = [("Accept-Ranges", "none" if resource.ranges == "ignored" else "bytes")]
    fields += [("Date", email.utils.formatdate(usegmt=True)), ("Content-Type", "application/octet-stream")]
    fields += [("ETag", tag)] if tag else []
    fields += [("Last-Modified", resource.date(version))] if resource.validator == "date" else []
    bounds = part_of(asked.get("range"), content.length)
    wanted = asked.get("if-range")
    if wanted and resource.heeds_if_range and wanted not in (tag, resource.date(version)):
        bounds = None
    # A weak tag never matches (RFC 9110 13.1.5).
    if wanted and wanted.startswith("W/"):
        bounds = None
    if resource.ranges == "ignored" or bounds is None:
        return whole(resource, fields, content)
    lower, upper = bounds
    if lower >= upper:
        return Reply(416, [("Content-Range", f"bytes */{content.length}"), ("Content-Length", "0")])
    if resource.ranges == "one byte":
        upper = lower + 1
    return part(resource, fields, content, lower, upper)


def whole(resource, fields, content):
    size = [("Transfer-Encoding", "chunked")] if resource.is_chunked else [("Content-Length", str(content.length))]
    return Reply(200, fields + size, content.part(0, content.length), resource.is_chunked)


def part(resource, fields, content, lower, upper):
    size = [("Transfer-Encoding", "chunked")] if resource.is_chunked else [("Content-Length", str(upper - lower))]
    size.append(("Content-Range", f"bytes {lower}-{upper - 1}/{content.length}"))
    return Reply(206, fields + size, content.part(lower, upper), resource.is_chunked)


def part_of(field, length):
    """The bounds of a range request; None for the whole file, or if the field is not a range."""
    found = re.fullmatch(r"bytes=(\d*)-(\d*)", field or "")
    if not found or found[0] == "bytes=-":
        return None
    first, last = found.groups()
    if not first:
        return max(0, length - int(last)), length
    return int(first), min(int(last) + 1, length) if last else length


# Troubles: each takes a good answer and makes it a bad one.


def failing(reply, g, _):
    """An error status, lasting or temporary."""
    status = g.choice((500, 502, 503, 503, 504, 429, 429, 408, 404, 403, 401, 410, 400, 412, 405, 999))
    text = b"<html>no</html>"
    fields = [("Content-Type", "text/html"), ("Content-Length", str(len(text)))]
    if g.random() < 0.6:
        past = email.utils.formatdate(time.time() - 99, usegmt=True)
        after = g.choice(("0", "0", "1", "2", "-1", "99999", "9223372036854775807", "soon", past))
        fields.append(("Retry-After", after))
    return Reply(status, fields, text)


def odd_status(reply, g, _):
    """A status that does not fit the request."""
    kind = g.choice(("204", "304", "206 bare", "416", "416 bare", "100 twice", "103", "0", "0", "99"))
    if kind == "206 bare":
        reply.status = 206
        reply.remove("content-range")
        return reply
    if kind in ("100 twice", "103"):
        # These interim answers are allowed and carry no information.
        hints, again = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", b"HTTP/1.1 100 Continue\r\n\r\n" * 2
        reply.before = hints if kind == "103" else again
        return reply
    fields = [("Content-Range", "bytes */5")] if kind == "416" else []
    if kind.startswith("416"):
        fields.append(("Content-Length", "0"))
    status = int(kind.split()[0])
    if status < 100:
        # An invalid status, with or without a framed body.
        text = g.choice((b"", b"abc"))
        return Reply(status, [("Content-Length", str(len(text)))] if g.random() < 0.7 else [], text)
    return Reply(status, fields)


def odd_range(reply, g, context):
    """A Content-Range that is invalid, or names another range than the client requested."""
    if reply.status != 206:
        return reply
    content = context.content
    found = re.match(r"bytes (\d+)-(\d+)", dict(reply.fields)["Content-Range"])
    lower, last = int(found[1]), int(found[2])
    kinds = ("shifted", "shifted", "all", "huge", "huge", "negative", "words", "turned", "beyond", "unknown", "multipart")
    kind = g.choice(kinds)
    validators = [field for field in reply.fields if field[0] in VALIDATORS]
    if kind == "shifted":
        # True bytes of the file, but not the requested range.
        lower = max(0, min(content.length - 1, lower + g.choice((-4096, -1, 1, 4096))))
        upper = min(content.length, last + 1) if last >= lower else lower + 1
        return part(context, validators, content, lower, upper)
    if kind == "all":
        return part(context, validators, content, 0, content.length)
    if kind == "multipart":
        body = b"--x\r\nContent-Range: bytes %d-%d/%d\r\n\r\n%b\r\n--x--\r\n" % (lower, last, content.length, reply.body)
        reply.put("Content-Type", "multipart/byteranges; boundary=x")
        reply.remove("content-range", "content-length", "transfer-encoding")
        reply.put("Content-Length", str(len(body)))
        reply.body, reply.is_chunked = body, False
        return reply
    totals = (2**63 - 1, 2**63, 2**62 + 1, 2**64, 10**30)
    reply.put("Content-Range", {
        "huge": f"bytes {lower}-{last}/{g.choice(totals)}",
        "negative": f"bytes -{lower}-{last}/{content.length}",
        "words": "bytes some-more/all",
        "turned": f"bytes {last + 1}-{lower}/{content.length}",
        "beyond": f"bytes {lower}-{content.length + 10}/{content.length}",
        "unknown": f"bytes {lower}-{last}/*",
    }[kind])
    return reply


def odd_length(reply, g, _):
    """A false Content-Length, two of them, or none."""
    kind = g.choice(("more", "twice", "negative", "words", "huge", "none", "rest", "both"))
    size = len(reply.body)
    if kind == "rest":
        # More bytes than the length says; they belong to no answer.
        reply.after = b"?" * g.randrange(1, 300)
        reply.ends = True
        return reply
    if kind == "both":
        reply.put("Transfer-Encoding", "chunked")
        reply.put("Content-Length", str(size + 5))
        reply.is_chunked = True
        return reply
    reply.remove("transfer-encoding", "content-length")
    reply.is_chunked = False
    reply.ends = True
    if kind == "none":
        reply.put("Connection", "close")
    else:
        more = size + g.randrange(1, 99_999)
        lengths = {"more": more, "twice": size, "negative": -1, "words": "some", "huge": 2**63 - 1}
        reply.put("Content-Length", str(lengths[kind]))
        if kind == "twice":
            reply.fields.append(("Content-Length", str(size + 1)))
    return reply


def cut(reply, g, _):
    """The answer ends at any byte."""
    if "content-length" not in {name.lower() for name, _ in reply.fields} and not reply.is_chunked:
        return reply
    reply.cut = g.random() ** g.choice((1, 4))
    reply.is_reset = g.random() < 0.5
    return reply


def stall(reply, g, _):
    """The answer stalls at any byte, sometimes without end."""
    reply.stall = g.random(), FOREVER if g.random() < 0.05 else g.uniform(0.05, 1.5)
    return reply


def redirect(reply, g, context):
    """A redirect to another place, or to nowhere."""
    path = f"/{context.name}"
    where = g.choice((
        f"{path}?hop=1", f"{path}?hop=1", f"//{context.foreign}{path}?hop=1", f"http://{context.foreign}{path}?hop=1",
        f"{path}?loop=1", f"http://{context.foreign}{path}?loop=1", f"http://127.0.0.1:9{path}", "http://[::bad/", "",
        "javascript:alert(1)", "https://127.0.0.1:9/", "http://user:word@127.0.0.1:9/", "\x80\xff",
    ))
    fields = [("Location", where)] if where or g.random() < 0.5 else []
    return Reply(g.choice((301, 302, 303, 307, 308, 300)), [*fields, ("Content-Length", "0")])


def one_byte(reply, g, context):
    """A single byte of the requested range."""
    if reply.status != 206:
        return reply
    lower = int(re.match(r"bytes (\d+)-", dict(reply.fields)["Content-Range"])[1])
    validators = [field for field in reply.fields if field[0] in VALIDATORS]
    return part(context, validators, context.content, lower, lower + 1)


def odd_head(reply, g, _):
    """A head in an unusual form, or bytes that are not a head."""
    kind = g.choice(("lf", "long", "many", "bytes", "garbage", "empty"))
    if kind == "lf":
        reply.newline = b"\n"
    elif kind == "long":
        reply.put("X-Long", "x" * g.choice((5000, 200_000)))
    elif kind == "many":
        reply.fields += [(f"X-{number}", "x") for number in range(g.choice((50, 3000)))]
    elif kind == "bytes":
        reply.put("X-Bytes", "\x80\x01\xff")
    else:
        reply.before = g.randbytes(300) if kind == "garbage" else b""
        reply.cut = 0.5 if kind == "garbage" else 0
    return reply


TROUBLES = (
    failing, failing, odd_status, odd_range, odd_range, odd_length, cut, cut, cut, stall, redirect, one_byte, odd_head,
)


class Context:
    """The facts that a trouble may use."""

    def __init__(self, resource, foreign):
        self.name = resource.name
        self.content = resource.versions[resource.version]
        self.is_chunked = resource.is_chunked
        self.foreign = foreign


class SeededOrigin:
    """The server, in the event loop of the task that starts it."""

    def __init__(self, seed, names):
        self.seed = seed
        self.resources = {f"/{name}": Resource(seed, name, number) for number, name in enumerate(names)}
        self.is_calm = False
        self.servers = []
        self.tasks = set()

    async def start(self):
        # The second address is the foreign host of redirects.
        for address in ("127.0.0.1", "127.0.0.2"):
            self.servers.append(await asyncio.start_server(self.serve, address, 0, limit=1 << 20))
        return self

    def address(self, number):
        host, port = self.servers[number].sockets[0].getsockname()
        return f"{host}:{port}"

    @property
    def base(self):
        return f"http://{self.address(0)}/"

    async def stop(self):
        for server in self.servers:
            server.close()
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    async def serve(self, reader, writer):
        task = asyncio.current_task()
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        writer.transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                first, *lines = head.decode("latin-1").split("\r\n")
                method, target, _ = first.split(" ")
                fields = (line.partition(":") for line in lines if line)
                asked = {name.lower(): value.strip() for name, _, value in fields}
                if not await self.answer(writer, method, target, asked):
                    break
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError):
            # The client has left, or the run is over.
            pass
        finally:
            writer.transport.abort()

    async def answer(self, writer, method, target, asked):
        """Answers one request; returns whether another may follow on this connection."""
        path, _, query = target.partition("?")
        resource = self.resources.get(path)
        if resource is None:
            writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            return True
        if query:
            resource.followed += 1
        else:
            resource.asked += 1
        g = random.Random(f"{self.seed} {target} {resource.asked} {resource.followed}")
        resource.flying += 1
        try:
            if resource.names_versions and not self.is_calm and g.random() < resource.change:
                resource.grow_new()
            if query.startswith("loop") and not self.is_calm:
                count = int(query.partition("=")[2]) + 1
                reply = Reply(302, [("Location", f"{path}?loop={count}"), ("Content-Length", "0")])
            else:
                reply = self.reply(resource, asked, g, bool(query))
            if method == "HEAD":
                reply.body, reply.is_chunked, reply.after = b"", False, b""
            return await self.send(writer, reply, g)
        finally:
            resource.flying -= 1

    def reply(self, resource, asked, g, is_followed):
        if self.is_calm and resource.ranges == "one byte":
            resource.ranges = "kept"
        reply = honest(resource, asked)
        if not self.is_calm and g.random() < resource.trouble / (3 if is_followed else 1):
            reply = g.choice(TROUBLES)(reply, g, Context(resource, self.address(1)))
        return reply

    async def send(self, writer, reply, g):
        raw = reply.raw(g)
        end = len(raw) if reply.cut is None else int(len(raw) * reply.cut)
        at = 0
        if reply.stall:
            at = int(end * reply.stall[0])
            writer.write(raw[:at])
            await writer.drain()
            await self.stand_still(writer, reply.stall[1])
        for start in range(at, end, 65_536):
            writer.write(raw[start : min(end, start + 65_536)])
            await writer.drain()
        if reply.cut is None and not reply.ends:
            return True
        if not reply.is_reset:
            # The written bytes arrive, and then the end of the connection.
            writer.close()
            await writer.wait_closed()
        return False

    async def stand_still(self, writer, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end and not writer.transport.is_closing() and not self.is_calm:
            await asyncio.sleep(0.05)

    async def change_between(self, resource):
        """Adds a version to a file without validators while no client reads it, so that checks can tell versions."""
        resource.is_held = True
        try:
            for _ in range(60):
                if not resource.clients and not resource.flying:
                    resource.grow_new()
                    return
                await asyncio.sleep(0.05)
        finally:
            resource.is_held = False
