# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Starts programs that listen at a port, and describes their recorded requests."""

import shutil

from check_results import Skipped
from stage import stage as stages
from stage import waiting, web
from stage.program import Program


def program(stage, name):
    """The path of an installed program; skips the check if it is missing."""
    path = shutil.which(name, path=stage.environment["PATH"])
    if path is None:
        raise Skipped(f"there is no {name}; Scripts/set-up clouds installs it")
    return path


def at_free_port(stage, name, words, environment=None, explain=lambda: ""):
    """Runs the command `words(port)` and waits until it listens; returns the program and its port.

    Another program may take the free port before this one listens, so there are five attempts.
    """
    for attempt in range(5):
        port = stages.free_port()
        started = Program(words(port), stage.folder, stage.name(name), environment or stage.environment)

        def listens():
            if not started.is_alive():
                raise RuntimeError(f"{name} did not start: {started.error.strip()[-500:]} {explain()}")
            return web.is_listening(port)

        try:
            waiting.until(listens, 20, f"{name}'s start")
        except (waiting.TookTooLong, RuntimeError):
            started.stop()
            if attempt == 4:
                raise
        else:
            return stage.put(started), port
    raise AssertionError("the last attempt returns or raises")


class Asked:
    """One received request, with every header in order, and its answer."""

    def __init__(self, method, target, headers, body=b""):
        self.method = method
        self.target = target
        self.headers = list(headers)
        self.body = body
        # The answer sets these; None and 0 until then.
        self.status = None
        self.sent = 0
        self.is_over = False
        self.was_cut = False

    def __repr__(self):
        part = f" {self.range}" if self.range else ""
        return f"<{self.method} {self.target}{part} → {self.status}>"

    @property
    def path(self):
        return self.target.partition("?")[0]

    def all(self, name):
        """Every value of a header."""
        return [value for key, value in self.headers if key.lower() == name.lower()]

    def get(self, name, default=None):
        """The first value of a header."""
        return next(iter(self.all(name)), default)

    @property
    def range(self):
        return self.get("Range")

    @property
    def authorization(self):
        return self.get("Authorization")
