# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Where checks are chalked up: a line each as it ends, and the count at the end."""

import contextlib
import time
import traceback


class Failed(Exception):
    """The check failed; the message says what was seen instead."""


class Skipped(Exception):
    """The check cannot be made on this machine; the message says why."""


def expect(condition, otherwise):
    """Fails with a message unless the condition holds."""
    if not condition:
        raise Failed(otherwise)


def equal(seen, expected, what):
    if seen != expected:
        raise Failed(f"{what} is {seen!r} where {expected!r} was expected")


class Check:
    """A check that is being made; `figure` is printed beside its name."""

    def __init__(self):
        self.figure = ""


class Board:
    def __init__(self, is_long=False):
        self.is_long = is_long
        self.topic = ""
        self.counts = {"ok": 0, "FAILED": 0, "skipped": 0}

    def run(self, topic, function):
        """Runs a topic; what breaks outside of its checks fails it as a whole."""
        self.topic = topic
        try:
            function(self)
        except Exception as failure:  # Whatever it is, the other topics shall still be checked.
            self.line("FAILED", "the rest of this topic", self.explain(failure))

    @contextlib.contextmanager
    def check(self, sentence):
        """One check: what it raises is its failure, and the checks after it go on."""
        check = Check()
        start = time.monotonic()
        try:
            yield check
        except Skipped as reason:
            self.line("skipped", sentence, str(reason))
        except Exception as failure:  # A check that trips over something unforeseen has failed, too.
            self.line("FAILED", sentence, self.explain(failure))
        else:
            self.line("ok", sentence, check.figure or f"{time.monotonic() - start:.1f} s")

    def line(self, result, sentence, figure):
        self.counts[result] += 1
        print(f"{result:<7} {self.topic}: {sentence}  [{figure}]", flush=True)

    def explain(self, failure):
        if isinstance(failure, Failed):
            return str(failure)
        place = traceback.extract_tb(failure.__traceback__)[-1]
        return f"{type(failure).__name__}: {failure} ({place.filename.rpartition('/')[2]}:{place.lineno})"

    def close(self):
        """Prints the count and tells the exit status."""
        skipped = f", {self.counts['skipped']} skipped" if self.counts["skipped"] else ""
        print(f"\n{self.counts['ok']} passed, {self.counts['FAILED']} failed{skipped}", flush=True)
        return 1 if self.counts["FAILED"] or not self.counts["ok"] else 0
