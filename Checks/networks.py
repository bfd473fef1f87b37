# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Networks that can cut off machines: a namespace for each machine, and a line to each host that it reaches."""

import ctypes
import os
import shutil
import socket
import subprocess
import threading

from stage import waiting
from stage.origin import pump
from stage.program import Program

CLONE_NEWNET = 0x40000000
LINES = ("front", "store", "origin")
# Bytes that the system buffers for a connection, when receiving and when sending.
RECEIVED, SENT = 12 << 10, 48 << 10


class Loopback:
    """The network if namespaces cannot be made: every node runs at an address of this machine; no line can be cut."""

    can_cut = False
    addresses = {"front": "127.0.0.2", "store": "127.0.0.1", "origin": "127.0.0.1"}
    balancers = "127.0.0.1/32"

    def machine(self, number):
        return "127.0.0.1", []


class Namespaces:
    """A network of this process, with lines to a namespace for each machine; it ends with the processes.

    The store, the origin and `front`, from which clients ask a machine directly, have an address each in `addresses`.
    Each machine reaches them by its own lines. The balancers connect from `balancers`.
    """

    can_cut = True
    addresses = {"front": "10.77.100.1", "store": "10.77.100.2", "origin": "10.77.100.3"}
    balancers = "10.77.0.0/19"

    def __init__(self, stage):
        self.stage = stage
        self.shape()
        for address in self.addresses.values():
            self.ip("address", "add", f"{address}/32", "dev", "lo")

    def ip(self, *words, inside=()):
        self.run("ip", *words, inside=inside)

    def run(self, name, *words, inside=()):
        program = shutil.which(name, path=self.stage.environment["PATH"])
        subprocess.run([*inside, program, *map(str, words)], check=True, capture_output=True, timeout=60)

    def shape(self, inside=()):
        """Makes connections behave like distant ones: the system buffers only a few unread bytes."""
        self.ip("link", "set", "lo", "up", "mtu", "1500", inside=inside)
        for name, size in (("tcp_rmem", RECEIVED), ("tcp_wmem", SENT)):
            self.run("sh", "-c", f"echo 4096 {size} {size} >/proc/sys/net/ipv4/{name}", inside=inside)

    def machine(self, number):
        """The address of a new machine, and the words that begin a command in its namespace."""
        words = ["unshare", "--net", "sleep", "infinity"]
        holder = self.stage.put(Program(words, self.stage.folder, f"network-{number}", self.stage.environment))
        inside = ["nsenter", "-t", str(holder.pid), "-n"]
        ours = os.stat("/proc/self/ns/net").st_ino
        waiting.until(lambda: os.stat(f"/proc/{holder.pid}/ns/net").st_ino != ours, 30, "a namespace")
        self.shape(inside)
        for index, line in enumerate(LINES):
            here, there = (f"10.77.{number}.{4 * index + end}" for end in (1, 2))
            self.ip("link", "add", f"{line}{number}", "type", "veth", "peer", "name", line, "netns", holder.pid)
            self.ip("address", "add", f"{here}/30", "dev", f"{line}{number}")
            self.ip("link", "set", f"{line}{number}", "up")
            self.ip("address", "add", f"{there}/30", "dev", line, inside=inside)
            self.ip("link", "set", line, "up", inside=inside)
            self.ip("route", "add", self.addresses[line], "via", here, "dev", line, inside=inside)
        return f"10.77.{number}.2", inside

    def line(self, number, thing):
        return Line(self, f"{thing}{number}")


class Line:
    """A line from a machine to another host."""

    def __init__(self, network, name):
        self.network = network
        self.name = name

    def cut(self):
        """Takes the line down: packets are lost, and neither end gets a notice."""
        self.network.ip("link", "set", self.name, "down")

    def mend(self):
        self.network.ip("link", "set", self.name, "up")


def made(stage):
    """A network for machines; threads that already run are not in it."""
    library = ctypes.CDLL(None, use_errno=True)
    tools = all(shutil.which(name, path=stage.environment["PATH"]) for name in ("ip", "unshare", "nsenter"))
    if os.geteuid() != 0 or not tools or library.unshare(CLONE_NEWNET) != 0:
        return Loopback()
    return Namespaces(stage)


class Relay:
    """Forwards connections from an address to a port of 127.0.0.1; it can be stopped and started again."""

    def __init__(self, stage, address, port):
        self.port = port
        self.address = (address, 0)
        self.start()
        stage.callback(self.stop)

    @property
    def base(self):
        return "http://{}:{}/".format(*self.address)

    def start(self):
        self.connections = set()
        self.listener = socket.create_server(self.address, backlog=128)
        self.address = self.listener.getsockname()
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def accept(self, listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client:
            try:
                server = socket.create_connection(("127.0.0.1", self.port), timeout=30)
            except OSError:
                return
            with server:
                server.settimeout(None)
                self.connections.update((client, server))
                back = threading.Thread(target=pump, args=(server, client), daemon=True)
                back.start()
                pump(client, server)
                back.join()
                self.connections.difference_update((client, server))

    def stop(self):
        """Ends every connection, and accepts no new one."""
        for connection in [self.listener, *self.connections]:
            # Closing alone does not wake a thread that waits in a call.
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.listener.close()
