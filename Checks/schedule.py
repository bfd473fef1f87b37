# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Runs each topic in its own process, and measures its time. Topics run in parallel; those that measure run alone.

A topic's process leads its own process group. The schedule ends the group when the topic takes too long or the run is
interrupted. It first asks the topic to end, so that the topic can end its own processes, and later kills the group.
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

import check_results
from stage.program import end_with_parent

# Seconds after which a topic is ended. This bounds a hang; it does not judge a slow topic.
LIMIT, LONG_LIMIT = 900, 4 * 3600
# Seconds that a topic has to end its own processes.
GRACE = 30


@dataclass
class Topic:
    """A file in topics/, and the expected cost of its short form."""

    name: str
    # Seconds beside other topics on two cores. The schedule reports a topic that takes longer, but does not fail it.
    budget: int
    # Whether the topic measures times, memory or load, so that nothing else may run beside it.
    alone: bool = False


class Running:
    """The process of a topic. Its output goes to a file, or directly to the terminal if it is `live`."""

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
        """Whether the topic has ended; ends a topic that takes too long, and processes of its group that outlive it."""
        now = time.monotonic()
        if self.asked_to_end is None and now > self.limit:
            self.fault = self.late
            self.ask_to_end()
        if self.asked_to_end is not None and now > self.asked_to_end + GRACE:
            self.kill()
        # WNOWAIT leaves the ended process in the table, so the system cannot reuse its number yet.
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
        """The line of each result; a process that ended early adds a failure."""
        *found, last = self.report.read_text().split("\n")
        results = [line for line in found if line.split(" ", 1)[0] in check_results.RESULTS]
        status = self.process.returncode
        if "end" not in found or status not in (0, 1):
            how = self.fault or (f"signal {-status} ended it" if status < 0 else f"it ended with {status}")
            results.append(check_results.line("FAILED", self.topic.name, "it runs to its end", how))
            print(results[-1], flush=True)
        return results

    def show(self):
        """Prints the topic's output."""
        sys.stdout.write(self.output.read_text(errors="replace"))
        sys.stdout.flush()


class Schedule:
    """Topics, how many may run in parallel, and the command that runs one."""

    def __init__(self, words, topics, jobs, is_long, times=None):
        self.times = times
        self.words = words
        self.topics = topics
        self.jobs = jobs
        self.is_long = is_long
        self.running = []
        self.ended = []
        self.counts = dict.fromkeys(check_results.RESULTS, 0)
        self.failures = []
        self.folder = Path(tempfile.mkdtemp(prefix="checks-"))

    def run(self):
        """Runs all topics, the longest first. Returns the exit status.

        Failures also go to the file that WEIR_REPORT names.
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
        return check_results.close(self.counts, self.failures)

    def run_all(self, topics, width):
        waiting = list(topics)
        # With one topic at a time, its lines appear as it prints them.
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
        """Ends the topics that still run; a second interruption kills them at once."""
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
        """The cost of each topic, in the order of the table of topics."""
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
