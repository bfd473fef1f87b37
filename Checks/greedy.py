# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A client that reads as much as it can over many connections, and a modest one beside it."""

import selectors
import socket
import threading
import time
from urllib.parse import urlsplit

from stage import waiting, web

GREEDY = "127.0.0.2"
MODEST = "127.0.0.1"
# The address of a load balancer that reports its clients' addresses.
BALANCER = "127.0.0.3"


def connect(url, source, told=None):
    """A connection from an address, with the PROXY header for `told` if given; and the path."""
    parts = urlsplit(url)
    line = socket.create_connection((parts.hostname, parts.port), timeout=60, source_address=(source, 0))
    if told:
        line.sendall(f"PROXY TCP6 {told} ::1 1 1\r\n".encode())
    return line, parts.path


def request(path, **headers):
    fields = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{fields}\r\n".encode()


class Crowd:
    """Many connections of one client, each of which reads a body; `count` is the number of received body bytes."""

    def __init__(self, stage, urls, source=GREEDY, told=None):
        self.count = 0
        self.began = time.monotonic()
        self.selector = selectors.DefaultSelector()
        self.isOver = False
        for number, url in enumerate(urls):
            line, path = connect(url, source, told and told(number))
            line.sendall(request(path))
            line.setblocking(False)
            self.selector.register(line, selectors.EVENT_READ, {"head": b""})
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()
        stage.callback(self.stop)

    def read(self):
        while not self.isOver:
            for key, _ in self.selector.select(0.1):
                try:
                    piece = key.fileobj.recv(1 << 18)
                except OSError:
                    piece = b""
                if not piece:
                    self.selector.unregister(key.fileobj)
                    key.fileobj.close()
                elif key.data["head"] is None:
                    self.count += len(piece)
                else:
                    head, mark, body = (key.data["head"] + piece).partition(b"\r\n\r\n")
                    key.data["head"] = None if mark else head
                    self.count += len(body)
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()

    def until(self, count):
        """Waits until `count` bytes of bodies have arrived."""
        return waiting.until(lambda: self.count >= count, 120, f"{count} bytes, after {self.count},")

    def stop(self):
        self.isOver = True
        self.thread.join(10)


class Loops:
    """Loops of one client, each of which requests one file after another until it is stopped."""

    def __init__(self, stage, count, url_of, source=GREEDY):
        self.isOver = False
        self.threads = [
            threading.Thread(target=self.ask, args=(number, url_of, source), daemon=True) for number in range(count)]
        for thread in self.threads:
            thread.start()
        stage.callback(self.stop)

    def ask(self, loop, url_of, source):
        number = 0
        while not self.isOver:
            read(url_of(loop, number), source)
            number += 1

    def stop(self):
        self.isOver = True
        for thread in self.threads:
            thread.join(60)


def read(url, source=MODEST, told=None):
    """A whole answer, and the seconds until its first and its last byte."""
    line, path = connect(url, source, told)
    start = time.monotonic()
    with line:
        line.sendall(request(path, Connection="close"))
        data, first = b"", None
        while piece := line.recv(1 << 18):
            data += piece
            head, mark, body = data.partition(b"\r\n\r\n")
            if first is None and mark and body:
                first = time.monotonic() - start
    head, _, body = data.partition(b"\r\n\r\n")
    status = int(head.split(b" ", 2)[1])
    return web.Answer(status, [], body, first or 0.0), time.monotonic() - start
