# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Three machines, the store that they share, and an origin that counts the bytes that it sends."""

import http.client
import random
import socket
import subprocess
import threading
import time
from urllib.parse import urlsplit

import networks
from check_results import Skipped, equal, expect
from clouds import same
from fleet_nodes import Node, expect_only_hedges, metric, tier
from servers.s3 import S3
from stage import stage as stages
from stage.origin import Handler as OriginHandler
from stage.origin import Origin, Server

NAMES = ("a", "b", "c")
KEYS = "fleet 0123456789abcdef0123456789abcdef\n"
# Bytes a second that the origin sends in one answer, and the bytes of each write.
ORIGIN_RATE, PIECE = 1 << 20, 4 << 10
# The limit for a machine's resident memory.
MEMORY = 320 << 20
HOST = {"Host": "media.example"}


def made_up(prefix, count, least, most):
    """Files of random bytes, the same ones every time."""
    numbers = random.Random(f"fleet {prefix}")
    return {f"{prefix}-{number:02}.bin": numbers.randbytes(numbers.randrange(least, most)) for number in range(count)}


FILES = made_up("film", 20, 1_000_000, 4_000_000)
# Files that players first request after a failure: some for each failure.
LATE = {event: made_up(event, 6, 200_000, 500_000) for event in (
    "killed", "no-store", "no-origin", "stopped", "replica", "frozen")}
ALL = FILES | {name: data for files in LATE.values() for name, data in files.items()}


class CountingOrigin(Origin):
    """An origin with its own address that counts the bytes of its bodies."""

    def __init__(self, stage, address):
        self.asked = []
        self.sent = 0
        self.lock = threading.Lock()
        self.routes = {f"/{name}": self.route(data) for name, data in ALL.items()}
        self.server = Server((address, 0), OriginHandler)
        self.server.origin = self
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()
        stage.callback(self.stop)

    @property
    def base(self):
        return "http://{}:{}/".format(*self.server.server_address)

    def route(self, data):
        def answer(handler):
            status, lower, upper = handler.asked_range(len(data))
            # Bytes in transit are lost when a machine leaves, but they count as sent; a small buffer keeps them few.
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2 * PIECE)
            handler.head(status, lower, upper, len(data))
            begin = time.monotonic()
            for start in range(lower, upper, PIECE):
                piece = data[start:min(upper, start + PIECE)]
                handler.wfile.write(piece)
                with self.lock:
                    self.sent += len(piece)
                # Limits the rate, as a distant server's line does; no condition is polled here.
                time.sleep(max(0.0, begin + (start + len(piece) - lower) / ORIGIN_RATE - time.monotonic()))
        return answer


class Fleet:
    """Three machines, the store that they share, and their origin; `store` makes the store."""

    def __init__(self, stage, store=S3):
        self.stage = stage
        # The network comes first: processes that already run would not be in it.
        self.network = networks.made(stage)
        self.origin = CountingOrigin(stage, self.network.addresses["origin"])
        self.store = store(stage)
        self.relay = networks.Relay(stage, self.network.addresses["store"], urlsplit(self.store.base).port)
        self.keys = stage.folder / "keys"
        self.keys.write_text(KEYS)
        self.nodes = {name: self.node(number) for number, name in enumerate(NAMES, 1)}
        self.addresses = {name: node.address for name, node in self.nodes.items()}
        # The last failure that a check caused; the players note it with each cut.
        self.event = "nothing"
        signer = self.nodes["a"].user
        # Different signed rights; each of them opens all files.
        self.rights = [urlsplit(signer.works("sign", "cloud:/", "--for", f"{hours}h").decode().strip()).path
                       for hours in range(1, 5)]

    def node(self, number, **more):
        """A machine with an empty disk, in its own network."""
        host, prefix = self.network.machine(number)
        port = 4747 if prefix else stages.free_port()
        configuration = (f'proxy-protocol-from = ["{self.network.balancers}"]\nlog = "json"\n'
                         f'signing-keys = "{self.keys}"\nallow-host = ["media.example"]\n'
                         'drain = "60s"\nrevalidate = "1h"\n'
                         f'{tier(self.relay.base, self.store.keys)}'
                         f'[sources.cloud]\nservice = "http"\nurl = "{self.origin.base}"\n')
        node = Node(self.stage, configuration, listen=f"{host}:{port}", prefix=prefix, **more)
        node.address = f"{host}:{port}"
        return node

    def line(self, name, thing):
        """The line from a node to another host."""
        if not self.network.can_cut:
            raise Skipped("this check needs root and network namespaces")
        return self.network.line(NAMES.index(name) + 1, thing)

    def expect_no_address(self):
        """Restarts the nodes, for a balancer that does not send the client's address."""
        for node in self.nodes.values():
            node.stop()
            lines = node.user.file.read_text().splitlines(keepends=True)
            node.user.configure("".join(line for line in lines if not line.startswith("proxy-protocol-from")))
            node.start()

    def limit_disks(self, size):
        """Restarts the nodes with small disks, so that they must read known files from the store again."""
        for node in self.nodes.values():
            node.stop()
            node.user.configure(f'cache-limit = "{size}"\n' + node.user.file.read_text())
            node.start()

    def target(self, name, right=0):
        return f"{self.rights[right % len(self.rights)]}{name}"

    def ask(self, node, target):
        """Asks a node directly, from an address that is not a balancer's."""
        host, _, port = node.address.partition(":")
        here = (self.network.addresses["front"], 0)
        connection = http.client.HTTPConnection(host, int(port), timeout=120, source_address=here)
        try:
            connection.request("GET", target, headers=HOST)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def count(self, node, name):
        """A node's metric, which only its own machine may read; the source address is not a balancer's."""
        words = [*node.prefix, "curl", "--silent", "--fail", "--max-time", "30", "--interface", "127.0.0.2", "--header",
                 f"Authorization: Bearer {node.secret}", f"{node.base}metrics"]
        done = subprocess.run(words, capture_output=True, text=True, env=self.stage.environment)
        expect(done.returncode == 0, f"a node's metrics cannot be read: curl ends with {done.returncode}")
        return metric(done.stdout, name)

    def every_file_of(self, node):
        for name, data in FILES.items():
            same(self.ask(node, self.target(name, 1))[1], data, name)

    def serves_anew(self, number):
        """Expects that a new machine serves every file without the origin, except when the store is late."""
        asked, hedges = self.asked(), self.hedged()
        node = self.node(number)
        if self.network.can_cut:
            self.network.line(number, "origin").cut()
        self.every_file_of(node)
        # Players continue at the other nodes meanwhile.
        expect_only_hedges(self.asked() - asked, self.hedged() - hedges + self.count(node, "weir_tier_hedges_total"))
        node.stop()
        return f"{len(FILES)} files, {sum(map(len, FILES.values())) >> 20} MiB"

    def hedged(self):
        """How often the nodes asked the origin because the store was late."""
        return sum(self.count(node, "weir_tier_hedges_total") for node in self.nodes.values())

    def asked(self):
        """How often nodes asked the origin for a file that the store should have."""
        return sum(path.removeprefix("/") in FILES for path, _ in list(self.origin.asked))

    def memory(self):
        return {name: node.program.memory("VmRSS") for name, node in self.nodes.items()}

    def has_not_grown(self, before):
        """Expects that every node answers, and that none uses too much memory."""
        for name, node in self.nodes.items():
            equal(self.ask(node, "/healthz")[0], 200, f"the status of node {name}'s /healthz")
        after = self.memory()
        figure = ", ".join(f"{before[name] >> 20} to {after[name] >> 20} MiB" for name in self.nodes)
        expect(all(node.program.memory() < MEMORY for node in self.nodes.values()), f"they took {figure}")
        return figure
