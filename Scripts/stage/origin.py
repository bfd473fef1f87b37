# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""An origin with the faults of bad servers: a page instead of media, half a body, a slow line, odd redirects."""

import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit, urlunsplit


class Handler(BaseHTTPRequestHandler):
    """Passes a request to the route of its path."""

    protocol_version = "HTTP/1.1"
    timeout = 60

    def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def do_GET(self):
        self.server.origin.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
        route = self.server.origin.routes.get(self.path.partition("?")[0])
        try:
            if route is None:
                self.answer(404, b"")
            else:
                route(self)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def answer(self, status, body, **headers):
        """Sends a whole answer."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def asked_range(self, length):
        """Status and bounds of the requested range; single ranges only."""
        field = self.headers.get("Range")
        if not field:
            return 200, 0, length
        first, _, last = field.removeprefix("bytes=").partition("-")
        if not first:
            return 206, max(0, length - int(last)), length
        return 206, int(first), min(int(last) + 1, length) if last else length

    def head(self, status, lower, upper, length, etag='"one"', count=None):
        self.send_response(status)
        self.send_header("Accept-Ranges", "bytes")
        if etag:
            self.send_header("ETag", etag)
        if status == 206:
            self.send_header("Content-Range", f"bytes {lower}-{upper - 1}/{length}")
        self.send_header("Content-Length", str(upper - lower if count is None else count))
        self.end_headers()

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    """Does not print errors about clients that leave."""

    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


class Origin:
    """A server whose routes are functions of a handler."""

    def __init__(self, stage, routes=None):
        self.routes = dict(routes or {})
        self.asked = []
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.origin = self
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()
        stage.callback(self.stop)

    @property
    def port(self):
        return self.server.server_address[1]

    @property
    def base(self):
        return f"http://127.0.0.1:{self.port}/"

    def asked_for(self, path):
        """The headers of every request for a path."""
        return [headers for asked, headers in self.asked if asked.partition("?")[0] == path]

    def stop(self):
        if self.thread.is_alive():
            self.server.shutdown()
            self.server.server_close()
            self.thread.join(10)


def status(number, **headers):
    """A route that answers with a status."""
    return lambda handler: handler.answer(number, b"", **headers)


def page():
    """A route that answers 200 with a page where media should be."""
    text = b"<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Please sign in.</body></html>\n"
    return lambda handler: handler.answer(200, text, Content_Type="audio/mpeg")


def redirect(location, number=302):
    return lambda handler: handler.answer(number, b"", Location=location)


def content(data, etag='"one"'):
    """A route that answers correctly."""

    def route(handler):
        code, lower, upper = handler.asked_range(len(data))
        if lower >= len(data):
            handler.answer(416, b"", Content_Range=f"bytes */{len(data)}")
            return
        handler.head(code, lower, upper, len(data), etag)
        handler.wfile.write(data[lower:upper])

    return route


def halved(data, may_go_on):
    """A route that answers with half of the data, and with the rest when an event is set."""
    middle = len(data) // 2

    def route(handler):
        handler.head(200, 0, len(data), len(data))
        handler.wfile.write(data[:middle])
        may_go_on.wait(60)
        handler.wfile.write(data[middle:])

    return route


def cut(data, limit, times=None):
    """A route whose bodies end after `limit` bytes, always or only the given number of times."""
    done = []

    def route(handler):
        code, lower, upper = handler.asked_range(len(data))
        handler.head(code, lower, upper, len(data))
        if times is not None and len(done) >= times:
            handler.wfile.write(data[lower:upper])
            return
        done.append(1)
        handler.wfile.write(data[lower : min(upper, lower + limit)])
        handler.wfile.flush()
        handler.close_connection = True

    return route


class Sparse:
    """A large file that uses no memory: 8-byte words that tell their place."""

    def __init__(self, length):
        self.length = length

    def bytes(self, lower, upper):
        first = lower // 8
        words = range(first, (upper + 7) // 8)
        return b"".join(word.to_bytes(8, "big") for word in words)[lower - first * 8 : upper - first * 8]


class Counted:
    """Content that counts the bytes taken from it: for a line, all sent bytes and the piece being sent."""

    def __init__(self, content):
        self.content = content
        self.length = content.length
        self.count = 0
        self.lock = threading.Lock()

    def bytes(self, lower, upper):
        with self.lock:
            self.count += upper - lower
        return self.content.bytes(lower, upper)


def slow_line(content, delay, rate, piece=64 << 10):
    """A route over a line that takes `delay` seconds to the first byte and `rate` bytes a second."""

    def route(handler):
        code, lower, upper = handler.asked_range(content.length)
        # The delay of a distant server; no condition is polled here.
        time.sleep(delay)
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 64 << 10)
        handler.head(code, lower, upper, content.length)
        start, sent = time.monotonic(), 0
        while lower < upper:
            end = min(upper, lower + piece)
            handler.wfile.write(content.bytes(lower, end))
            sent += end - lower
            lower = end
            time.sleep(max(0.0, start + sent / rate - time.monotonic()))

    return route


class ForwardProxy:
    """A proxy that forwards requests, and opens tunnels for CONNECT; it counts both.

    With `address`, every request and tunnel goes to that address.
    """

    def __init__(self, stage, address=None):
        self.address = address
        self.targets = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()
        stage.callback(self.stop)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def stop(self):
        # Closing alone does not wake the thread that waits in accept.
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client:
            client.settimeout(30)
            try:
                head = b""
                while b"\r\n\r\n" not in head:
                    piece = client.recv(4096)
                    if not piece:
                        return
                    head += piece
                method, target, _ = head.split(b"\r\n")[0].decode().split(" ")
                self.targets.append(f"{method} {target}")
                parts = urlsplit(target if method != "CONNECT" else f"//{target}")
                if not parts.hostname:
                    client.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
                    return
                address = self.address or (parts.hostname, parts.port or 80)
                with socket.create_connection(address, timeout=10) as server:
                    if method == "CONNECT":
                        client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                    else:
                        # One request per connection: the next may be for another host.
                        path = urlunsplit(("", "", parts.path or "/", parts.query, "")).encode()
                        rest = head.split(b"\r\n", 1)[1]
                        server.sendall(method.encode() + b" " + path + b" HTTP/1.1\r\nConnection: close\r\n" + rest)
                    back = threading.Thread(target=pump, args=(server, client), daemon=True)
                    back.start()
                    pump(client, server)
                    back.join(30)
            except OSError:
                return


def pump(source, target):
    """Copies until the source ends, and then ends the target's stream."""
    try:
        while piece := source.recv(65536):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def closed_port(stage):
    """A port that refuses connections for as long as the stage lasts.

    A socket holds the port and does not listen, so no other program can take the port.
    """
    holder = socket.socket()
    holder.bind(("127.0.0.1", 0))
    stage.callback(holder.close)
    return holder.getsockname()[1]
