# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Warm ranges while many other connections are open and idle."""

import resource
import socket
from urllib.parse import urlsplit

import rates
from stage import media
from stage.stage import Stage
from warm import Warm

OPEN, ACTIVE = 1000, 64
COUNT = OPEN - ACTIVE


class Idle:
    """Connections to a server that have made one range request each, and make no more."""

    def __init__(self, url):
        parts = urlsplit(url)
        self.address = (parts.hostname, parts.port)
        self.request = f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nRange: bytes=0-99\r\n\r\n".encode()
        self.connections = []

    def fill(self):
        """Drops the connections that the server has closed, and replaces each once."""
        self.connections = [each for each in self.connections if is_open(each) or each.close()]
        for _ in range(COUNT - len(self.connections)):
            connection = socket.create_connection(self.address, timeout=10)
            try:
                connection.sendall(self.request)
                received = b""
                while len(received.partition(b"\r\n\r\n")[2]) < 100 and (piece := connection.recv(4096)):
                    received += piece
            except OSError:
                # The server closed the connection at once; the next check finds it closed.
                pass
            # With a timeout, `is_open` would wait for bytes.
            connection.setblocking(False)
            self.connections.append(connection)

    def open_count(self):
        return sum(map(is_open, self.connections))

    def close(self):
        for connection in self.connections:
            connection.close()


def is_open(connection):
    try:
        return connection.recv(1, socket.MSG_PEEK) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def ranges(results):
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    measure = f"warm 64 KiB ranges, {OPEN:,} connections, {ACTIVE} of them active"
    with Stage("bench") as stage:
        warm = Warm(results, stage)
        idle = {subject.name: Idle(subject.url(media.BIG)) for subject in warm.subjects}
        # The smallest number of connections found open after a turn.
        left = {name: COUNT for name in idle}
        for connections in idle.values():
            stage.callback(connections.close)

        def count(subject):
            left[subject.name] = min(left[subject.name], idle[subject.name].open_count())

        def fill(subject):
            if idle[subject.name].connections:
                count(subject)
            idle[subject.name].fill()

        rates.take(results, stage, warm.subjects, measure, rates.ranges(ACTIVE), before_turn=fill)
        for subject in warm.subjects:
            count(subject)
        results.row(f"of the {COUNT:,} idle ones, still open at the end of each turn, at least",
                    f"nginx {left['nginx']:,}", f"{left['weir']:,}", "")
        warm.check()
