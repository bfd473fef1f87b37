# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The results of a topic's checks: a line for each as it ends, and their counts."""

import contextlib
import time
import traceback

RESULTS = ("ok", "FAILED", "skipped")


class Failed(Exception):
    """The check failed; the message has the actual result."""


class Skipped(Exception):
    """The check is impossible on this machine; the message has the reason."""


def expect(condition, otherwise):
    """Fails with a message unless the condition holds."""
    if not condition:
        raise Failed(otherwise)


def equal(seen, expected, what):
    if seen != expected:
        raise Failed(f"{what} is {seen!r} where {expected!r} was expected")


class Check:
    """A check in progress; `figure` is printed beside its name."""

    def __init__(self):
        self.figure = ""


class Results:
    """The checks of a process; `report` is a file that receives the line of each result at once."""

    def __init__(self, is_long=False, report=None):
        self.is_long = is_long
        self.topic = ""
        self.report = report
        self.counts = dict.fromkeys(RESULTS, 0)

    def run(self, topic, function):
        """Runs a topic; an error outside of its checks fails the topic as a whole."""
        self.topic = topic
        try:
            function(self)
        except Exception as failure:  # Whatever the error, the other topics still run.
            self.line("FAILED", "the rest of this topic", self.explain(failure))

    @contextlib.contextmanager
    def check(self, sentence):
        """One check: an error inside it fails only this check, and the next checks run."""
        check = Check()
        start = time.monotonic()
        try:
            yield check
        except Skipped as reason:
            self.line("skipped", sentence, str(reason))
        except Exception as failure:  # An unexpected error also fails the check.
            self.line("FAILED", sentence, self.explain(failure))
        else:
            self.line("ok", sentence, check.figure or f"{time.monotonic() - start:.1f} s")

    def line(self, result, sentence, figure):
        self.counts[result] += 1
        text = line(result, self.topic, sentence, figure)
        if self.report:
            print(text.replace("\n", " "), file=self.report, flush=True)
        print(text, flush=True)

    def explain(self, failure):
        if isinstance(failure, Failed):
            return str(failure)
        place = traceback.extract_tb(failure.__traceback__)[-1]
        return f"{type(failure).__name__}: {failure} ({place.filename.rpartition('/')[2]}:{place.lineno})"

    def close(self):
        """Prints the counts and returns the exit status."""
        return close(self.counts)


def line(result, topic, sentence, figure):
    return f"{result:<7} {topic}: {sentence}  [{figure}]"


def close(counts, failures=()):
    """Prints the failures and the counts; returns the exit status: 1 if a check failed or no check passed."""
    if failures:
        print("\nWhat failed:", *failures, sep="\n")
    skipped = f", {counts['skipped']} skipped" if counts["skipped"] else ""
    print(f"\n{counts['ok']} passed, {counts['FAILED']} failed{skipped}", flush=True)
    return 1 if counts["FAILED"] or not counts["ok"] else 0
