# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Weir and its peers: servers from Debian's packages, each with its configuration and the reasons for it.

Weir serves all clients from one event loop, so every peer has one worker if that can be set. All keep connections
open for any number of requests, write no access log and listen on 127.0.0.1. nginx serves the files themselves. The
caches fetch from another nginx, and hold everything before a measurement starts.
"""

import os
import random
import shutil
import subprocess
from pathlib import Path

import clients
from stage import media, waiting, web
from stage.nginx import Nginx
from stage.program import Program
from stage.stage import free_port
from stage.weir import Weir

# Inside the server block of nginx. Idle connections stay open; nginx keeps at most 1,024 files open, as Weir does.
# The other settings are those of the stage's nginx: one worker, no log, TCP_NODELAY, no limit of requests to a
# connection.
KEPT = "keepalive_timeout 1h; open_file_cache max=1024; open_file_cache_valid 60s;"

# A cache of nginx. It fetches and stores parts of a file as slices of 1 MiB, each in its own file. Their keys take
# room in memory (keys_zone). nginx removes nothing because of age (inactive) or lack of room (max_size).
SLICES_OUTSIDE = "proxy_cache_path {folder} levels=2 keys_zone=slices:16m inactive=1d max_size=4g use_temp_path=off;"
SLICES_INSIDE = """
location / {{
    proxy_pass {origin};
    slice 1m;
    proxy_cache slices;
    proxy_cache_key $uri$slice_range;
    proxy_set_header Range $slice_range;
    # Without 1.1 the origin's connection would be closed after each slice.
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    # Responses without an age count as fresh for a day: no request repeats during the measurement.
    proxy_cache_valid 200 206 1d;
}}
"""

# Varnish's built-in VCL follows this one. It caches GET requests, fetches the whole file for any range, and answers
# ranges of it.
VCL = """
vcl 4.1;
backend origin {{ .host = "127.0.0.1"; .port = "{port}"; }}
sub vcl_backend_response {{
    # Nothing is asked again while it is measured.
    set beresp.ttl = 1d;
}}
"""
UNLOGGED = (
    *("Begin", "End", "Link", "Timestamp", "SessOpen", "SessClose", "Hit", "HitMiss", "ReqAcct", "Length"),
    *("ReqStart", "ReqMethod", "ReqURL", "ReqProtocol", "ReqHeader", "ReqUnset", "VCL_call", "VCL_return"),
    *("RespProtocol", "RespStatus", "RespReason", "RespHeader", "RespUnset", "Filters"),
)
VARNISH = (
    # In the foreground, and without its sandbox, which changes the user and needs root for that.
    *("-F", "-j", "none"),
    # In memory, from which it serves fastest, with room for three of the files.
    *("-s", "malloc,768m"),
    # Each request has a thread. There is one pool of threads, from the start large enough for every measurement.
    *("-p", "thread_pools=1", "-p", "thread_pool_min=200", "-p", "thread_pool_max=2000"),
    *("-p", "timeout_idle=3600"),
    # Nothing about a request is logged. The log is in shared memory, and no program reads it.
    *("-p", "vsl_mask=" + ",".join(f"-{tag}" for tag in UNLOGGED)),
)

LEAST = "least server"

RCLONE = (
    *("serve", "http", ":http:"),
    # Stores the read parts in files, and fetches the missing parts, as Weir does.
    *("--vfs-cache-mode", "full", "--vfs-cache-max-age", "24h"),
    # rclone trusts a folder's entries for a day, so it repeats no request during a measurement.
    *("--dir-cache-time", "24h"),
    # Without the user's configuration.
    *("--config", ""),
)


class Subject:
    """A measured server: its name in the tables, and the address where it serves the origin's files."""

    def __init__(self, name, program, base):
        self.name = name
        self.program = program
        self.base = base

    def __str__(self):
        return self.name

    def url(self, path):
        return self.base + path

    def pids(self):
        """The process and all its descendants."""
        found = [self.program.pid]
        for pid in found:
            for task in Path(f"/proc/{pid}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
        return found


class QuietWeir(Weir):
    """A server as people run it: without a line per request, which would cost more than the request."""

    verbosity = "--quiet"


def origin(stage, folder):
    """The origin of the caches: its log records requests. rclone finds files in its lists of folders."""
    return Nginx(stage, folder, more="autoindex on;")


def weir(stage, base, *options, **more):
    server = QuietWeir(stage, base, *options, **more)
    return Subject("weir", server.program, server.base)


def nginx(stage, folder, **more):
    """With sendfile: the kernel sends from the page cache."""
    server = Nginx(stage, folder, log=False, more=KEPT, connections=4096, **more)
    return Subject("nginx", server.program, server.base)


def nginx_without_sendfile(stage, folder):
    """Reads into its own memory and sends from there."""
    server = Nginx(stage, folder, log=False, more=KEPT, sendfile=False)
    return Subject("nginx, sendfile off", server.program, server.base)


def nginx_cache(stage, base):
    folder = stage.new_folder("slices")
    inside = KEPT + SLICES_INSIDE.format(origin=base.rstrip("/"))
    outside = SLICES_OUTSIDE.format(folder=folder)
    server = Nginx(stage, stage.new_folder("empty"), log=False, more=inside, outside=outside)
    return Subject("nginx, proxy_cache", server.program, server.base)


def varnish(stage, base):
    folder = stage.new_folder("varnish")
    file = folder / "default.vcl"
    file.write_text(VCL.format(port=base.rstrip("/").rpartition(":")[2]))
    # varnishd compiles the VCL with cc, and writes its messages to its error output.
    words = ["varnishd", *VARNISH, "-n", folder / "work", "-f", file, "-a"]
    return launched(stage, "Varnish", words, lambda port: [f"127.0.0.1:{port}"])


def rclone(stage, base):
    words = ["rclone", *RCLONE, "--http-url", base, "--cache-dir", stage.new_folder("rclone"), "--addr"]
    # At most one thread runs Go code at a time, which is the nearest to one event loop.
    environment = dict(stage.environment, GOMAXPROCS="1")
    return launched(stage, "rclone", words, lambda port: [f"127.0.0.1:{port}"], environment)


def least(stage, folder, second=None):
    """`server.c`: only the system calls that an answer needs; with a second folder, it reads a second file, too."""
    path = stage.folder / "server"
    subprocess.run(["cc", "-O2", "-o", path, Path(__file__).with_name("server.c")], check=True)
    words = [path, folder] + ([second] if second else [])
    program = stage.put(Program(words, stage.folder, stage.name("least"), stage.environment))
    return Subject(LEAST, program, waiting.until(lambda: program.output.strip(), 10, "the least server's URL"))


def launched(stage, name, words, address, environment=None):
    """A server on a free port; tries another port if another program takes the first."""
    path = shutil.which(words[0], path=stage.environment["PATH"])
    if path is None:
        raise RuntimeError(f"{words[0]} is not installed; install it with: Scripts/set-up bench")
    for attempt in range(5):
        port = free_port()
        command = [path, *words[1:], *address(port)]
        program = Program(command, stage.folder, stage.name(name), environment or stage.environment)
        try:
            waiting.until(lambda: web.is_listening(port) or not program.is_alive(), 20, f"{name}'s start")
            if program.is_alive():
                stage.put(program)
                return Subject(name, program, f"http://127.0.0.1:{port}/")
        except waiting.TookTooLong:
            program.stop()
    raise RuntimeError(f"{name} did not start: {program.error[-500:]}")


# The peers by their names in the tables. Each function starts one on a stage, for a folder and an origin of its files.
PEERS = {
    "nginx": lambda stage, folder, base: nginx(stage, folder),
    "nginx, sendfile off": lambda stage, folder, base: nginx_without_sendfile(stage, folder),
    "nginx, proxy_cache": lambda stage, folder, base: nginx_cache(stage, base),
    "Varnish": lambda stage, folder, base: varnish(stage, base),
    "rclone": lambda stage, folder, base: rclone(stage, base),
}
# The programs of the peers other than nginx; a table with such a peer names its version.
PROGRAMS = {"Varnish": "varnishd", "rclone": "rclone"}


def started(results, stage, names, folder, base):
    """Starts the peers with these names."""
    results.uses(*(PROGRAMS.get(name, "nginx") for name in names))
    return [PEERS[name](stage, folder, base) for name in names]


def warm(stage, subject, path, file):
    """Reads a file through a subject twice, and compares parts of it."""
    size = os.path.getsize(file)
    for _ in range(2):
        clients.megabytes_per_second(subject.url(path), size, stage.environment)
    generator = random.Random(7)
    for _ in range(4):
        lower = generator.randrange(size - 65536)
        answer = web.fetch(subject.url(path), {"Range": f"bytes={lower}-{lower + 65535}"})
        if answer.status != 206 or answer.body != media.part(file, lower, lower + 65536):
            raise RuntimeError(f"{subject} answered {answer.status} with other bytes than the file's")
