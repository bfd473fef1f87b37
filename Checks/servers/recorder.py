# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A recording origin: it records every request with all its headers, and answers by its routes.

The routes of `stage.origin` (content, redirect, status, page, cut, slow_line) work with it, too. The recorder answers
every method, may use TLS, and `file` serves a large file without reading all of it.

    here, there = Recorder(stage), Recorder(stage)
    here.routes["/a.flac"] = recorder.onward(there)          # 302 to the same path and query there
    there.routes["/a.flac"] = recorder.file(path)
    there.routes["/back.flac"] = recorder.onward(here)
    here.default = recorder.page(403)                        # for every path without a route
    [asked.authorization for asked in there.requests]
"""

import email.utils
import os
import ssl
import sys
import threading

from servers.launch import Asked
from stage import origin

# The limit of a request's recorded body; Weir sends no longer body to an origin.
LONGEST_BODY = 16 << 20
PIECE = 256 << 10

PAGE = """<!DOCTYPE html>
<html><head><title>{status}</title></head><body><h1>{status}</h1><p>This is a page for people.</p></body></html>
"""


class Body:
    """Writes an answer's body and counts it; for HEAD it only counts."""

    def __init__(self, wire, asked):
        self.wire = wire
        self.asked = asked

    def write(self, data):
        if self.asked.method == "HEAD":
            return len(data)
        self.wire.write(data)
        self.asked.sent += len(data)
        return len(data)

    def flush(self):
        self.wire.flush()


class Handler(origin.Handler):
    """Records a request and passes it to the route of its path."""

    asked = None

    def serve(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.asked = Asked(self.command, self.path, self.headers.items())
        self.server.origin.requests.append(self.asked)
        wire = self.wfile
        try:
            if length > LONGEST_BODY or self.headers.get("Transfer-Encoding"):
                self.close_connection = True
                self.answer(413, b"")
                return
            self.asked.body = self.rfile.read(length)
            self.route()
        except (BrokenPipeError, ConnectionResetError, TimeoutError):
            self.close_connection = True
        finally:
            self.wfile = wire
            self.asked.is_over = True
            self.asked = None

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_OPTIONS = do_PROPFIND = do_REPORT = serve

    def route(self):
        server = self.server.origin
        route = server.routes.get(self.path.partition("?")[0], server.default)
        route(self)

    def send_response(self, code, message=None):
        self.asked.status = code
        super().send_response(code, message)

    def end_headers(self):
        super().end_headers()
        # "100 Continue" comes before the request is recorded.
        if self.asked:
            self.wfile = Body(self.wfile, self.asked)


class Server(origin.Server):
    """Uses TLS if it has a context; each handshake runs on its connection's own thread."""

    context = None

    def get_request(self):
        connection, address = super().get_request()
        if self.context:
            connection = self.context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        return connection, address

    def handle_error(self, request, client_address):
        # A client that does not trust the certificate sends an alert and leaves; that is an OSError, too.
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class Recorder:
    """A running recording origin; `requests` are in the order of arrival."""

    handler = Handler

    def __init__(self, stage, routes=None, default=None, certificate=None):
        self.routes = dict(routes or {})
        self.default = default or page(404)
        self.requests = []
        self.scheme = "https" if certificate else "http"
        self.server = Server(("127.0.0.1", 0), self.handler)
        self.server.origin = self
        if certificate:
            self.server.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.server.context.load_cert_chain(certificate.chain, certificate.key)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()
        stage.callback(self.stop)

    @property
    def port(self):
        return self.server.server_address[1]

    @property
    def base(self):
        return f"{self.scheme}://127.0.0.1:{self.port}/"

    def asked_for(self, path, method=None):
        """The requests for a path, whatever their query."""
        return [asked for asked in self.requests if asked.path == path and method in (None, asked.method)]

    def stop(self):
        if self.thread.is_alive():
            self.server.shutdown()
            self.server.server_close()
            self.thread.join(10)


def onward(other, number=302, path=None):
    """A route that redirects to another recorder: to the same path and query, or to the given path."""

    def route(handler):
        target = path or handler.path
        handler.answer(number, b"", Location=other.base + target.removeprefix("/"))

    return route


def page(number, **headers):
    """A route that answers with a status and a page, like servers and the portals before them."""
    text = PAGE.format(status=number).encode()

    def route(handler):
        more = dict(headers)
        if number == 401:
            more.setdefault("WWW_Authenticate", 'Basic realm="recorder"')
        handler.answer(number, text, Content_Type="text/html; charset=utf-8", **more)

    return route


def demand(authorization, route, otherwise=None):
    """A route for requests with this Authorization; all others get 401."""

    def choose(handler):
        chosen = route if handler.headers.get("Authorization") == authorization else otherwise or page(401)
        chosen(handler)

    return choose


def file(path, etag='"one"', content_type="application/octet-stream"):
    """A route that serves a file and its ranges; If-Range and If-Match are compared with the ETag."""

    def route(handler):
        # The file may be replaced between requests.
        with open(path, "rb") as opened:
            length = os.fstat(opened.fileno()).st_size
            modified = email.utils.formatdate(os.fstat(opened.fileno()).st_mtime, usegmt=True)
            if handler.headers.get("If-Match", etag) not in (etag, "*"):
                handler.answer(412, b"")
                return
            status, lower, upper = handler.asked_range(length)
            # RFC 9110 13.1.5: a weak ETag never matches.
            wanted = handler.headers.get("If-Range")
            if wanted and wanted != modified and (wanted != etag or wanted.startswith("W/")):
                status, lower, upper = 200, 0, length
            if status == 206 and lower >= upper:
                handler.answer(416, b"", Content_Range=f"bytes */{length}")
                return
            handler.send_response(status)
            handler.send_header("Accept-Ranges", "bytes")
            handler.send_header("Content-Type", content_type)
            handler.send_header("Last-Modified", modified)
            if etag:
                handler.send_header("ETag", etag)
            if status == 206:
                handler.send_header("Content-Range", f"bytes {lower}-{upper - 1}/{length}")
            handler.send_header("Content-Length", str(upper - lower))
            handler.end_headers()
            if handler.command == "HEAD":
                return
            opened.seek(lower)
            while lower < upper and (piece := opened.read(min(PIECE, upper - lower))):
                handler.wfile.write(piece)
                lower += len(piece)

    return route
