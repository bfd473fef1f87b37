# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A crowd of HTTP clients of every kind, in a process of its own that may open as many files as it needs.

    crowd = Crowd(stage, weir.url(""), small=200, films=24)
    crowd.come(idle=300, paused=100)
    crowd.hush()                      # the busy clients do nothing; the others wait as before
    crowd.go_on(100)                  # the paused clients read on, with a range request if they were closed
    crowd.tell()["half_closed"]       # counts
    crowd.leave()

`crowds.program` describes each kind.
"""

import json
import select
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

from contents import Content
from stage.program import end_with_parent

SMALL, FILM = 64 << 10, 6 << 20

# A thousand clients, of every kind.
THOUSAND = {
    "idle": 300, "kept": 100, "slow": 40, "half_closed": 100, "paused": 110, "never": 200, "pipelining": 50,
    "garbage": 40, "trickling": 30, "leaving": 30,
}


def small(number):
    return Content(f"small-{number}.bin", SMALL)


def film(number):
    return Content(f"film-{number}.bin", FILM)


class Crowd:
    """The process with the clients; it starts without clients."""

    def __init__(self, stage, base, small=200, films=24, seed=1):
        parts = urlsplit(base)
        self.error_file = stage.folder / f"{stage.name('crowd')}.err"
        setting = {"port": parts.port, "path": parts.path, "small": small, "films": films, "seed": seed}
        words = [sys.executable, Path(__file__).with_name("program.py"), json.dumps(setting)]
        with open(self.error_file, "wb") as error:
            self.process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=error, preexec_fn=end_with_parent
            )
        self.heard = b""
        stage.callback(self.end)

    def ask(self, seconds, **words):
        """Sends a command and returns the answer, which must come within `seconds`."""
        self.process.stdin.write(json.dumps(words).encode() + b"\n")
        self.process.stdin.flush()
        end = time.monotonic() + seconds
        while b"\n" not in self.heard:
            output = self.process.stdout.fileno()
            if not select.select([output], [], [], max(0, end - time.monotonic()))[0]:
                raise RuntimeError(f"the crowd did not answer {words} within {seconds} s: {self.error}")
            piece = self.process.stdout.read1(65536)
            if not piece:
                raise RuntimeError(f"the crowd ended: {self.error}")
            self.heard += piece
        line, _, self.heard = self.heard.partition(b"\n")
        return json.loads(line)

    @property
    def error(self):
        return self.error_file.read_text(errors="replace").strip()[-500:]

    def come(self, **counts):
        """Adds the given number of clients of each kind, as fast as they can connect."""
        return self.ask(20, do="come", counts=counts)

    def hush(self):
        return self.ask(20, do="hush")

    def wake(self):
        return self.ask(20, do="wake")

    def go_on(self, count, limit=45):
        """Lets paused clients read on; returns how many were told to, and how many of them did within the limit."""
        return self.ask(limit + 20, do="go_on", count=count, limit=limit)

    def tell(self):
        """Counts by kind; see `program.Tally`."""
        return self.ask(20, do="tell")

    def leave(self):
        """All clients leave, half of them with a reset."""
        return self.ask(60, do="leave")

    def end(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(5)
        self.process.stdout.close()
