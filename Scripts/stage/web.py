# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A small HTTP client that exposes the details of connections and answers."""

import http.client
import socket
import time
from urllib.parse import urlsplit


def is_listening(port):
    """Whether a program accepts connections at a port of this machine."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


class Answer:
    """A whole answer."""

    def __init__(self, status, headers, body, first_byte=0.0):
        self.status = status
        self.headers = {name.lower(): value for name, value in headers}
        self.body = body
        self.first_byte = first_byte

    @property
    def text(self):
        return self.body.decode(errors="replace")


class Line:
    """A persistent connection."""

    def __init__(self, url, timeout=60):
        parts = urlsplit(url)
        self.prefix = parts.path + (f"?{parts.query}" if parts.query else "")
        self.connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout)

    def ask(self, path="", headers=None, method="GET"):
        self.connection.request(method, self.prefix + path, headers=headers or {})
        response = self.connection.getresponse()
        body = response.read()
        return Answer(response.status, response.getheaders(), body)

    def close(self):
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def fetch(url, headers=None, method="GET", timeout=60):
    """One request on its own connection."""
    with Line(url, timeout) as line:
        return line.ask(headers=headers, method=method)


class Download:
    """A body that is read in pieces of any size, or abandoned."""

    def __init__(self, url, headers=None, timeout=60):
        parts = urlsplit(url)
        self.start = time.monotonic()
        self.connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout)
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        self.connection.request("GET", path, headers=headers or {})
        self.response = self.connection.getresponse()
        self.status = self.response.status

    def read(self, count):
        """Up to `count` bytes, as they arrive."""
        return self.response.read1(count)

    def read_exactly(self, count):
        """Exactly `count` bytes, or fewer if the body ends."""
        pieces, missing = [], count
        while missing:
            piece = self.response.read1(min(missing, 1 << 18))
            if not piece:
                break
            pieces.append(piece)
            missing -= len(piece)
        return b"".join(pieces)

    def first_byte(self):
        """Reads a byte; returns the seconds since the request, or None if the body is empty."""
        byte = self.response.read1(1)
        return (time.monotonic() - self.start) if byte else None

    def leave(self):
        self.connection.close()


def send_raw(port, data, timeout=20):
    """Sends bytes; receives until a head ends, or until the other side closes or is silent for `timeout` seconds."""
    with socket.create_connection(("127.0.0.1", port), timeout=timeout) as connection:
        received = b""
        try:
            connection.sendall(data)
            while b"\r\n\r\n" not in received:
                piece = connection.recv(65536)
                if not piece:
                    break
                received += piece
        except OSError:
            # The other side may refuse, and close, before it has read everything.
            pass
        return received
