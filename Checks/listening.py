# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A running `weir play`: its JSON lines, the file that it wrote, and its memory, threads and open files."""

import json
import os
import signal
import threading
import time
from pathlib import Path

import samples
from check_results import expect
from stage import place, waiting
from stage.program import Program


class Play:
    """A running `weir play --json`; its WAV is `wave`, if its sink is a file."""

    def __init__(self, stage, *words, sink=None, cache=None, environment=None, folder=None):
        self.stage = stage
        self.file = None
        if sink is None:
            self.file = stage.folder / f"{stage.name('played')}.wav"
            sink = f"wav:{self.file}"
        self.cache = cache or stage.new_folder("cache")
        command = [place.weir_program(), "play", *words, "--sink", sink, "--json", "--cache", self.cache]
        self.began = time.monotonic()
        self.program = stage.put(
            Program(command, folder or stage.folder, stage.name("play"), environment or stage.environment)
        )

    @property
    def events(self):
        """The events so far, in order, without an unfinished line."""
        lines = self.program.output.split("\n")[:-1]
        return [json.loads(line) for line in lines if line]

    def of(self, kind):
        return [event for event in self.events if event["event"] == kind]

    @property
    def states(self):
        """The states in order, each by its name, and with the reason if it has one."""
        found = []
        for event in self.of("state"):
            reason = event.get("reason") or "none"
            found.append(event["state"] if reason == "none" else f"{event['state']}/{reason}")
        return found

    @property
    def titles(self):
        """Each title with the first sample that it belongs to."""
        return [(event.get("title"), event["sample"]) for event in self.of("title")]

    @property
    def losses(self):
        """The reasons for lost connections to the station, by code, in order."""
        found, last = [], None
        for event in self.of("station"):
            # Weir reports the reason again when another fact about the connection changes.
            if event.get("reason") and (event["attempt"], event["reconnects"], event["reason"]) != last:
                found.append(event["reason"])
            last = (event["attempt"], event["reconnects"], event.get("reason"))
        return found

    @property
    def wave(self):
        return samples.read_wave(self.file)

    @property
    def seconds(self):
        """The seconds of sound in the file at the moment."""
        if not self.file.exists() or self.file.stat().st_size < 100:
            return 0.0
        wave = self.wave
        return len(wave.data) / (wave.rate * wave.channels * wave.bits // 8)

    def explain(self):
        return f"states {self.states}, {self.program.error.strip()[-400:]!r}"

    def until(self, condition, seconds, what):
        """Waits for a condition while Weir runs."""

        def holds():
            value = condition()
            status = self.program.poll()
            expect(value or status is None, f"weir ended with {status} before {what}: {self.explain()}")
            return value

        return waiting.until(holds, seconds, what, pause=0.03)

    def until_playing(self, seconds=20):
        self.until(lambda: "playing" in self.states, seconds, "the first sound")

    def wait(self, seconds=60):
        """The exit status."""
        try:
            return self.program.wait(seconds)
        except waiting.TookTooLong as failure:
            raise waiting.TookTooLong(f"{failure}; {self.explain()}") from failure

    def stop(self, number=signal.SIGTERM, seconds=15):
        return self.program.stop(number, seconds)


class Holding:
    """The resources of a process: memory in bytes, threads, open files."""

    def __init__(self, pid):
        status = Path(f"/proc/{pid}/status").read_text()
        values = dict(line.split(":", 1) for line in status.splitlines())
        self.memory = int(values["VmRSS"].split()[0]) * 1024
        self.threads = int(values["Threads"])
        self.files = len(os.listdir(f"/proc/{pid}/fd"))

    def __str__(self):
        return f"{self.memory / 1e6:.1f} MB, {self.threads} threads, {self.files} files"


def grown(before, after, memory=6_000_000):
    """The resources that have grown too much, as sentences."""
    found = []
    if after.memory > before.memory + memory:
        found.append(f"memory grew from {before.memory / 1e6:.1f} to {after.memory / 1e6:.1f} MB")
    # A short-lived thread or file is not a leak.
    if after.threads > before.threads + 2:
        found.append(f"threads grew from {before.threads} to {after.threads}")
    if after.files > before.files + 2:
        found.append(f"open files grew from {before.files} to {after.files}")
    return found


def at_once(*functions):
    """Calls functions at the same time; raises the first failure."""
    failures = []

    def call(function):
        try:
            function()
        except Exception as failure:  # It is raised again below.
            failures.append(failure)

    threads = [threading.Thread(target=call, args=(function,), daemon=True) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
