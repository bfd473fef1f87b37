# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Three machines with a shared store behind HAProxy and nginx, as documented, and what may fail of all that."""

import collections
import http.client
import json
import random
import signal
import socket
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import networks
from balancers import HAProxy, Nginx
from board import Failed, Skipped, equal, expect
from clouds import same
from fleet_nodes import Node, tier, until_stored
from servers.s3 import S3
from stage import stage as stages
from stage import waiting, web
from stage.origin import Origin, Server
from stage.origin import Handler as OriginHandler
from stage.stage import Stage

NAMES = ("a", "b", "c")
KEYS = "fleet 0123456789abcdef0123456789abcdef\n"
CLIENTS = 48
PLAYERS = 12
# Bytes a second that a player takes.
PACE = 384 << 10
# Bytes a second that the origin sends in one answer, and how many at a time.
ORIGIN_RATE, PIECE = 1 << 20, 4 << 10
# What a player must get after something has failed, before the next thing does.
PROGRESS = 1 << 20
# The most that a machine's resident memory may be.
MEMORY = 320 << 20
HOST = {"Host": "media.example"}


def made_up(prefix, count, least, most):
    """Files of random bytes, the same ones every time."""
    numbers = random.Random(f"fleet {prefix}")
    return {f"{prefix}-{number:02}.bin": numbers.randbytes(numbers.randrange(least, most)) for number in range(count)}


FILES = made_up("film", 20, 1_000_000, 4_000_000)
# What is asked for the first time when something has failed: for each failure some.
LATE = {event: made_up(event, 6, 200_000, 500_000) for event in ("killed", "no-store", "no-origin", "stopped")}
ALL = FILES | {name: data for files in LATE.values() for name, data in files.items()}


def run(board):
    with Stage("fleet") as stage:
        fleet = Fleet(stage)
        balancer = HAProxy(stage, fleet.addresses)
        fetches_once(board, fleet, balancer)
        survives(board, fleet, balancer)
        takes_one_more(board, fleet)
        drains(board, fleet, balancer)
        asks_the_ready(board, fleet, balancer)
        balancer.stop()
        shares_a_crowd(board, fleet)
        works_with_nginx(board, fleet)


class CountingOrigin(Origin):
    """An origin at an address of its own that counts the bytes of its bodies."""

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
            # What has been sent when a machine leaves is lost, and counts: little of it is on its way at a time.
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2 * PIECE)
            handler.head(status, lower, upper, len(data))
            begin = time.monotonic()
            for start in range(lower, upper, PIECE):
                piece = data[start:min(upper, start + PIECE)]
                handler.wfile.write(piece)
                with self.lock:
                    self.sent += len(piece)
                # What a distant server's line does; nothing waits here for something to become true.
                time.sleep(max(0.0, begin + (start + len(piece) - lower) / ORIGIN_RATE - time.monotonic()))
        return answer


class Fleet:
    """Three machines, the store that they share, and their origin."""

    def __init__(self, stage):
        self.stage = stage
        # Before anything else: what runs already is not in it.
        self.network = networks.made(stage)
        self.origin = CountingOrigin(stage, self.network.addresses["origin"])
        self.store = S3(stage)
        self.relay = networks.Relay(stage, self.network.addresses["store"], self.store.front.port)
        self.keys = stage.folder / "keys"
        self.keys.write_text(KEYS)
        self.nodes = {name: self.node(number) for number, name in enumerate(NAMES, 1)}
        self.addresses = {name: node.address for name, node in self.nodes.items()}
        # What has failed last, for players to note.
        self.event = "nothing"
        signer = self.nodes["a"].user
        # Rights of which each opens all files, none like another.
        self.rights = [urlsplit(signer.works("sign", "cloud:/", "--for", f"{hours}h").decode().strip()).path
                       for hours in range(1, 5)]

    def node(self, number, **more):
        """A machine with an empty disk, in a network of its own."""
        host, prefix = self.network.machine(number)
        port = 4747 if prefix else stages.free_port()
        configuration = (f'proxy-protocol-from = ["{self.network.balancers}"]\nlog = "json"\n'
                         f'signing-keys = "{self.keys}"\nallow-host = ["media.example"]\n'
                         'drain = "60s"\nrevalidate = "1h"\n'
                         f'{tier(self.relay.base)}[sources.cloud]\nservice = "http"\nurl = "{self.origin.base}"\n')
        node = Node(self.stage, configuration, listen=f"{host}:{port}", prefix=prefix, **more)
        node.address = f"{host}:{port}"
        return node

    def line(self, name, thing):
        """The line from a node to a thing."""
        if not self.network.can_cut:
            raise Skipped("this wants root, and network namespaces")
        return self.network.line(NAMES.index(name) + 1, thing)

    def expect_no_address(self):
        """Starts the nodes anew, for a balancer that does not tell the listener's address."""
        for node in self.nodes.values():
            node.stop()
            lines = node.user.file.read_text().splitlines(keepends=True)
            node.user.configure("".join(line for line in lines if not line.startswith("proxy-protocol-from")))
            node.start()

    def target(self, name, right=0):
        return f"{self.rights[right % len(self.rights)]}{name}"

    def ask(self, node, target):
        """Asks a node past the balancers, from an address that is none of theirs."""
        host, _, port = node.address.partition(":")
        here = (self.network.addresses["front"], 0)
        connection = http.client.HTTPConnection(host, int(port), timeout=120, source_address=here)
        try:
            connection.request("GET", target, headers=HOST)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def every_file_of(self, node):
        for name, data in FILES.items():
            same(self.ask(node, self.target(name, 1))[1], data, name)


class Cut(Exception):
    """The connection ended before the answer did, or the answer was none."""


class Listener:
    """Reads files through a balancer; where it is cut it goes on from there, and `cuts` has what had failed before."""

    def __init__(self, fleet, base, number):
        self.fleet = fleet
        self.port = urlsplit(base).port
        self.number = number
        self.cuts = []
        self.got = 0

    def play(self, name, pace=lambda: None):
        """Reads a file to its end, and compares."""
        data, position, attempts = ALL[name], 0, 0
        while position < len(data):
            try:
                for piece in self.pieces(name, position):
                    same(piece, data[position:position + len(piece)], f"the bytes of {name} behind {position}")
                    position += len(piece)
                    self.got += len(piece)
                    pace()
            except (OSError, http.client.HTTPException, Cut) as cut:
                self.cuts.append((self.fleet.event, name, repr(cut)))
                attempts += 1
                expect(attempts < 60, f"{name} does not go on at {position}: {self.cuts[-1]}")
                # What a player does before it tries again.
                time.sleep(0.5)

    def pieces(self, name, position):
        """The bytes of a file from a position on, as they come."""
        with socket.socket() as line:
            # A small buffer: little has been sent that is not played yet.
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 << 10)
            line.settimeout(120)
            line.connect(("127.0.0.1", self.port))
            connection = http.client.HTTPConnection("127.0.0.1", self.port)
            connection.sock = line
            headers = HOST | ({"Range": f"bytes={position}-"} if position else {})
            connection.request("GET", self.fleet.target(name, self.number), headers=headers)
            response = connection.getresponse()
            if response.status != (206 if position else 200):
                raise Cut(f"status {response.status}")
            missing = len(ALL[name]) - position
            while missing:
                piece = response.read1(16 << 10)
                if not piece:
                    raise Cut(f"{missing} bytes are missing")
                missing -= len(piece)
                yield piece


class Player(threading.Thread):
    """Plays one file after another at a pace until it is told that it is over; then it ends the file that it plays."""

    def __init__(self, fleet, base, number):
        super().__init__(daemon=True)
        self.listener = Listener(fleet, base, number)
        self.numbers = random.Random(number)
        self.is_over = False
        self.failure = None
        self.start()

    def run(self):
        try:
            while not self.is_over:
                self.listener.play(self.numbers.choice(list(FILES)), self.wait)
        except Exception as failure:  # The check raises it.
            self.failure = failure

    def has_got(self, count):
        return self.failure is not None or self.listener.got >= count

    def wait(self):
        if not self.is_over:
            time.sleep((16 << 10) / PACE)


def visit(fleet, base, number, count=4):
    """A client with a connection that it keeps, which seeks, leaves, comes again and compares what it gets."""
    numbers = random.Random(number)
    line = web.Line(base, timeout=120)
    try:
        for _ in range(count):
            name = numbers.choice(list(FILES))
            data, target = FILES[name], fleet.target(name, number)
            start = numbers.randrange(len(data))
            kind = numbers.choice(("whole", "whole", "part", "part", "part", "left"))
            if kind == "whole":
                same(line.ask(target, HOST).body, data, name)
            elif kind == "part":
                end = min(len(data), start + numbers.randrange(1, 400_000))
                answer = line.ask(target, {**HOST, "Range": f"bytes={start}-{end - 1}"})
                equal(answer.status, 206, f"the status for {name}")
                same(answer.body, data[start:end], f"a part of {name}")
            else:
                download = web.Download(base + target, {**HOST, "Range": f"bytes={start}-"}, timeout=120)
                end = min(len(data), start + numbers.randrange(1, 200_000))
                same(download.read_exactly(end - start), data[start:end], f"the start of a part of {name}")
                download.leave()
    finally:
        line.close()


def crowd(work, count):
    """Does something many times, side by side."""
    with ThreadPoolExecutor(count) as pool:
        for future in [pool.submit(work, number) for number in range(count)]:
            future.result()


def every_file(fleet, base, right=0):
    for name, data in FILES.items():
        same(web.fetch(base + fleet.target(name, right), HOST, timeout=120).body, data, name)


def fetches_once(board, fleet, balancer):
    total = sum(map(len, FILES.values()))
    with board.check(f"three cold nodes behind HAProxy, {CLIENTS} clients, {len(FILES)} files: every byte is right, "
                     "and comes from the origin once for the fleet") as check:
        crowd(lambda number: visit(fleet, balancer.base, number), CLIENTS)
        every_file(fleet, balancer.base)
        check.figure = f"{fleet.origin.sent / total:.3f} of {total >> 20} MiB, {len(fleet.origin.asked)} requests"
        # On this machine's own network the system takes more from the origin than a node that leaves has asked for.
        most = 1.02 if fleet.network.can_cut else 1.2
        expect(fleet.origin.sent <= most * total, f"the origin sent {check.figure}")
    with board.check("each file has one home, whatever right it is asked with, and each node has files") as check:
        answers = balancer.log()
        homes = balancer.homes(answers)
        equal({file: nodes for file, nodes in homes.items() if len(nodes) != 1}, {}, "files with several homes")
        equal(set(homes), {f"/cloud/{name}" for name in FILES}, "files in the log")
        shares = {name: sum(home == {name} for home in homes.values()) for name in NAMES}
        expect(all(shares.values()), f"the shares are {shares}")
        check.figure = f"{len(answers)} answers; files of each node: {' '.join(map(str, shares.values()))}"
    with board.check("no right stands in a log of the balancer, and what is not signed is not passed on"):
        log = balancer.program.output
        expect(not any(right.split("/")[1] in log for right in fleet.rights), "a right is in the log")
        for path in ("/page/", "/metrics", "/healthz", "/cloud/film-00.bin"):
            equal(web.fetch(balancer.base + path, HOST).status, 404, f"the status for {path}")
    with board.check("the nodes know the listener's address, and not the balancer's") as check:
        lines = [line for node in fleet.nodes.values() for line in node.program.error.splitlines()]
        answers = [line for line in lines if '"client"' in line and "/cloud/" in line]
        clients = collections.Counter(json.loads(line)["client"] for line in answers)
        equal(set(clients), {"127.0.0.1"}, "the addresses in the logs")
        check.figure = f"{clients.total()} requests"
    with board.check("a player whose URL ends reads on over its connection, and gets 403 with the next") as check:
        check.figure = outlives_its_url(fleet, balancer)
    until_stored(fleet.store, len(FILES))


def outlives_its_url(fleet, balancer):
    name, signer = longest(), fleet.nodes["a"].user
    # A machine that is slow needs longer for the first request.
    for life in (4, 15, 60):
        target = urlsplit(signer.works("sign", f"cloud:/{name}", "--for", f"{life}s").decode().strip()).path

        def status(line, first):
            return line.ask(target, {**HOST, "Range": f"bytes={first}-{first + 9}"}).status

        def fresh():
            with web.Line(balancer.base) as line:
                return status(line, 0)

        with web.Line(balancer.base) as line:
            if status(line, 0) == 403:
                continue
            waiting.until(lambda: fresh() == 403, life + 30, "the end of the URL", pause=0.2)
            equal(status(line, 10), 206, "the status on the connection")
        equal(fresh(), 403, "the status on the next")
        return f"{life} s"
    raise Failed("no URL was good for long enough")


def survives(board, fleet, balancer):
    before = {name: node.program.memory("VmRSS") for name, node in fleet.nodes.items()}
    chaos = Chaos(board, fleet, balancer)
    with board.check("a node is killed in mid-play, and comes again") as check:
        waiting.until(lambda: all(player.listener.got > 100_000 for player in chaos.players), 120, "that all play")
        load = {name: balancer.load()[name][0] for name in NAMES}
        victim = max(load, key=load.get)
        chaos.happens(check, "killed", lambda: fleet.nodes[victim].program.send(signal.SIGKILL))
        fleet.nodes[victim].start()
        balancer.until(victim, True)
        check.figure += f", {load[victim]} players were at it"
    first, second = (name for name in NAMES if name != victim)
    with board.check("a node is cut off from the store in mid-play") as check:
        line = fleet.line(first, "store")
        chaos.happens(check, "no-store", line.cut)
        line.mend()
    with board.check("a node is cut off from the origin in mid-play, and serves what the store has") as check:
        line = fleet.line(second, "origin")
        chaos.happens(check, "no-origin", line.cut, lambda: fleet.every_file_of(fleet.nodes[second]))
        line.mend()
    with board.check("the store stops in mid-play, and comes again") as check:
        chaos.happens(check, "stopped", fleet.relay.stop)
        fleet.relay.start()
    with board.check("every player has the right bytes, and reconnects at most once for each of these") as check:
        check.figure = chaos.end()
    with board.check(f"no node hangs, and none takes more than {MEMORY >> 20} MiB") as check:
        for name in NAMES:
            equal(fleet.ask(fleet.nodes[name], "/healthz")[0], 200, f"the status of node {name}'s /healthz")
        after = {name: node.program.memory("VmRSS") for name, node in fleet.nodes.items()}
        check.figure = ", ".join(f"{before[name] >> 20} to {after[name] >> 20} MiB" for name in NAMES)
        expect(all(node.program.memory() < MEMORY for node in fleet.nodes.values()), f"they took {check.figure}")


class Chaos:
    """Players that go on while one thing after another fails."""

    def __init__(self, board, fleet, balancer):
        self.board = board
        self.fleet = fleet
        self.balancer = balancer
        self.players = [Player(fleet, balancer.base, number) for number in range(PLAYERS)]
        self.listeners = [player.listener for player in self.players]

    def happens(self, check, event, begin, also=lambda: None):
        """Something fails; every player gets on, and new files are asked for meanwhile."""
        self.fleet.event = event
        begin()
        also()
        # Where nothing comes from the origin, a node looks for it for a minute before the next one is asked.
        if event != "no-origin" or self.board.is_long:
            names = list(LATE[event])
            late = [Listener(self.fleet, self.balancer.base, number) for number in range(len(names))]
            self.listeners += late
            crowd(lambda number: late[number].play(names[number]), len(names))
        marks = [player.listener.got + PROGRESS for player in self.players]
        what = f"that all players go on ({event})"
        waiting.until(lambda: all(map(Player.has_got, self.players, marks)), 180, what, pause=0.1)
        if self.board.is_long:
            # How long it lasts is what is tried here.
            time.sleep(30)
        check.figure = f"{sum(cut[0] == event for listener in self.listeners for cut in listener.cuts)} reconnects"

    def end(self):
        """Waits for the ends of all, and tells how often they were cut."""
        for player in self.players:
            player.is_over = True
        for player in self.players:
            player.join(180)
            expect(not player.is_alive(), "a player hangs")
            if player.failure:
                raise player.failure
        for listener in self.listeners:
            events = [cut[0] for cut in listener.cuts]
            expect(len(events) == len(set(events)), f"one was cut more than once: {listener.cuts}")
        return (f"{sum(listener.got for listener in self.listeners) >> 20} MiB, "
                f"{sum(len(listener.cuts) for listener in self.listeners)} reconnects of {len(self.listeners)} players")


def takes_one_more(board, fleet):
    with board.check("a new node with an empty disk serves the fleet's files without asking the origin") as check:
        asked = len(fleet.origin.asked)
        node = fleet.node(len(NAMES) + 1)
        if fleet.network.can_cut:
            fleet.network.line(len(NAMES) + 1, "origin").cut()
        fleet.every_file_of(node)
        equal(len(fleet.origin.asked), asked, "requests to the origin")
        node.stop()
        check.figure = f"{len(FILES)} files, {sum(map(len, FILES.values())) >> 20} MiB"


def longest():
    return max(FILES, key=lambda name: len(FILES[name]))


def drains(board, fleet, balancer):
    name = longest()
    with board.check("after SIGTERM with --drain a player gets all of its file; new requests go elsewhere") as check:
        home = asked(fleet, balancer, name).node
        leaving = fleet.nodes[home].program
        pieces = Listener(fleet, balancer.base, 0).pieces(name, 0)
        got = [next(pieces)]
        leaving.send(signal.SIGTERM)
        balancer.until(home, False)
        # On its own network the system may have taken all of the file already.
        expect(leaving.is_alive() or not fleet.network.can_cut, "it has ended before its player")
        new = asked(fleet, balancer, name)
        expect(new.node != home, "it was asked")
        same(b"".join(got + list(pieces)), FILES[name])
        equal(leaving.wait(60), 0, "the exit status")
        check.figure = f"{len(FILES[name])} bytes from {home}, then from {new.node}"
    with board.check("a node that is gone gets no requests, and no client waits for it") as check:
        check.figure = goes_elsewhere(fleet, balancer, home)


def asked(fleet, balancer, name):
    """Asks for a file; what the balancer's log says of it."""
    def lines():
        return [answer for answer in balancer.log() if answer.file == f"/cloud/{name}"]
    count = len(lines())
    same(web.fetch(balancer.base + fleet.target(name), HOST, timeout=120).body, FILES[name], name)
    return waiting.until(lambda: lines()[count:], 30, "a line in the log")[-1]


def goes_elsewhere(fleet, balancer, home):
    """Asks for every file: none comes from one node, and none is asked for twice."""
    answers = [asked(fleet, balancer, name) for name in FILES]
    wrong = [answer for answer in answers if answer.node == home or answer.retries != "0"]
    equal(wrong, [], "what was asked of it, or twice")
    return f"{len(answers)} answers, by {' and '.join(sorted({answer.node for answer in answers}))}"


def asks_the_ready(board, fleet, balancer):
    gone = next(name for name in NAMES if not fleet.nodes[name].program.is_alive())
    node = fleet.nodes[gone]
    with board.check("a node whose /readyz says 503 gets no requests, and one that is ready again does") as check:
        cover(fleet.stage, node.user.cache)
        node.start()
        fleet.every_file_of(node)
        waiting.until(lambda: fleet.ask(node, "/readyz")[0] == 503, 30, "that it is not ready")
        equal(fleet.ask(node, "/healthz")[0], 200, "the status of /healthz")
        balancer.until(gone, False)
        check.figure = goes_elsewhere(fleet, balancer, gone)
        node.stop()
        uncover(node.user.cache)
        node.start()
        balancer.until(gone, True)
        expect(any(asked(fleet, balancer, name).node == gone for name in FILES), "it is not asked any more")
    if not node.program.is_alive():
        node.start()


def cover(stage, folder):
    """Puts a small disk in a folder's place."""
    words = ["mount", "-t", "tmpfs", "-o", "size=2m", "weir-check", str(folder)]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise Skipped(f"no small disk could be mounted: {done.stderr.strip()}")
    stage.callback(uncover, folder)


def uncover(folder):
    if folder.is_mount():
        subprocess.run(["umount", "-l", folder], capture_output=True)


def shares_a_crowd(board, fleet):
    # The number from which on load is shared out is made a small one.
    balancer = HAProxy(fleet.stage, fleet.addresses, [("ge 300", "ge 4")])
    name, count = longest(), 24
    with board.check("in a crowd, what is new for one file goes to other nodes, too") as check:
        bodies = [Listener(fleet, balancer.base, number).pieces(name, 0) for number in range(count)]
        starts = [next(body) for body in bodies]
        crowd(lambda number: same(starts[number] + b"".join(bodies[number]), FILES[name]), count)
        waiting.until(lambda: len(balancer.log()) >= count, 30, "the lines in the log")
        shares = collections.Counter(answer.node for answer in balancer.log())
        equal(set(shares), set(NAMES), "the nodes that were asked")
        check.figure = f"{count} players of one file: {', '.join(f'{shares[name]} at {name}' for name in NAMES)}"
    balancer.stop()


def works_with_nginx(board, fleet):
    fleet.expect_no_address()
    balancer = Nginx(fleet.stage, fleet.addresses)
    with board.check("behind nginx each file has one home, too, whatever right it is asked with") as check:
        crowd(lambda number: visit(fleet, balancer.base, number), CLIENTS // 3)
        for right in range(len(fleet.rights)):
            every_file(fleet, balancer.base, right)
        waiting.until(lambda: len(balancer.log()) >= len(FILES) * len(fleet.rights), 30, "lines in the log")
        homes = balancer.homes(balancer.log())
        equal({file: nodes for file, nodes in homes.items() if len(nodes) != 1}, {}, "files with several homes")
        equal(set(homes), {f"/cloud/{name}" for name in FILES}, "files in the log")
        shares = {name: sum(home == {name} for home in homes.values()) for name in NAMES}
        expect(all(shares.values()), f"the shares are {shares}")
        check.figure = f"{len(balancer.log())} answers; files of each node: {' '.join(map(str, shares.values()))}"
    with board.check("when a node is killed, nginx asks the next one, and a player goes on there") as check:
        home = asked(fleet, balancer, longest()).node
        listener = Listener(fleet, balancer.base, 0)
        fleet.event = "killed"
        began = threading.Event()

        def first():
            if not began.is_set():
                began.set()
                fleet.nodes[home].program.stop(signal.SIGKILL)
        listener.play(longest(), first)
        expect(len(listener.cuts) <= 1, f"it was cut more than once: {listener.cuts}")
        answers = [asked(fleet, balancer, name) for name in FILES]
        wrong = [answer for answer in answers if answer.node == home or answer.status != 200]
        equal(wrong, [], "what it answered, or nobody")
        twice = sum(answer.retries != "0" for answer in answers)
        check.figure = f"{len(listener.cuts)} reconnects, {twice} requests passed on"
    with board.check("no right stands in a log of nginx, and what is not signed is not passed on"):
        logs = "".join(path.read_text() for path in balancer.folder.glob("*.log")) + balancer.program.error
        expect(not any(right.split("/")[1] in logs for right in fleet.rights), "a right is in a log")
        for path in ("/page/", "/metrics", "/healthz", "/cloud/film-00.bin"):
            equal(web.fetch(balancer.base + path, HOST).status, 404, f"the status for {path}")
    balancer.stop()
