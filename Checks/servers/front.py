# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A recorder in front of a real server: it passes every request on, and records requests and answers.

It is for servers whose own log lacks headers (nginx, rclone), or that have no log. `Host` passes unchanged, so links
and redirects of the server lead to the front. Two settings shape the line to the client: `rate` in bytes a second, and
`cut`, a function called before each piece, which returns whether the body ends there.

    front = Front(stage, rclone.base)
    weir = Weir(stage, front.base, …)
    [(asked.method, asked.status, asked.range) for asked in front.requests]
"""

import http.client
import time
from urllib.parse import urlsplit

from servers import recorder

# Headers of a single connection; each side has its own.
OF_CONNECTION = {"connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "proxy-connection"}


class Handler(recorder.Handler):
    """Passes a request on."""

    def route(self):
        front = self.server.origin
        special = front.routes.get(self.path.partition("?")[0])
        if special:
            special(self)
        else:
            self.pass_on(front)

    def pass_on(self, front, drop=()):
        """Sends the request without the headers in `drop` to the server behind, and returns its answer."""
        connection = http.client.HTTPConnection("127.0.0.1", front.behind, timeout=60)
        try:
            connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in OF_CONNECTION and name.lower() not in drop:
                    connection.putheader(name, value)
            connection.endheaders(self.asked.body or None)
            response = connection.getresponse()
            self.send_back(front, response)
        finally:
            connection.close()

    def send_back(self, front, response):
        self.asked.status = response.status
        self.send_response_only(response.status, response.reason)
        for name, value in response.getheaders():
            if name.lower() not in OF_CONNECTION:
                self.send_header(name, value)
        has_body = self.command != "HEAD" and response.status not in (204, 304)
        if has_body and response.length is None:
            # The length is unknown until the end; the end of the connection delimits the body.
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()
        if has_body:
            self.copy(front, response)

    def copy(self, front, response):
        start = time.monotonic()
        piece_size = min(recorder.PIECE, max(1024, int(front.rate / 20))) if front.rate else recorder.PIECE
        while piece := response.read(piece_size):
            if front.cut and front.cut(self.asked):
                self.close_connection = True
                self.asked.was_cut = True
                return
            self.wfile.write(piece)
            if front.rate:
                # Limits the rate; no condition is polled here.
                time.sleep(max(0.0, start + self.asked.sent / front.rate - time.monotonic()))
        if response.length:
            # The server behind closed its connection in the middle of the body, so the front does the same.
            self.close_connection = True


class Front(recorder.Recorder):
    """A running front; its `routes` take precedence over the server behind."""

    handler = Handler

    def __init__(self, stage, upstream, rate=None, cut=None, certificate=None):
        self.behind = urlsplit(upstream).port
        self.rate = rate
        self.cut = cut
        super().__init__(stage, certificate=certificate)
