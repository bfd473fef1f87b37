# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A line with a limited rate and a delay, shared by all connections."""

import socket
import threading
import time

PIECE = 8 << 10


class Asked:
    """A request, and how many bytes of its answer the line carried."""

    def __init__(self, lower, upper):
        self.time = time.monotonic()
        self.lower = lower
        self.upper = upper
        self.sent = 0


class Link:
    """Schedules the time of each piece; `delay` is the delay of a round trip, in seconds."""

    def __init__(self, rate, delay=0.0):
        self.rate = rate
        self.delay = delay
        self.lock = threading.Lock()
        self.free = 0.0
        self.sent = 0
        self.requests = []
        self.connections = set()

    def wait(self, count):
        """Waits until the line has carried `count` bytes."""
        with self.lock:
            begin = max(self.free, time.monotonic())
            self.free = begin + count / self.rate
            self.sent += count
        # Limits the rate; no condition is polled here.
        time.sleep(max(0.0, begin + count / self.rate - time.monotonic()))

    def route(self, data, etag):
        """A route of `stage.origin` that sends a file over this line."""

        def answer(handler):
            code, lower, upper = handler.asked_range(len(data))
            asked = Asked(lower, upper)
            with self.lock:
                self.requests.append(asked)
                trips = 1 if handler in self.connections else 2
                self.connections.add(handler)
            # The delay of the distance: a round trip for the request, and another one before it for a new
            # connection.
            time.sleep(trips * self.delay)
            if lower >= len(data):
                handler.answer(416, b"", Content_Range=f"bytes */{len(data)}")
                return
            # A small buffer: bytes in it would count as sent although the client has not received them.
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16 << 10)
            handler.head(code, lower, upper, len(data), etag)
            while lower < upper:
                end = min(upper, lower + PIECE)
                self.wait(end - lower)
                handler.wfile.write(data[lower:end])
                asked.sent += end - lower
                lower = end

        return answer
