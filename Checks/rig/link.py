# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A line of so many bytes a second and some delay, however many connections share it."""

import socket
import threading
import time

PIECE = 8 << 10


class Asked:
    """A request, and how much of its answer went over the line."""

    def __init__(self, lower, upper):
        self.time = time.monotonic()
        self.lower = lower
        self.upper = upper
        self.sent = 0


class Link:
    """Hands out the time at which each piece may go; `delay` is that of a round trip, in seconds."""

    def __init__(self, rate, delay=0.0):
        self.rate = rate
        self.delay = delay
        self.lock = threading.Lock()
        self.free = 0.0
        self.sent = 0
        self.requests = []
        self.connections = set()

    def wait(self, count):
        """Waits for the turn of so many bytes."""
        with self.lock:
            begin = max(self.free, time.monotonic())
            self.free = begin + count / self.rate
            self.sent += count
        # What a narrow line does to everybody; nothing here waits for something to become true.
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
            # What distance does: a trip for the request, and before it one for a new connection.
            time.sleep(trips * self.delay)
            if lower >= len(data):
                handler.answer(416, b"", Content_Range=f"bytes */{len(data)}")
                return
            # Little is to stand in buffers: it would have gone over the line though nobody got it.
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16 << 10)
            handler.head(code, lower, upper, len(data), etag)
            while lower < upper:
                end = min(upper, lower + PIECE)
                self.wait(end - lower)
                handler.wfile.write(data[lower:end])
                asked.sent += end - lower
                lower = end

        return answer
