# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Clients of a fleet: some read, seek and leave; others play on while one part after another fails."""

import http.client
import random
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

from check_results import equal, expect
from clouds import same
from fleets import ALL, FILES, HOST, LATE
from stage import waiting, web

CLIENTS = 48
PLAYERS = 12
# Bytes a second that a player reads.
PACE = 384 << 10
# How many bytes a player must receive after one failure before the next one.
PROGRESS = 1 << 20


class Cut(Exception):
    """The connection ended before the answer, or the answer had the wrong status."""


class Listener:
    """Reads files through a balancer, and goes on after a cut; `cuts` has each cut with the fleet's last failure."""

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
                expect(attempts < 60, f"{name} does not continue at {position}: {self.cuts[-1]}")
                # A real player also pauses before it tries again.
                time.sleep(0.5)

    def pieces(self, name, position):
        """The bytes of a file from a position on, as they arrive."""
        with socket.socket() as line:
            # A small buffer, so that few sent bytes are not played yet.
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
    """Plays one file after another at a pace. After `is_over` is set, it finishes the current file and ends."""

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
    """A client with a persistent connection that seeks, leaves, returns and compares the received bytes."""
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
    """Runs a function many times in parallel."""
    with ThreadPoolExecutor(count) as pool:
        for future in [pool.submit(work, number) for number in range(count)]:
            future.result()


def every_file(fleet, base, right=0):
    for name, data in FILES.items():
        same(web.fetch(base + fleet.target(name, right), HOST, timeout=120).body, data, name)


def read_cold(fleet, base):
    """Many clients, then every file once more: all bytes are right, and the origin sends each file only once."""
    total = sum(map(len, FILES.values()))
    crowd(lambda number: visit(fleet, base, number), CLIENTS)
    every_file(fleet, base)
    figure = f"{fleet.origin.sent / total:.3f} of {total >> 20} MiB, {len(fleet.origin.asked)} requests"
    # On the local network, the system accepts more bytes from the origin than a leaving node has asked for.
    most = 1.02 if fleet.network.can_cut else 1.2
    expect(fleet.origin.sent <= most * total, f"the origin sent {figure}")
    return figure


class Chaos:
    """Players that play on while one part after another fails."""

    def __init__(self, results, fleet, balancer):
        self.results = results
        self.fleet = fleet
        self.balancer = balancer
        self.players = [Player(fleet, balancer.base, number) for number in range(PLAYERS)]
        self.listeners = [player.listener for player in self.players]

    def happens(self, check, event, begin, also=lambda: None):
        """Causes a failure; every player must continue, and clients request new files meanwhile."""
        self.fleet.event = event
        begin()
        also()
        # If the origin does not answer, a node tries it for a minute before the balancer asks the next node.
        if event != "no-origin" or self.results.is_long:
            names = list(LATE[event])
            late = [Listener(self.fleet, self.balancer.base, number) for number in range(len(names))]
            self.listeners += late
            crowd(lambda number: late[number].play(names[number]), len(names))
        self.get_on(event)
        if self.results.is_long:
            # The length of the outage is part of this check.
            time.sleep(30)
        check.figure = f"{sum(cut[0] == event for listener in self.listeners for cut in listener.cuts)} reconnects"

    def get_on(self, event):
        """Waits until every player has received more."""
        marks = [player.listener.got + PROGRESS for player in self.players]
        what = f"the continuation of all players ({event})"
        waiting.until(lambda: all(map(Player.has_got, self.players, marks)), 180, what, pause=0.1)

    def end(self):
        """Waits until all players have ended, and returns how often they were cut."""
        for player in self.players:
            player.is_over = True
        for player in self.players:
            player.join(180)
            expect(not player.is_alive(), "a player hangs")
            if player.failure:
                raise player.failure
        for listener in self.listeners:
            events = [cut[0] for cut in listener.cuts]
            expect(len(events) == len(set(events)), f"a listener was cut more than once: {listener.cuts}")
        return (f"{sum(listener.got for listener in self.listeners) >> 20} MiB, "
                f"{sum(len(listener.cuts) for listener in self.listeners)} reconnects of {len(self.listeners)} players")
