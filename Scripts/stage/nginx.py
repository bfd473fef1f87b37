# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A real nginx as origin: it can require a token, be slow and use TLS, and its log records the requests."""

import os
import shutil
import uuid
from collections import namedtuple
from pathlib import Path

from . import stage as stages
from . import waiting
from . import web
from .program import Program, processor_seconds

# One request in nginx's log, which gets a line when the request has ended.
Request = namedtuple("Request", "method path range status body_bytes seconds")

LOG_FORMAT = "$request_method\\t$request_uri\\t$http_range\\t$status\\t$body_bytes_sent\\t$request_time"

# `settle` requests paths below this one, where no files are.
SETTLED = "/settled/"
SETTLED_LOCATION = f"location ^~ {SETTLED} {{ return 204; }}"

CONFIGURATION = """
worker_processes 1;
daemon off;
pid {folder}/pid;
error_log {folder}/error.log warn;
{user}
events {{ worker_connections {connections}; }}
http {{
    log_format asked '{log_format}';
    access_log {access_log};
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    # Every file has the same, wrong type, so that a client must look at the bytes.
    types {{ }}
    default_type application/octet-stream;
    sendfile {sendfile};
    tcp_nopush off;
    tcp_nodelay on;
    keepalive_requests 100000000;
    open_file_cache max=100;
    open_file_cache_valid 1s;
    {outside}
    server {{
        listen 127.0.0.1:{port}{tls};
        root {root};
        {certificate}
        {settled}
        {token}
        {rate}
        {more}
    }}
}}
"""


def settle(port, log):
    """Waits until the log has a line for every answer that has ended.

    nginx writes a request's line after it has sent the answer. It has one worker, so it writes the line of a new
    request after the lines of all ended answers.
    """
    path = f"{SETTLED}{uuid.uuid4().hex}"
    web.fetch(f"http://127.0.0.1:{port}{path}")
    waiting.until(lambda: path in log.read_text(), 20, f"nginx's line for {path}")


class Nginx:
    """A running nginx; `more` is put into its server block, `outside` before that block."""

    def __init__(
        self,
        stage,
        root,
        token=None,
        rate=None,
        certificate=None,
        sendfile=True,
        log=True,
        more="",
        outside="",
        connections=1024,
        port=None,
    ):
        program = shutil.which("nginx", path=stage.environment["PATH"])
        if program is None:
            raise RuntimeError("nginx is not installed; install it with: Scripts/set-up play")
        self.stage = stage
        self.folder = stage.new_folder("nginx")
        self.log = self.folder / "access.log"
        self.scheme = "https" if certificate else "http"
        self.token = token
        values = dict(
            folder=self.folder,
            root=Path(root).resolve(),
            user="user root;" if os.geteuid() == 0 else "",
            log_format=LOG_FORMAT,
            access_log=f"{self.log} asked" if log else "off",
            sendfile="on" if sendfile else "off",
            tls=" ssl" if certificate else "",
            certificate=f"ssl_certificate {certificate.chain}; ssl_certificate_key {certificate.key};"
            if certificate
            else "",
            token=f'if ($http_authorization != "OAuth {token}") {{ return 401; }}' if token else "",
            rate=f"limit_rate {rate};" if rate else "",
            settled=SETTLED_LOCATION,
            more=more,
            outside=outside,
            connections=connections,
        )
        # Another program may take the free port before nginx listens on it; the loop then tries again.
        for attempt in range(5):
            self.port = port or stages.free_port()
            configuration = self.folder / "nginx.conf"
            configuration.write_text(CONFIGURATION.format(port=self.port, **values))
            self.program = Program(
                [program, "-p", self.folder, "-c", configuration], self.folder, f"nginx-{attempt}", stage.environment
            )
            try:
                waiting.until(self.has_started, 10, "nginx's start")
                break
            except (waiting.TookTooLong, RuntimeError):
                self.program.stop()
                if attempt == 4:
                    raise
        stage.put(self.program)

    def has_started(self):
        if not self.program.is_alive():
            raise RuntimeError(f"nginx did not start; its messages: {self.program.error}{self.errors}")
        return web.is_listening(self.port)

    @property
    def errors(self):
        path = self.folder / "error.log"
        return path.read_text() if path.exists() else ""

    @property
    def base(self):
        return f"{self.scheme}://127.0.0.1:{self.port}/"

    @property
    def header(self):
        """The header that nginx requires, as an argument for Weir."""
        return f"Authorization: OAuth {self.token}"

    def settled(self):
        """Waits until the log has a line for every ended answer, and returns this nginx.

        Needs the log, and does not work with TLS.
        """
        settle(self.port, self.log)
        return self

    def requests(self):
        """The requests except those of `settle`, in the order in which they ended."""
        if not self.log.exists():
            return []
        found = []
        for line in self.log.read_text().splitlines():
            method, path, part, status, sent, seconds = line.split("\t")
            if path.startswith(SETTLED):
                continue
            found.append(Request(method, path, None if part == "-" else part, int(status), int(sent), float(seconds)))
        return found

    def pids(self):
        """The master and its workers."""
        children = Path(f"/proc/{self.program.pid}/task/{self.program.pid}/children").read_text().split()
        return [self.program.pid] + [int(child) for child in children]

    def processor_seconds(self):
        """User and system time of the master and its workers so far."""
        return sum(processor_seconds(pid) for pid in self.pids())

    def stop(self):
        self.program.stop()
