# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A relay between Weir and a server: it passes bytes unchanged and records the server's bytes, by connection.

It does not parse HTTP, so `ICY 200 OK`, bare line feeds and endless heads pass as well. With `rate` it is a slow
line: it limits the bytes a second to the client, for each connection.

    relay = Relay(stage, icecast.port)
    ... weir plays f"{relay.base}/live.mp3" ...
    (connection,) = relay.connections
    stream = captures.stream(bytes(connection.received))
"""

import socket
import threading
import time

PIECE = 16384


class Connection:
    """The bytes of a connection; times are of `time.monotonic`."""

    def __init__(self, near, far):
        self.near = near
        self.far = far
        self.asked = bytearray()
        # The bytes that the server sent and the relay passed to the client.
        self.received = bytearray()
        self.began = time.monotonic()
        # The time until which the slow line is busy with the bytes that it has.
        self.due = 0.0
        self.ended = None
        # The side that ended the connection: "server", "client" or "relay"; None while it is open.
        self.left = None

    @property
    def request(self):
        """The request's first line."""
        return bytes(self.asked).partition(b"\r\n")[0].decode(errors="replace")

    def leave(self, who):
        if self.left is None:
            self.left, self.ended = who, time.monotonic()
        for line in (self.near, self.far):
            try:
                line.shutdown(socket.SHUT_RDWR)
            except OSError:
                # The socket is already closed.
                pass


class Relay:
    """A running relay to a port of this machine."""

    def __init__(self, stage, port, rate=None):
        self.port = port
        self.rate = rate
        self.connections = []
        self.lock = threading.Lock()
        self.is_open = True
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()
        stage.callback(self.stop)

    @property
    def base(self):
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    @property
    def open_connections(self):
        return [each for each in self.connections if each.left is None]

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            if not self.is_open:
                near.close()
                return
            try:
                far = socket.create_connection(("127.0.0.1", self.port), timeout=10)
            except OSError:
                near.close()
                continue
            far.settimeout(None)
            if self.rate:
                # Without this limit, megabytes stay in the system's buffers, and the line is not slow.
                near.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8192)
            near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = Connection(near, far)
            with self.lock:
                self.connections.append(connection)
            threading.Thread(target=self.pass_up, args=(connection,), daemon=True).start()
            threading.Thread(target=self.pass_down, args=(connection,), daemon=True).start()

    def pass_up(self, connection):
        try:
            while piece := connection.near.recv(PIECE):
                connection.asked += piece
                connection.far.sendall(piece)
        except OSError:
            pass  # The other side has already left.
        connection.leave("client")

    def pass_down(self, connection):
        who = "server"
        try:
            while piece := connection.far.recv(PIECE):
                who = "client"
                self.give(connection, piece)
                who = "server"
        except OSError:
            pass
        connection.leave(who)

    def give(self, connection, piece):
        if not self.rate:
            connection.near.sendall(piece)
            connection.received += piece
            return
        step = max(256, int(self.rate / 50))
        # An idle line does not send faster afterwards; within a piece, the line makes up for a sleep that was too long.
        due = max(connection.due, time.monotonic())
        for at in range(0, len(piece), step):
            part = piece[at : at + step]
            connection.near.sendall(part)
            connection.received += part
            due += len(part) / self.rate
            # Limits the rate; no condition is polled here.
            time.sleep(max(0.0, due - time.monotonic()))
        connection.due = due

    def cut(self):
        """Breaks off every connection, as a failing network does."""
        for connection in self.open_connections:
            connection.leave("relay")

    def stop(self):
        self.is_open = False
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()
        self.cut()
        self.thread.join(10)
