# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""OpenStack Swift, which speaks S3: a proxy, and three folders, each with an account, container and object server.

It is pip's package `swift`, in its own environment below .build (80 MB). The first check that needs it makes the
environment. It is never on a PATH, because OpenStack's client has the same name as Swift's compiler.

Its behaviour (2.38.3):
- Swift writes everything to three folders, and a write succeeds when two folders have it. A read asks one folder, and
  the next one if the first has no copy or is down. No replicator runs: an emptied folder gets only new objects.
- While a container server is down, listings may miss new objects. Nothing in this set-up adds them later.
- Attributes of the file system hold an object's metadata. Without attributes, Swift cannot store objects.
- Without memcached, the proxy asks for the account and the container again for each request. This set-up has none.
- The name of an access key is `ACCOUNT:USER`. Swift compares signatures, and reports a wrong region.
- Swift supports `If-None-Match: *` of a PUT (412 with `PreconditionFailed`).
"""

import http.client
import os
import pwd
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

from check_results import Skipped
from servers import sigv4
from servers.s3 import BUCKET, KEYS
from stage import once, place, waiting, web
from stage.program import Program
from stage.stage import free_port

# The packages for pip; newer versions of the other two may not work with this Swift.
PACKAGES = ("swift==2.38.3", "eventlet==0.41.3", "pyeclib==1.8.0")
KINDS = ("account", "container", "object")
REPLICAS = 3

PROXY = """[DEFAULT]
{common}
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck proxy-logging listing_formats bulk s3api tempauth copy slo dlo \
versioned_writes symlink proxy-logging proxy-server

[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true

[filter:tempauth]
use = egg:swift#tempauth
user_{user} = {secret} .admin

[filter:s3api]
use = egg:swift#s3api
location = {region}

[filter:proxy-logging]
use = egg:swift#proxy_logging
""" + "".join(f"\n[filter:{name}]\nuse = egg:swift#{name}\n" for name in (
    "catch_errors", "gatekeeper", "healthcheck", "listing_formats", "bulk", "copy", "slo", "dlo", "versioned_writes",
    "symlink"))

STORAGE = """[DEFAULT]
{common}devices = {folder}
mount_check = false
fallocate_reserve = 0

[pipeline:main]
pipeline = {kind}-server

[app:{kind}-server]
use = egg:swift#{kind}
"""


def environment():
    """The folder of Swift's own Python environment; pip makes it if it is missing."""
    def make(folder):
        shutil.rmtree(folder, ignore_errors=True)
        for words in ([sys.executable, "-m", "venv", folder],
                      [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                       "--only-binary", ":all:", *PACKAGES]):
            done = subprocess.run(words, capture_output=True, text=True, timeout=600)
            if done.returncode != 0:
                shutil.rmtree(folder, ignore_errors=True)
                raise Skipped(f"OpenStack Swift could not be installed: {done.stderr.strip().rpartition(chr(10))[2]}")
    version = PACKAGES[0].rpartition("=")[2]
    return once.made(place.BUILD / f"venv-openstack-swift-{version}", make)


class OpenStackSwift:
    """A running Swift with one bucket."""

    def __init__(self, stage):
        self.stage = stage
        self.programs = environment() / "bin"
        self.folder = stage.new_folder("openstack-swift")
        expect_attributes(self.folder)
        self.keys = sigv4.Keys("weir:fleet", KEYS.secret)
        self.port = free_port()
        (self.folder / "swift.conf").write_text("[swift-hash]\nswift_hash_path_suffix = weir\n")
        self.replicas = [Replica(self, number) for number in range(1, REPLICAS + 1)]
        self.make_rings()
        text = PROXY.format(common=self.common(self.port), user=self.keys.id.replace(":", "_"),
                            secret=self.keys.secret, region=self.keys.region)
        self.proxy = Server(self, "proxy", "proxy", self.port, text)
        self.start()
        self.ask("PUT", f"/{BUCKET}")

    @property
    def base(self):
        return f"http://127.0.0.1:{self.port}/"

    @property
    def servers(self):
        return [self.proxy, *(server for replica in self.replicas for server in replica.servers)]

    def common(self, port):
        """The start of each server's configuration; log messages go only to the files of its program."""
        return (f"bind_ip = 127.0.0.1\nbind_port = {port}\nworkers = 0\nswift_dir = {self.folder}\n"
                f"user = {pwd.getpwuid(os.geteuid()).pw_name}\nlog_udp_host = 127.0.0.1\nlog_udp_port = 9\n")

    def words(self, name, *words):
        # A script's first line names a Python by its path, and the environment may have moved.
        return [self.programs / "python", self.programs / f"swift-{name}", *words]

    def make_rings(self):
        for kind in KINDS:
            builder = self.folder / f"{kind}.builder"
            devices = [word for replica in self.replicas for word in (replica.device(kind), "1")]
            for words in (["create", "6", str(REPLICAS), "0"], ["add", *devices], ["rebalance"]):
                done = subprocess.run(self.words("ring-builder", builder, *words), capture_output=True, text=True,
                                      env=self.stage.environment, timeout=60)
                # Status 1 is a warning.
                if done.returncode > 1:
                    raise RuntimeError(f"swift-ring-builder {words[0]} says {(done.stdout + done.stderr)[-300:]}")

    def start(self):
        """Starts the servers that do not run."""
        started = [server for server in self.servers if not server.is_alive()]
        for server in started:
            server.start()
        for server in started:
            server.wait()

    def stop(self):
        """Stops all servers: no port listens any more."""
        for server in self.servers:
            server.stop()

    def freeze(self):
        """Freezes the servers: they accept connections but send no answer."""
        for server in self.servers:
            server.send(signal.SIGSTOP)

    def thaw(self):
        for server in self.servers:
            server.send(signal.SIGCONT)

    def ask(self, method, target, body=None, **headers):
        """Makes a request; `base` has the address."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            signed = sigv4.signed_headers(self.keys, self.base.rstrip("/") + target, method)
            signed.update((name.replace("_", "-"), text) for name, text in headers.items())
            connection.request(method, target, body, signed)
            response = connection.getresponse()
            data = response.read()
            if response.status >= 300:
                raise RuntimeError(f"Swift answered {response.status} to {method} {target}: {data[:300]!r}")
            return response.headers, data
        finally:
            connection.close()

    def put(self, key, data, **headers):
        """Stores or replaces an object; returns its ETag."""
        return self.ask("PUT", f"/{BUCKET}/{quote(key)}", data, **headers)[0]["ETag"]


class Replica:
    """One of the three copies: a folder, and its three servers."""

    def __init__(self, store, number):
        self.number = number
        self.folder = store.folder / f"replica-{number}"
        self.ports = {kind: free_port() for kind in KINDS}
        self.disk = self.folder / "disk"
        self.disk.mkdir(parents=True)
        self.servers = [
            Server(store, kind, f"{kind}-{number}", port,
                   STORAGE.format(common=store.common(port), folder=self.folder, kind=kind))
            for kind, port in self.ports.items()
        ]

    def device(self, kind):
        return f"r1z{self.number}-127.0.0.1:{self.ports[kind]}/disk"

    def objects(self):
        """The files that hold objects."""
        return sorted(self.disk.glob("objects/**/*.data"))

    def lose(self):
        """Kills the replica's servers and empties its folder."""
        for server in self.servers:
            server.stop(signal.SIGKILL)
        shutil.rmtree(self.disk)
        self.disk.mkdir()


class Server:
    """One of Swift's programs."""

    def __init__(self, store, kind, name, port, configuration):
        self.store = store
        self.kind = kind
        self.name = name
        self.port = port
        self.file = store.folder / f"{name}.conf"
        self.file.write_text(configuration)
        self.file.chmod(0o600)
        self.program = None

    def is_alive(self):
        return self.program is not None and self.program.is_alive()

    def start(self):
        stage = self.store.stage
        words = self.store.words(f"{self.kind}-server", self.file, "--verbose")
        self.program = stage.put(Program(words, stage.folder, stage.name(f"swift-{self.name}"), stage.environment))

    def wait(self):
        """Waits until the server listens."""
        def has_started():
            if not self.program.is_alive():
                raise RuntimeError(f"Swift's {self.name} did not start: {self.program.error.strip()[-500:]}")
            return web.is_listening(self.port)
        waiting.until(has_started, 60, f"the start of Swift's {self.name}", pause=0.1)

    def send(self, number):
        if self.is_alive():
            self.program.send(number)

    def stop(self, number=signal.SIGTERM):
        if self.is_alive():
            # A stopped process ends only after SIGCONT.
            self.program.send(number)
            self.program.send(signal.SIGCONT)
            self.program.wait()


def expect_attributes(folder):
    path = Path(folder) / "attributes"
    path.touch()
    try:
        os.setxattr(path, "user.weir", b"1")
    except (OSError, AttributeError) as failure:
        raise Skipped(f"Swift needs extended file attributes, and this file system has none: {failure}") from None
    finally:
        path.unlink()
