# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""System calls of processes, and their instructions in user space, during some work.

`perf stat` counts both and hardly slows a server down. It needs root, or a kernel that lets other users see
tracepoints. Without these, `strace -c` counts system calls. Each call then takes many times as long. A slower server
finds more to do at each wake-up, so its count is a little lower. Instructions need a hardware counter, which most
virtual machines do not have.
"""

import functools
import re
import signal
import subprocess
import tempfile
from collections import namedtuple

from stage import waiting

# The counts; None if a count is impossible.
Count = namedtuple("Count", "calls instructions")

CALLS, INSTRUCTIONS = "raw_syscalls:sys_enter", "instructions:u"


def count(pids, work, environment):
    """Runs `work(before)`, which puts the words `before` before its command; returns its result and the counts."""
    if CALLS in events():
        with tempfile.NamedTemporaryFile("r") as file:
            listed = ",".join(map(str, pids))
            given = work(["perf", "stat", "-x", ";", "-o", file.name, "-e", ",".join(events()), "-p", listed, "--"])
            found = parsed(file.read())
        return given, Count(found.get(CALLS), found.get(INSTRUCTIONS))
    return traced(pids, work, environment)


@functools.cache
def events():
    """The events that `perf` can count on this machine."""
    found = []
    for event in (CALLS, INSTRUCTIONS):
        words = ["perf", "stat", "-x", ";", "-e", event, "true"]
        try:
            said = subprocess.run(words, capture_output=True, text=True, timeout=20).stderr
        except FileNotFoundError:
            return ()
        if parsed(said).get(event):
            found.append(event)
    return tuple(found)


def parsed(text):
    """The counts of `perf stat -x ;` by event."""
    fields = [line.split(";") for line in text.splitlines()]
    return {line[2]: int(line[0]) for line in fields if len(line) > 2 and line[0].isdigit()}


def traced(pids, work, environment):
    with tempfile.NamedTemporaryFile("r") as file, tempfile.TemporaryFile("w+") as said:
        words = ["strace", "-f", "-c", "-o", file.name, *(word for pid in pids for word in ("-p", str(pid)))]
        try:
            tracer = subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=said, env=environment)
        except FileNotFoundError:
            return work([]), Count(None, None)
        try:
            waiting.until(lambda: attached(said) >= len(pids) or tracer.poll() is not None, 10, "strace")
            given = work([])
        finally:
            # On SIGINT, strace detaches from the processes and writes its table.
            tracer.send_signal(signal.SIGINT)
            tracer.wait(20)
        total = re.search(r"^\s*100\.00\s+\S+\s+(?:\S+\s+)?(\d+)\s+(?:\d+\s+)?total", file.read(), re.MULTILINE)
    return given, Count(int(total.group(1)) if total else None, None)


def attached(said):
    said.seek(0)
    return said.read().count(" attached")
