# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""An HLS origin of two hosts that counts: each address selects the habits of the servers and a film.

`/HABITS/LABEL/FILM/NAME` has habits joined by hyphens, such as `plain` or `signed-bare`. The label has no meaning for
the servers: it gives each player addresses of its own, so that every player meets a cold cache. The film `live` is the
stream that `add_live` made for its label. A list at `routes` is answered as it is there, for inputs that no server
should send.
"""

import gzip
import hashlib
import re
import secrets
import socket
import sys
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from stage import hls, waiting

# What a habit does to the answers. `plain` is a good server: ETags, conditional answers, ranges, no Cache-Control.
HABITS = {
    "plain": "no other habit",
    "bare": "no validator",
    "cached": "Cache-Control: max-age=3600 with segments, and no-cache with lists",
    "gzip": "lists come in gzip, whatever is asked",
    "redirect": "the first host redirects its lists to the second",
    "hop": "the first host redirects its segments and keys to the second",
    "absolute": "lists have absolute addresses, of the second host",
    "rooted": "lists have addresses that begin with a slash",
    "define": "lists have variables (EXT-X-DEFINE)",
    "nameless": "names have no extension, and every type is application/octet-stream",
    "disguised": "segments and keys have the names of pictures, and the type image/jpeg",
    "signed": "each list signs the addresses in it anew; a signature ends when the check says so",
    "private": "the first host wants the secret in Authorization",
    "guarded": "each host wants a secret of its own in Authorization",
    "whole": "ranges are ignored",
}

LIST_TYPE = "application/vnd.apple.mpegurl"
TYPES = {"m3u8": LIST_TYPE, "ts": "video/mp2t", "m4s": "video/iso.segment", "mp4": "video/mp4", "vtt": "text/vtt",
         "key": "application/octet-stream"}
ADDRESS = re.compile(r'(URI=")([^"]*)(")')
PIECE = 16 << 10
VARIABLE = "ending"


@dataclass
class Request:
    """A request, and what was answered; `sent` grows while the body is sent."""

    host: str
    method: str
    path: str
    query: str
    range: str | None
    agent: str
    if_none_match: str | None
    authorization: str | None
    status: int = 0
    sent: int = 0
    is_over: bool = False
    # By `time.monotonic`.
    begun: float = field(default_factory=time.monotonic)

    @property
    def label(self):
        return self.path.split("/")[2] if self.path.count("/") > 2 else ""

    @property
    def name(self):
        return self.path.rpartition("/")[2]

    @property
    def is_list(self):
        return self.name in ("film", "film.m3u8")


class Clock:
    """Counts seconds from its start; a held clock moves only when a check moves it."""

    def __init__(self, is_held=False):
        self.is_held = is_held
        self.start = time.monotonic()
        self.moved = 0.0

    def now(self):
        return self.moved + (0 if self.is_held else time.monotonic() - self.start)

    def move(self, seconds):
        self.moved += seconds


class Live:
    """A stream whose segments appear with its clock."""

    def __init__(self, target, window=5, begin=3, end=None, is_event=False, clock=None):
        self.target = target
        self.window = window
        # How many segments there are at the start, and after which one the stream ends.
        self.begin = begin
        self.end = end
        self.is_event = is_event
        self.clock = clock or Clock()
        self.film = hls.folder() / f"live-{target}"
        self.most = len(list(self.film.glob("*.ts")))

    def count(self):
        """How many segments have appeared."""
        count = self.begin + int(self.clock.now() // self.target)
        return min(count, self.end or self.most, self.most)

    def appeared(self, number):
        """When a segment appeared, by the clock."""
        return max(0, number + 1 - self.begin) * self.target

    def first(self):
        return 0 if self.is_event else max(0, self.count() - self.window)

    def text(self):
        count, first = self.count(), self.first()
        lines = ["#EXTM3U", "#EXT-X-VERSION:3", f"#EXT-X-TARGETDURATION:{self.target}", f"#EXT-X-MEDIA-SEQUENCE:{first}"]
        lines += ["#EXT-X-PLAYLIST-TYPE:EVENT"] if self.is_event else []
        for number in range(first, count):
            lines += [f"#EXTINF:{self.target}.000000,", f"s{number:03}.ts"]
        lines += ["#EXT-X-ENDLIST"] if self.end and count >= self.end else []
        return "\n".join([*lines, ""])

    def data(self, name):
        """The bytes of a segment that has appeared and is not long gone."""
        number = int(re.sub(r"\D", "", name) or -1)
        if not self.first() - 2 <= number < self.count():
            return None
        return (self.film / f"s{number:03}.ts").read_bytes()


class Signatures:
    """The signatures of one label: valid until a count of segments was answered, or until a check ends them."""

    def __init__(self, life=None):
        self.life = life
        self.ticks = 0
        self.until = {}
        self.ended = 0
        self.lock = threading.Lock()

    def sign(self):
        with self.lock:
            token = f"sgn{secrets.token_hex(12)}"
            self.until[token] = float("inf") if self.life is None else self.ticks + self.life
            return f"token={token}&expires={1800000000 + len(self.until)}"

    def is_valid(self, query, counts):
        """Whether a query has a valid signature; a good request for a segment counts."""
        token = parse_qs(query).get("token", [""])[0]
        with self.lock:
            if self.ticks >= self.until.get(token, -1):
                return False
            self.ticks += counts
            return True

    def end(self):
        """Ends every signature given so far."""
        with self.lock:
            self.ended += 1
            self.until = dict.fromkeys(self.until, -1)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def setup(self):
        super().setup()
        # A small buffer, so that the count of sent bytes is close to what the other side has received.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 32 << 10)
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self.server.lock:
            self.server.connections.add(self.connection)

    def finish(self):
        with self.server.lock:
            self.server.connections.discard(self.connection)
        super().finish()

    def do_GET(self):
        origin, parts = self.server.origin, urlsplit(self.path)
        asked = Request(
            self.server.name, self.command, parts.path, parts.query, self.headers.get("Range"),
            self.headers.get("User-Agent", ""), self.headers.get("If-None-Match"), self.headers.get("Authorization"))
        self.asked = asked
        with origin.lock:
            origin.asked.append(asked)
        try:
            origin.answer(self, parts.path, parts.query)
        except OSError:
            self.close_connection = True
        finally:
            asked.is_over = True

    do_HEAD = do_GET

    def answer(self, status, body=b"", ranges=False, **headers):
        """Sends an answer, and counts what is sent."""
        lower, upper = 0, len(body)
        wanted = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", "")) if ranges and status == 200 else None
        if wanted and any(wanted.groups()):
            first, last = wanted.groups()
            lower = int(first) if first else max(0, len(body) - int(last))
            upper = min(len(body), int(last) + 1) if first and last else len(body)
            status = 206 if lower < upper else 416
            headers["Content-Range"] = f"bytes {lower}-{upper - 1}/{len(body)}" if status == 206 else f"bytes */{len(body)}"
            lower, upper = (lower, upper) if status == 206 else (0, 0)
        self.asked.status = status
        self.send_response(status)
        for name, value in headers.items():
            if value is not None:
                self.send_header(name.replace("_", "-"), value)
        if ranges:
            self.send_header("Accept-Ranges", "bytes")
        if status != 304:
            self.send_header("Content-Length", str(upper - lower))
        self.end_headers()
        while self.command != "HEAD" and status != 304 and lower < upper:
            piece = body[lower : min(upper, lower + PIECE)]
            self.wfile.write(piece)
            lower += len(piece)
            self.asked.sent += len(piece)

    def log_message(self, *_):
        pass


class Host(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, origin, name, address):
        super().__init__((address, 0), Handler)
        self.origin = origin
        self.name = name
        self.lock = threading.Lock()
        self.connections = set()
        self.thread = threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    @property
    def port(self):
        return self.server_address[1]

    def stop(self):
        if self.thread.is_alive():
            self.shutdown()
            self.server_close()
            self.thread.join(10)
        with self.lock:
            for connection in self.connections:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (OSError, ValueError)):
            super().handle_error(request, client_address)


class HLSOrigin:
    """Two hosts; `asked` has every request of both in the order of their arrival."""

    def __init__(self, stage, addresses=("127.0.0.1", "127.0.0.1")):
        self.films = hls.folder()
        self.secret, self.other_secret = (f"Bearer {secrets.token_hex(16)}" for _ in range(2))
        self.asked = []
        self.lock = threading.Lock()
        self.lives = {}
        self.signatures = {}
        # By path: bytes of a list, a pair of a type and bytes, or a function of a handler.
        self.routes = {}
        # Paths that are answered with 404 although they exist.
        self.gone = set()
        self.one, self.two = (Host(self, name, address) for name, address in zip(("one", "two"), addresses))
        self.addresses = addresses
        stage.callback(self.stop)

    @property
    def base(self):
        return f"http://{self.addresses[0]}:{self.one.port}/"

    @property
    def other_base(self):
        return f"http://{self.addresses[1]}:{self.two.port}/"

    def stop(self):
        """Closes both hosts, and every connection to them."""
        self.one.stop()
        self.two.stop()

    def add_live(self, label, *words, **options):
        self.lives[label] = Live(*words, **options)
        return self.lives[label]

    def sign(self, label, life=None):
        self.signatures[label] = Signatures(life)
        return self.signatures[label]

    def of(self, label, since=0):
        """The requests for a label, from the given count of all requests on, once their answers are over."""
        with self.lock:
            found = [each for each in self.asked[since:] if each.label == label]
        waiting.until(lambda: all(each.is_over for each in found), 30, "the end of the origin's answers")
        return found

    def mark(self):
        """The count of requests so far, for `of`."""
        with self.lock:
            return len(self.asked)

    def answer(self, handler, path, query):
        if path in self.gone:
            handler.answer(404)
            return
        route = self.routes.get(path)
        if callable(route):
            route(handler)
            return
        if route is not None:
            kind, body = route if isinstance(route, tuple) else (LIST_TYPE, route)
            self.send(handler, body, kind, has_tag=True)
            return
        words = path.strip("/").split("/")
        habits = set(words[0].split("-")) if len(words) > 3 else {""}
        if not habits <= set(HABITS) or ".." in words:
            handler.answer(404)
            return
        label, film, name = words[1], words[2], "/".join(words[3:])
        is_first = handler.server is self.one
        secret = (self.secret if is_first and {"private", "guarded"} & habits else
                  self.other_secret if "guarded" in habits else None)
        if secret and handler.headers.get("Authorization") != secret:
            handler.answer(401)
            return
        is_list = words[-1].partition(".")[0] == "film"
        if is_first and ("redirect" if is_list else "hop") in habits:
            handler.answer(302, Location=f"{self.other_base}{path.lstrip('/')}{'?' + query if query else ''}")
            return
        # The top list is asked without a signature.
        if "signed" in habits and not (is_list and len(words) == 4):
            if not self.signatures[label].is_valid(query, counts=not is_list):
                handler.answer(403)
                return
        if is_list:
            self.answer_list(handler, habits, label, film, name, path)
        else:
            self.answer_file(handler, habits, label, film, name)

    def answer_list(self, handler, habits, label, film, name, path):
        live = self.lives.get(label) if film == "live" else None
        if live:
            text = live.text()
        else:
            file = self.found(film, name)
            if file is None:
                handler.answer(404)
                return
            text = file.read_text()
        text = self.changed(text, habits, label, path)
        headers = {"Cache_Control": "no-cache" if "cached" in habits else None}
        kind = "application/octet-stream" if "nameless" in habits else LIST_TYPE
        body = text.encode()
        if "gzip" in habits:
            headers["Content_Encoding"] = "gzip"
            body = gzip.compress(body, mtime=0)
        # A list with new signatures is a new list each time, so its ETag is that of its plain text.
        self.send(handler, body, kind, has_tag="bare" not in habits, ranges="whole" not in habits, **headers)

    def answer_file(self, handler, habits, label, film, name):
        live = self.lives.get(label) if film == "live" else None
        data = live.data(name) if live else None
        kind = "image/jpeg" if "disguised" in habits else TYPES.get(name.rpartition(".")[2], "application/octet-stream")
        if not live:
            file = self.found(film, name)
            if file is not None:
                data = file.read_bytes()
        if data is None:
            handler.answer(404)
            return
        cache = "max-age=3600" if "cached" in habits else None
        self.send(handler, data, kind, has_tag="bare" not in habits, ranges="whole" not in habits, Cache_Control=cache)

    def found(self, film, name):
        """The file of a name, which may lack its extension or have another one."""
        path = self.films / film / name
        if path.is_file():
            return path
        return next(iter(sorted(path.parent.glob(f"{path.stem}.*"))), None) if path.parent.is_dir() else None

    def send(self, handler, body, kind, has_tag, ranges=True, **headers):
        tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"' if has_tag else None
        if tag and handler.headers.get("If-None-Match") == tag:
            handler.answer(304, ETag=tag)
            return
        handler.answer(200, body, ranges=ranges, Content_Type=kind, ETag=tag, **headers)

    def changed(self, text, habits, label, path):
        """The text of a list with addresses as the habits want them."""
        folder = path.rpartition("/")[0]
        signatures = self.signatures.get(label)
        signed = {}

        def address(name):
            if "nameless" in habits:
                name = name.rpartition(".")[0]
            if "disguised" in habits and not name.endswith(".m3u8"):
                name = f"{name.rpartition('.')[0]}.jpg"
            if "define" in habits and not name.endswith(".m3u8"):
                name = f"{name.rpartition('.')[0]}.{{${VARIABLE}-{name.rpartition('.')[2]}}}"
            if "absolute" in habits:
                name = f"{self.other_base.rstrip('/')}{folder}/{name}"
            elif "rooted" in habits:
                name = f"{folder}/{name}"
            if "signed" not in habits:
                return name
            # A name has one signature in a list: byte ranges continue after the previous range of the same address.
            if name not in signed:
                signed[name] = f"{name}?{signatures.sign()}"
            return signed[name]

        lines = []
        for line in text.splitlines():
            if line.startswith("#"):
                line = ADDRESS.sub(lambda found: found[1] + address(found[2]) + found[3], line)
            elif line:
                line = address(line)
            lines.append(line)
        if "define" in habits:
            is_nested = path.strip("/").count("/") > 3
            for ending in ("ts", "m4s", "mp4", "vtt", "key"):
                attribute = f'IMPORT="{VARIABLE}-{ending}"' if is_nested else f'NAME="{VARIABLE}-{ending}",VALUE="{ending}"'
                lines.insert(1, f"#EXT-X-DEFINE:{attribute}")
        return "\n".join([*lines, ""])
