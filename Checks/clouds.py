# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A user of cloud sources, with a home folder, a configuration and variables."""

import hashlib
import itertools
import json
import subprocess
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import speech
from check_results import equal, expect
from stage import place, waiting
from stage.program import Program
from stage.stage import Stage

# The result of a run of Weir: its status, standard output as bytes, standard error as text.
Done = namedtuple("Done", "status output said")

# The numbers in the names of the logs; commands may run at the same time.
NUMBERS = itertools.count(1)

# The longest time for a run of Weir in a check, in seconds, whatever the other side does.
LIMIT = 90


class User:
    """A user with a configuration, a cache folder and variables; the logs keep the output of every command."""

    def __init__(self, stage, configuration="", cache=None, **variables):
        self.stage = stage
        self.home = stage.new_folder("home")
        self.cache = cache or stage.new_folder("cache")
        self.environment = place.clean_environment(self.home, WEIR_CACHE=str(self.cache), **variables)
        self.file = self.home / "config" / "weir" / "config.toml"
        self.file.parent.mkdir(parents=True)
        if configuration:
            self.configure(configuration)

    def configure(self, text):
        """Writes the configuration, readable only by its owner."""
        self.file.write_text(text)
        self.file.chmod(0o600)

    def run(self, *words, limit=LIMIT):
        """Runs Weir to its end; fails if the run takes longer than the limit."""
        name = f"command-{next(NUMBERS)}"
        try:
            done = subprocess.run(
                [str(word) for word in (place.weir_program(), *words)],
                stdin=subprocess.DEVNULL, capture_output=True, env=self.environment, timeout=limit, cwd=self.home,
            )
        except subprocess.TimeoutExpired as late:
            (self.stage.folder / f"{name}.err").write_bytes(late.stderr or b"")
            told = " ".join(map(str, words))
            raise waiting.TookTooLong(f"'weir {told}' did not end within {limit} s; it said "
                                      f"{(late.stderr or b'').decode()[-300:]!r}") from None
        (self.stage.folder / f"{name}.err").write_bytes(done.stderr)
        # A download does not belong to the logs.
        if "get" not in words:
            (self.stage.folder / f"{name}.out").write_bytes(done.stdout)
        return Done(done.returncode, done.stdout, done.stderr.decode(errors="replace"))

    def works(self, *words, limit=LIMIT):
        """Runs Weir and expects success; returns the output."""
        done = self.run(*words, limit=limit)
        equal(done.status, 0, f"the exit status of 'weir {' '.join(map(str, words))}', with {done.said.strip()[-400:]!r},")
        return done.output

    def fails(self, status, *words, limit=LIMIT):
        """Runs Weir and expects a status (or one of several) and a message; returns the message."""
        done = self.run(*words, limit=limit)
        statuses = (status,) if isinstance(status, int) else tuple(status)
        told = f"'weir {' '.join(map(str, words))}'"
        expect(done.status in statuses, f"{told} ended with {done.status} instead of "
               f"{' or '.join(map(str, statuses))} and said {done.said.strip()[-400:]!r}")
        return speech.sentence(done.said, done.status)

    def get(self, thing, *options, limit=LIMIT):
        """The bytes of a file."""
        return self.works("get", thing, "-o", "-", "--quiet", *options, limit=limit)

    def list(self, *things):
        """The entries of a folder, as `weir ls --json` prints them."""
        return [json.loads(line) for line in self.works("ls", "--json", *things).decode().splitlines()]

    def held(self):
        """The cache's entries, by URL."""
        lines = self.works("cache", "list", "--json").decode().splitlines()
        return {line["url"]: line for line in map(json.loads, lines)}

    def serve(self, *words):
        """A running `weir serve`."""
        return Serving(self, *words)

    def start(self, *words):
        """Starts Weir without waiting for its end; the stage ends it."""
        return self.stage.put(
            Program([place.weir_program(), *words], self.stage.folder, f"user-{next(NUMBERS)}", self.environment)
        )


class Serving:
    """A running `weir serve`; `bases` has the URL of each source by its name."""

    def __init__(self, user, *words):
        self.user = user
        self.program = user.start("serve", "--listen", "127.0.0.1:0", "--verbose", "--json", *words)
        self.count = max(1, user.file.read_text().count("[sources.") if user.file.exists() and not words else 1)
        lines = waiting.until(self.lines, 30, "weir's start")
        self.bases = {line["name"]: line["url"] for line in map(json.loads, lines) if line["event"] == "served"}

    def lines(self):
        if not self.program.is_alive():
            raise RuntimeError(f"weir ended with {self.program.poll()}: {self.program.error.strip()[-400:]}")
        lines = self.program.output.splitlines()
        return lines if self.program.output.endswith("\n") and len(lines) >= self.count else None

    @property
    def log(self):
        return self.program.error

    def stop(self):
        return self.program.stop()


def digest(data):
    return hashlib.sha256(data).hexdigest()


def same(seen, expected, what="the bytes"):
    """Compares bytes without printing them."""
    if seen != expected:
        pairs = zip(seen, expected)
        first = next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(seen), len(expected)))
        expect(False, f"{what} differ from byte {first} on; there are {len(seen)} and should be {len(expected)}")


def holders(stage, secrets, folders):
    """The files in logs and folders that hold a secret, with its name; and the number of searched files."""
    files = {*stage.logs(), *(path for folder in folders for path in stage.files(folder))}
    found = []
    for path in sorted(files):
        data = path.read_bytes()
        found += [f"{name} in {Path(path).relative_to(stage.folder)}" for name, secret in secrets.items()
                  if secret.encode() in data or secret in str(path)]
    return found, len(files)


def beside(jobs, width=6):
    """Runs each job (a name and a function of a Stage) on its own stage, several at a time; yields their results.

    A result is a function that the check calls: it returns the job's value, or raises the job's error.
    """
    def on_stage(work):
        with Stage("beside") as stage:
            return work(stage)

    with ThreadPoolExecutor(width) as pool:
        futures = [(name, pool.submit(on_stage, work)) for name, work in jobs]
        for name, future in futures:
            yield name, future.result
