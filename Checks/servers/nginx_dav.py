# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""nginx with WebDAV: `dav_methods` and, for PROPFIND, the module dav_ext; Basic authentication.

Its answers (1.22.1 with dav_ext 3.0.0):
- PROPFIND has no `getetag` and no `getcontenttype`, even if requested. nginx omits unknown properties without a
  propstat of 404. GET and HEAD do have an ETag, "mtime-size" in hexadecimal, strong.
- Ranges, several ranges, If-Range and If-Match as RFC 9110 defines them; 416 with Content-Range. An empty file with a
  Range: 200 and an empty body.
- PROPFIND of a folder without its slash: 207; the hrefs of folders inside end in a slash, the folder's own does not.
  GET of it: 301 to an absolute URL. GET of a folder: 403.
- PROPFIND with Depth infinity: 403. OPTIONS names LOCK, but nginx has no LOCK.
"""

import json
import os
import re
import subprocess
from pathlib import Path

from check_results import Skipped
from servers import launch, passwords
from stage import nginx

USER, PASSWORD = "listener", "nginx sesame 4711"

# nginx logs only the headers that its configuration names; a Front before it logs all.
LOGGED = ("Authorization", "Range", "If-Range", "If-Match", "If-None-Match", "Depth", "Host", "User-Agent",
          "Accept-Encoding", "Content-Type", "Cookie")

CONFIGURATION = """
load_module {module};
worker_processes 1;
daemon off;
pid {folder}/pid;
error_log {folder}/error.log warn;
{user}
events {{ worker_connections 256; }}
http {{
    log_format asked escape=json '{log_format}';
    access_log {folder}/access.log asked;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    types {{ }}
    default_type application/octet-stream;
    server {{
        listen 127.0.0.1:{port};
        root {root};
        {settled}
        location / {{
            dav_methods PUT DELETE MKCOL COPY MOVE;
            dav_ext_methods PROPFIND OPTIONS;
            {basic}
        }}
        {more}
    }}
}}
"""


def module(program):
    """The nginx module that answers PROPFIND."""
    told = subprocess.run([program, "-V"], capture_output=True, text=True, timeout=10).stderr
    folders = re.findall(r"--modules-path=(\S+)", told) + ["/usr/lib/nginx/modules", "/usr/lib64/nginx/modules"]
    for folder in folders:
        path = Path(folder) / "ngx_http_dav_ext_module.so"
        if path.exists():
            return path
    raise Skipped("nginx has no dav_ext module; Scripts/set-up clouds installs it")


class NginxDAV:
    """A running nginx over a folder, which it may write to."""

    user, password = USER, PASSWORD

    def __init__(self, stage, root, is_open=False, more=""):
        program = launch.program(stage, "nginx")
        self.root = Path(root).resolve()
        self.folder = stage.new_folder("nginx-dav")
        (self.folder / "users").write_text(passwords.basic(USER, PASSWORD))
        headers = ",".join(f'["{name}","$http_{name.lower().replace("-", "_")}"]' for name in LOGGED)
        values = dict(
            module=module(program), folder=self.folder, root=self.root, more=more,
            settled=nginx.SETTLED_LOCATION,
            user="user root;" if os.geteuid() == 0 else "",
            log_format=f'["$request_method","$request_uri",$status,$body_bytes_sent,[{headers}]]',
            basic="" if is_open else f'auth_basic "stage"; auth_basic_user_file {self.folder}/users;',
        )

        def words(port):
            file = self.folder / "nginx.conf"
            file.write_text(CONFIGURATION.format(port=port, **values))
            return [program, "-p", self.folder, "-c", file]

        self.program, self.port = launch.at_free_port(stage, "nginx-dav", words, explain=lambda: self.errors)

    @property
    def base(self):
        return f"http://127.0.0.1:{self.port}/"

    @property
    def errors(self):
        path = self.folder / "error.log"
        return path.read_text() if path.exists() else ""

    @property
    def requests(self):
        """The requests in the order of their ends, with their headers of `LOGGED`.

        While nginx runs, the list includes every answer that has ended.
        """
        path = self.folder / "access.log"
        if self.program.is_alive():
            nginx.settle(self.port, path)
        found = []
        for line in path.read_text().splitlines() if path.exists() else []:
            method, target, status, sent, headers = json.loads(line)
            if target.startswith(nginx.SETTLED):
                continue
            asked = launch.Asked(method, target, [pair for pair in headers if pair[1]])
            asked.status, asked.sent, asked.is_over = status, sent, True
            found.append(asked)
        return found

    def stop(self):
        self.program.stop()
