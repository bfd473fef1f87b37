# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The program itself: as a server, and as a command that ends."""

import json
import re
import signal
import subprocess
from collections import namedtuple

from . import place, waiting
from .program import Program

UNITS = {"B": 1, "kB": 1000, "MB": 1000**2, "GB": 1000**3, "TB": 1000**4}

# The bytes of one run; counts are rounded as Weir prints them.
Summary = namedtuple("Summary", "asked asked_bytes origin origin_bytes held_bytes")

SUMMARY = re.compile(
    r"players: (\d+) requests?, ([\d.]+) (\w+); origins: (\d+) requests?, ([\d.]+) (\w+); "
    r"from the cache: ([\d.]+) (\w+)"
)


def parse_size(number, unit):
    return round(float(number) * UNITS[unit])


def parse_summary(text):
    """The last summary in a text, or None."""
    found = None
    for match in SUMMARY.finditer(text):
        found = match.groups()
    if found is None:
        return None
    return Summary(
        int(found[0]), parse_size(*found[1:3]), int(found[3]), parse_size(*found[4:6]), parse_size(*found[6:8])
    )


class Weir:
    """A running `weir serve`; `before` are words in front of its command, such as `limits.shell`."""

    verbosity = "--verbose"
    # How long a start and an orderly end may take, in seconds.
    patience = 20

    def __init__(
        self, stage, origin, *options, cache=None, header=None, environment=None, listen="127.0.0.1:0", before=()
    ):
        self.stage = stage
        self.cache = cache or stage.new_folder("cache")
        words = [*before, place.weir_program(), "serve", origin, "--listen", listen, "--cache", self.cache]
        words.append(self.verbosity)
        if header:
            words += ["--header", header, "--account", "checks"]
        self.program = stage.put(
            Program([*words, *options], stage.folder, stage.name("weir"), environment or stage.environment)
        )
        self.base = waiting.until(self.printed_url, self.patience, "weir's start")

    def printed_url(self):
        if not self.program.is_alive():
            raise RuntimeError(f"weir ended with {self.program.poll()}: {self.program.error.strip()}")
        lines = self.program.output.splitlines(keepends=True)
        return lines[0].strip() if lines and lines[0].endswith("\n") else None

    def url(self, name):
        return self.base + name

    @property
    def port(self):
        return int(self.base.split("/")[2].rpartition(":")[2])

    @property
    def log(self):
        return self.program.error

    def asks(self):
        """The lines about requests to the origin."""
        return [line for line in self.log.splitlines() if line.startswith("  asks ")]

    def is_alive(self):
        return self.program.is_alive()

    def stop(self, number=signal.SIGTERM):
        """Stops Weir and returns its exit status."""
        return self.program.stop(number, self.patience)

    def summary(self):
        """The summary that Weir prints when it ends."""
        summary = parse_summary(self.log)
        if summary is None:
            raise RuntimeError(f"weir ended without a summary: {self.log[-500:]}")
        return summary


def command(stage, *words, environment=None, timeout=60, folder=None):
    """Runs Weir to its end; its output is kept with the stage's logs."""
    name = stage.name("command")
    done = subprocess.run(
        [str(word) for word in (place.weir_program(), *words)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment or stage.environment,
        timeout=timeout,
        cwd=folder or stage.folder,
    )
    # Messages are kept for the search for secrets; downloads are not.
    (stage.folder / f"{name}.err").write_bytes(done.stderr)
    if "-" not in words:
        (stage.folder / f"{name}.out").write_bytes(done.stdout)
    return done


def cached(stage, cache):
    """The output of `weir cache list --json`, by the last part of each URL."""
    done = command(stage, "cache", "list", "--json", "--cache", cache)
    if done.returncode != 0:
        raise RuntimeError(f"weir cache list ended with {done.returncode}: {done.stderr.decode()}")
    lines = [json.loads(line) for line in done.stdout.decode().splitlines()]
    return {line["url"].rpartition("/")[2]: line for line in lines}


def is_whole(entry):
    return entry is not None and entry.get("bytes") is not None and entry["heldBytes"] >= entry["bytes"]
