# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""An origin whose answers combine habits: each address selects ranges, length, coding, validator and type.

It uses plain sockets, because no server library sends answers that RFC 9110 and 9112 forbid.
"""

import contextlib
import gzip
import socket
import threading
from dataclasses import dataclass, fields, replace
from email.utils import formatdate

# The answer to a range request; a request without a range gets the whole file, with 200.
RANGES = {
    "exact": "206 with the requested range",
    "earlier": "206 from the start of the 64 KiB block in which the range begins (see RFC 9110 §14.4)",
    "later": "206 that ends at the end of the block in which the range ends",
    "everything": "206 with `0-N/N` and the whole",
    "short": "206 with 64 KiB of the requested range",
    "behind": "206 that begins behind the first byte that was asked for",
    "no-field": "206 without `Content-Range`",
    "no-total": "206 with `a-b/*`",
    "status-200": "200 with `Content-Range: bytes a-b/N` and that part",
    "ignored": "200 with the whole",
    "refused-400": "400", "refused-403": "403", "refused-406": "406", "refused-501": "501",
    "refused-416": "416 without a total", "refused-416-total": "416 with a total that covers the range",
}
LENGTHS = {
    "once": "one `Content-Length`",
    "twice": "`Content-Length` twice, with one value",
    "list": "`Content-Length: N, N`",
    "different": "`Content-Length` twice, with two values",
    "chunks": "chunks",
    "chunks-length": "chunks beside a `Content-Length` of 7",
    "close": "the end of the connection",
}
CODINGS = {
    "none": None, "identity": "identity", "called-none": "none", "binary": "binary", "charset": "UTF-8",
    "aws-chunked": "aws-chunked", "gzip": "gzip", "gzip-twice": "gzip, gzip", "brotli-said": "br",
}
VALIDATORS = {
    "strong": {"ETag": '"one"'}, "weak": {"ETag": 'W/"one"'}, "bare": {"ETag": "one"}, "none": {},
    "date": {"Last-Modified": "Mon, 02 Nov 2026 10:00:00 GMT"},
}
TYPES = {"audio": "audio/mpeg", "page": "text/html; charset=utf-8", "bytes": "application/octet-stream", "none": None}
BLOCK = 64 * 1024


@dataclass(frozen=True)
class Cell:
    """A combination of habits; the defaults are a good server's."""

    ranges: str = "exact"
    length: str = "once"
    coding: str = "none"
    validator: str = "strong"
    type: str = "audio"

    def __str__(self):
        return "-".join(f"{each.name}.{getattr(self, each.name)}" for each in fields(self))

    @property
    def said(self):
        """The habits that differ from a good server's."""
        own = [f"{each.name}: {getattr(self, each.name)}" for each in fields(self)
               if getattr(self, each.name) != each.default]
        return ", ".join(own) or "as it should be"

    @property
    def is_contradiction(self):
        """Whether an answer contradicts itself, or names a coding that its body does not have."""
        return self.length == "different" or self.coding in ("gzip-twice", "brotli-said")


AXES = {"ranges": RANGES, "length": LENGTHS, "coding": CODINGS, "validator": VALIDATORS, "type": TYPES}


def axis_cells():
    """A cell for each habit, with a good server's behaviour otherwise."""
    return [Cell(), *(replace(Cell(), **{axis: habit}) for axis, habits in AXES.items() for habit in list(habits)[1:])]


def drawn_cells(random, count):
    """Cells with random habits; none appears twice or among the cells of the axes."""
    known = set(axis_cells())
    while len(known) < len(axis_cells()) + count:
        known.add(Cell(**{axis: random.choice(list(habits)) for axis, habits in AXES.items()}))
    return sorted(known - set(axis_cells()), key=str)


class HabitOrigin:
    """Serves one file below `/CELL/ANYTHING/NAME`, and counts the requests for each address."""

    def __init__(self, stage, data):
        self.data = data
        self.packed = gzip.compress(data, 1, mtime=0)
        self.cells = {}
        self.asked = {}
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.base = f"http://127.0.0.1:{self.listener.getsockname()[1]}/"
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()
        stage.callback(self.stop)

    def place(self, cell, reading):
        """The address of a cell; each reading has its own address, so that it is cold."""
        self.cells[str(cell)] = cell
        return f"{cell}/{reading}/song.mp3"

    def count(self, place):
        with self.lock:
            return len(self.asked.get("/" + place, []))

    def requests(self, place):
        """The requested ranges in order; None for the whole file."""
        with self.lock:
            return list(self.asked.get("/" + place, []))

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection, contextlib.suppress(OSError):
            connection.settimeout(60)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            head = b""
            while True:
                while b"\r\n\r\n" not in head:
                    piece = connection.recv(65536)
                    if not piece:
                        return
                    head += piece
                text, _, head = head.partition(b"\r\n\r\n")
                first, *lines = text.decode("latin-1").split("\r\n")
                asked = dict(line.lower().split(": ", 1) for line in lines if ": " in line)
                if not self.answer(connection, first.split(" ")[0], first.split(" ")[1], asked.get("range")):
                    return

    def answer(self, connection, method, path, field):
        """Answers a request; returns whether the connection may carry another one."""
        with self.lock:
            self.asked.setdefault(path, []).append(field)
        cell = self.cells.get(path.split("/")[1])
        if cell is None:
            connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            return True
        body = self.packed if cell.coding.startswith("gzip") else self.data
        status, lower, upper, span = self.part(cell, field, len(body))
        headers = [("Date", formatdate(usegmt=True)), *VALIDATORS[cell.validator].items()]
        if status >= 400:
            part = b"No ranges.\n"
            headers = [("Content-Type", "text/plain")]
        else:
            part = body[lower:upper]
            if TYPES[cell.type]:
                headers.append(("Content-Type", TYPES[cell.type]))
            if CODINGS[cell.coding]:
                headers.append(("Content-Encoding", CODINGS[cell.coding]))
            if cell.ranges == "exact":
                headers.append(("Accept-Ranges", "bytes"))
        if span:
            headers.append(("Content-Range", span))
        framing = "once" if status >= 400 else cell.length
        size = str(len(part))
        if framing in ("once", "twice", "list", "different"):
            values = {"once": [size], "twice": [size] * 2, "list": [f"{size}, {size}"],
                      "different": [size, str(len(part) + 9)]}[framing]
            headers += [("Content-Length", value) for value in values]
        elif framing == "close":
            headers.append(("Connection", "close"))
        else:
            headers.append(("Transfer-Encoding", "chunked"))
            headers += [("Content-Length", "7")] if framing == "chunks-length" else []
        head = f"HTTP/1.1 {status} As It Is\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers) + "\r\n"
        if method == "HEAD":
            part = b""
        elif "Transfer-Encoding" in dict(headers):
            pieces = [part[at:at + 50_000] for at in range(0, len(part), 50_000)]
            part = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
        connection.sendall(head.encode("latin-1") + part)
        return framing != "close"

    @staticmethod
    def part(cell, field, length):
        """The status, the bounds of the part, and the `Content-Range`."""
        if not field:
            return 200, 0, length, None
        first, _, last = field.removeprefix("bytes=").partition("-")
        lower = max(0, length - int(last)) if not first else int(first)
        upper = min(length, int(last) + 1) if first and last else length
        if cell.ranges.startswith("refused-"):
            has_total = cell.ranges.endswith("-total")
            return int(cell.ranges.split("-")[1]), 0, 0, f"bytes */{length}" if has_total else None
        if cell.ranges == "ignored":
            return 200, 0, length, None
        if lower >= length:
            return 416, 0, 0, f"bytes */{length}"
        match cell.ranges:
            case "earlier": lower -= lower % BLOCK
            case "later": upper = min(length, upper + BLOCK - upper % BLOCK)
            case "everything": lower, upper = 0, length
            case "short": upper = min(upper, lower + BLOCK)
            case "behind": lower = min(lower + 10, length - 1)
        status = 200 if cell.ranges == "status-200" else 206
        total = "*" if cell.ranges == "no-total" else length
        return status, lower, upper, None if cell.ranges == "no-field" else f"bytes {lower}-{upper - 1}/{total}"

    def stop(self):
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(10)
