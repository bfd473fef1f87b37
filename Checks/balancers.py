# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""HAProxy and nginx in front of several machines, with the configurations of Documentation/fleet."""

import os
import re
import socket
from collections import namedtuple

from check_results import expect
from servers import launch
from stage import place, waiting
from stage.stage import free_port

# An answer in a balancer's log: the file, the status, the last machine that it tried, and the number of retries.
Answered = namedtuple("Answered", "file status node retries")


class Balancer:
    """A running balancer at a free port.

    It replaces addresses, ports and paths of the documented text; `also` has more pairs of an old and a new text.
    """

    file = program_name = ""

    def __init__(self, stage, addresses, also=()):
        program = launch.program(stage, self.program_name)
        self.folder = stage.new_folder(self.program_name)
        self.addresses = addresses
        self.configuration = self.folder / self.file

        def words(port):
            # Each attempt has another port.
            self.port = port
            self.configure(addresses, also)
            return [program, *self.words()]

        self.program, self.port = launch.at_free_port(stage, self.program_name, words)

    def configure(self, addresses, also):
        text = (place.ROOT / "Documentation" / "fleet" / self.file).read_text()
        documented = ("10.0.0.11:4747", "10.0.0.12:4747", "10.0.0.13:4747")
        for old, new in [*zip(documented, addresses.values(), strict=True), *self.replaced(), *also]:
            expect(old in text, f"{self.file} has no '{old}'")
            text = text.replace(old, new)
        self.configuration.write_text(text)

    @property
    def base(self):
        return f"http://127.0.0.1:{self.port}"

    def homes(self, answers):
        """The machines that answered for each file."""
        found = {}
        for answer in answers:
            found.setdefault(answer.file, set()).add(answer.node)
        return found

    def stop(self):
        self.program.stop()


class HAProxy(Balancer):
    """HAProxy; `load` asks it for the state of each machine."""

    file, program_name = "haproxy.cfg", "haproxy"
    LINE = re.compile(r"(?:GET|HEAD) (\S+) (\d+) \d+ \w+/(\S+) retries=(\S+) ")

    def replaced(self):
        self.admin = free_port()
        places = [("bind :80\n", f"bind 127.0.0.1:{self.port}\n"), ("/dev/log", "stdout"),
                  ("/run/haproxy/admin.sock", f"ipv4@127.0.0.1:{self.admin}")]
        if os.geteuid() != 0:
            places.append(("    chroot /var/lib/haproxy\n    user haproxy\n    group haproxy\n", ""))
        return places

    def words(self):
        return ["-db", "-f", self.configuration]

    def log(self):
        """The answers, in the order of their ends."""
        lines = self.LINE.findall(self.program.output)
        return [Answered(file, int(status), node, retries) for file, status, node, retries in lines]

    def load(self):
        """How many answers each machine has in progress, and whether HAProxy considers it up."""
        with socket.create_connection(("127.0.0.1", self.admin), timeout=30) as admin:
            admin.sendall(b"show stat nodes 4 -1\n")
            text = b""
            while piece := admin.recv(65536):
                text += piece
        names, *rows = [line.split(",") for line in text.decode().removeprefix("# ").splitlines() if line]
        found = [dict(zip(names, row)) for row in rows]
        return {row["svname"]: (int(row["scur"]), row["status"].startswith("UP")) for row in found}

    def until(self, node, is_up):
        """Waits until HAProxy considers a machine up, or down."""
        what = f"that HAProxy takes node {node} for {'ready' if is_up else 'gone'}"
        waiting.until(lambda: self.load()[node][1] == is_up, 60, what, pause=0.1)


class Nginx(Balancer):
    """nginx."""

    file, program_name = "nginx.conf", "nginx"
    LINE = re.compile(r"(?:GET|HEAD) (\S+) (\d+) \d+ (\S+(?:, \S+)*) tried=")

    def replaced(self):
        kept = "".join(f"    {kind}_temp_path {self.folder}/{kind};\n"
                       for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        return [("listen 80;", f"listen 127.0.0.1:{self.port};"), ("/run/nginx.pid", f"{self.folder}/pid"),
                ("/var/log/nginx", str(self.folder)), ("http {\n", f"http {{\n{kept}")]

    def words(self):
        return ["-g", "daemon off;", "-p", self.folder, "-e", self.folder / "error.log", "-c", self.configuration]

    def log(self):
        names = {address: node for node, address in self.addresses.items()}
        path = self.folder / "media.log"
        lines = self.LINE.findall(path.read_text() if path.exists() else "")
        found = []
        for file, status, tried in lines:
            *others, last = tried.split(", ")
            found.append(Answered(file, int(status), names.get(last, last), str(len(others))))
        return found
