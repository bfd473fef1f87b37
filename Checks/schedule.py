# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Runs topics, each in a process of its own: some side by side, what measures alone; and keeps what each took.

A topic's process leads a group of its own. It is ended, with that group, when it takes too long or when the whole is
interrupted: first asked to (it ends then what it started), later killed.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import board
from stage.program import end_with_parent

# Seconds that a topic may take before it is ended: a bound for what hangs, no measure of what is slow.
LIMIT, LONG_LIMIT = 900, 4 * 3600
# Seconds that a topic has to end what it started.
GRACE = 30


@dataclass
class Topic:
    """A file in topics/, and what it should cost in its short form."""

    name: str
    # Seconds beside others on two cores; what takes longer is said, and no failure.
    budget: int
    # Whether it measures times, memory or the load of the machine, so that nothing may run beside it.
    alone: bool = False


class Running:
    """The process of a topic. What it prints goes to a file, or straight on if it is `live`."""

    def __init__(self, words, topic, folder, limit, live):
        self.topic = topic
        self.output = folder / f"{topic.name}.out"
        self.report = folder / f"{topic.name}.report"
        self.report.touch()
        self.began = time.monotonic()
        self.limit = self.began + limit
        self.asked_to_end = None
        self.usage = None
        self.late = f"it did not end within {limit} s and was ended"
        self.fault = None
        with open(self.output, "wb") as output:
            sys.stdout.flush()
            self.process = subprocess.Popen(
                [*words, "--report", self.report, topic.name],
                stdin=subprocess.DEVNULL,
                stdout=None if live else output,
                stderr=None if live else subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=end_with_parent,
            )

    def has_ended(self):
        """Whether it is over; ends what takes too long, and what of its group has outlived it."""
        now = time.monotonic()
        if self.asked_to_end is None and now > self.limit:
            self.fault = self.late
            self.ask_to_end()
        if self.asked_to_end is not None and now > self.asked_to_end + GRACE:
            self.kill()
        # Looked at without taking it away: as long as it is there, its number is nobody else's.
        if os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            return False
        self.kill()
        _, status, self.usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.seconds = time.monotonic() - self.began
        return True

    def ask_to_end(self):
        self.asked_to_end = self.asked_to_end or time.monotonic()
        os.kill(self.process.pid, signal.SIGTERM)

    def kill(self):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    @property
    def processor_seconds(self):
        return self.usage.ru_utime + self.usage.ru_stime

    def results(self):
        """The line of each result; a process that ended early is one more that failed."""
        *found, last = self.report.read_text().split("\n")
        results = [line for line in found if line.split(" ", 1)[0] in board.RESULTS]
        status = self.process.returncode
        if "end" not in found or status not in (0, 1):
            how = self.fault or (f"signal {-status} ended it" if status < 0 else f"it ended with {status}")
            results.append(board.line("FAILED", self.topic.name, "it runs to its end", how))
            print(results[-1], flush=True)
        return results

    def show(self):
        """Prints what it has printed."""
        sys.stdout.write(self.output.read_text(errors="replace"))
        sys.stdout.flush()


class Schedule:
    """Topics, how many may run side by side, and the words that run one."""

    def __init__(self, words, topics, jobs, is_long, times=None):
        self.times = times
        self.words = words
        self.topics = topics
        self.jobs = jobs
        self.is_long = is_long
        self.running = []
        self.ended = []
        self.counts = dict.fromkeys(board.RESULTS, 0)
        self.failures = []
        self.folder = Path(tempfile.mkdtemp(prefix="checks-"))

    def run(self):
        """Runs them all; what takes longest begins first. Returns the exit status.

        What failed goes to the file that WEIR_REPORT names, too.
        """
        began = time.monotonic()
        try:
            beside = sorted((each for each in self.topics if not each.alone), key=lambda each: -each.budget)
            self.run_all(beside, self.jobs)
            self.run_all([each for each in self.topics if each.alone], 1)
        finally:
            self.end_all()
            shutil.rmtree(self.folder, ignore_errors=True)
        if len(self.topics) > 1:
            table = self.table(time.monotonic() - began)
            print(f"\n{table}")
            if self.times:
                Path(self.times).write_text(f"{table}\n")
        if self.failures and os.environ.get("WEIR_REPORT"):
            Path(os.environ["WEIR_REPORT"]).write_text("\n".join(["", "What failed:", *self.failures, ""]))
        return board.close(self.counts, self.failures)

    def run_all(self, topics, width):
        waiting = list(topics)
        # With one at a time its lines come as they are made.
        live = width == 1 or len(topics) == 1
        limit = LONG_LIMIT if self.is_long else LIMIT
        while waiting or self.running:
            while waiting and len(self.running) < width:
                self.running.append(Running(self.words, waiting.pop(0), self.folder, limit, live))
            for each in [each for each in self.running if each.has_ended()]:
                self.running.remove(each)
                self.ended.append(each)
                each.show()
                for line in each.results():
                    result = line.split(" ", 1)[0]
                    self.counts[result] += 1
                    if result == "FAILED":
                        self.failures.append(line)
            time.sleep(0.02)

    def end_all(self):
        """Ends what still runs; a second interruption kills it at once."""
        for each in self.running:
            each.ask_to_end()
        try:
            while self.running:
                self.running = [each for each in self.running if not each.has_ended()]
                time.sleep(0.02)
        except KeyboardInterrupt:
            for each in self.running:
                each.kill()
            raise

    def table(self, seconds):
        """What each took, in the order of the table of topics."""
        lines, late = [f"{'topic':<12} {'seconds':>8} {'processor':>9} {'budget':>6}"], 0
        for each in sorted(self.ended, key=lambda each: self.topics.index(each.topic)):
            topic = each.topic
            note = "  alone" if topic.alone else ""
            if not self.is_long and each.seconds > topic.budget:
                late += 1
                note += "  over its budget"
            budget = "" if self.is_long else topic.budget
            lines.append(f"{topic.name:<12} {each.seconds:8.1f} {each.processor_seconds:9.1f} {budget:>6}{note}")
        whole, processor = (sum(values) for values in zip(*((each.seconds, each.processor_seconds) for each in self.ended)))
        lines.append(f"{'together':<12} {seconds:8.1f} {processor:9.1f}         {self.jobs} side by side; {whole:.0f} s one by one")
        if late:
            lines.append(f"warning: {late} of {len(self.ended)} topics took longer than their budgets")
        return "\n".join(lines)
