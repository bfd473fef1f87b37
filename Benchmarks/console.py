# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The cost of an open page: the processor time of the same requests with and without a page."""

import http.client
import random
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import peers
from results import FEWEST_ROUNDS, note
from stage import waiting
from stage.nginx import Nginx
from stage.stage import Stage

RESOURCES, PIECES, SIZE = 2000, 48, 1024
# Each request changes a resource, because it fetches a piece that was not held.
RATE, SECONDS = 200, 6
MEASURE = f"processor time of {RATE} changes a second in {RESOURCES:,} resources, share of a core"


def watching(results):
    results.uses("nginx")
    with Stage("bench") as stage:
        folder = stage.new_folder("files")
        block = random.Random(3).randbytes(PIECES * SIZE)
        for number in range(RESOURCES):
            (folder / str(number)).write_bytes(block)
        weir = peers.weir(stage, Nginx(stage, folder, log=False).base, "--revalidate", "never")
        load = Load(weir)
        load.begin()
        page = address(stage)
        for number, subject in results.turns(("without a page", "with a page"), FEWEST_ROUNDS):
            listener = Listener(page) if subject == "with a page" else None
            before = weir.program.processor_seconds()
            load.run()
            results.sample(MEASURE, subject, number, (weir.program.processor_seconds() - before) / SECONDS, "×")
            if listener:
                lines, size = listener.stop()
                results.sample("lines to a page in a second", subject, number, lines / SECONDS, "lines")
                results.sample("bytes to a page in a second", subject, number, size / SECONDS, "bytes")
        results.compare(MEASURE, "without a page", ours="with a page", digits=3)
        pairs = results.series[MEASURE]
        extra = "the page's share of it"
        for number, value in pairs["with a page"].items():
            results.sample(extra, "with a page", number, value - pairs["without a page"][number], "×")
        results.alone(extra, "with a page", digits=3)
        results.alone("lines to a page in a second", "with a page", digits=1)
        results.alone("bytes to a page in a second", "with a page")
        weir.program.stop()


def address(stage):
    """The address of the page, as the server has stored it."""
    home = Path(stage.environment.get("XDG_CONFIG_HOME") or Path(stage.environment["HOME"]) / ".config")
    return waiting.until(lambda: (home / "weir" / "page").read_text().strip(), 10, "the page's address")


class Load:
    """Requests at a steady rate over one connection, each for a new piece."""

    def __init__(self, weir):
        parts = urlsplit(weir.base)
        self.prefix = parts.path
        self.connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
        pieces = [(number, piece) for piece in range(1, PIECES) for number in range(RESOURCES)]
        random.Random(5).shuffle(pieces)
        self.pieces = iter(pieces)

    def begin(self):
        """Creates all resources before the measurement."""
        note(f"  asks for {RESOURCES:,} resources")
        for number in range(RESOURCES):
            self.ask(number, 0)

    def run(self):
        start = time.monotonic()
        for number in range(RATE * SECONDS):
            time.sleep(max(0, start + number / RATE - time.monotonic()))
            self.ask(*next(self.pieces))

    def ask(self, number, piece):
        field = {"Range": f"bytes={piece * SIZE}-{(piece + 1) * SIZE - 1}"}
        self.connection.request("GET", f"{self.prefix}{number}", headers=field)
        answer = self.connection.getresponse()
        if answer.status != 206 or len(answer.read()) != SIZE:
            raise RuntimeError(f"a piece was answered with {answer.status}")


class Listener(threading.Thread):
    """Reads the lines of a page's stream; counts the lines after the first."""

    def __init__(self, page):
        super().__init__(daemon=True)
        url, _, secret = page.partition("#")
        parts = urlsplit(url)
        self.connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
        self.connection.request("GET", "/page/events", headers={"Authorization": f"Bearer {secret}"})
        self.answer = self.connection.getresponse()
        self.answer.readline()
        self.lines, self.size = 0, 0
        self.start()

    def run(self):
        try:
            for line in self.answer:
                self.lines += 1
                self.size += len(line)
        except (OSError, ValueError, AttributeError):
            pass

    def stop(self):
        counted = self.lines, self.size
        self.connection.close()
        return counted
