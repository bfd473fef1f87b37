# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The costs of processes so far: processor time, and how often their threads waited.

Processor time is in nanoseconds from `schedstat`, its split into user and system time from the ticks of `stat`. A
wait is a voluntary context switch: the thread slept until it was woken. A process that has ended does not count.
"""

from collections import namedtuple
from pathlib import Path

from stage.program import TICKS

# Of one process: seconds by clock ticks, and per thread its seconds and its waits.
Usage = namedtuple("Usage", "user system threads")
Cost = namedtuple("Cost", "user system waits")


def usage(pids):
    """The usage so far, by process."""
    found = {}
    for pid in pids:
        folder = Path(f"/proc/{pid}")
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            user, system = (int(field) / TICKS for field in fields[11:13])
            threads = dict(filter(None, map(thread_usage, (folder / "task").iterdir())))
        except OSError:
            continue
        found[pid] = Usage(user, system, threads)
    return found


def thread_usage(folder):
    """A thread, its seconds and its waits; None if it has ended."""
    try:
        seconds = int((folder / "schedstat").read_text().split()[0]) / 1e9
        for line in (folder / "status").read_text().splitlines():
            if line.startswith("voluntary_ctxt_switches:"):
                return folder.name, (seconds, int(line.split()[1]))
    except OSError:
        pass
    return None


def between(before, after):
    """The usage between two measurements: seconds of user and of system time, and waits."""
    user = system = waits = 0
    for pid, late in after.items():
        early = before.get(pid, Usage(0, 0, {}))
        ticks = late.user - early.user, late.system - early.system
        # Only the ticks of the process include a thread that has ended.
        total = sum(seconds - early.threads.get(thread, (0, 0))[0] for thread, (seconds, _) in late.threads.items())
        if not early.threads.keys() <= late.threads.keys():
            total = max(total, sum(ticks))
        share = ticks[0] / sum(ticks) if sum(ticks) else 0.5
        user += total * share
        system += total * (1 - share)
        waits += sum(count - early.threads.get(thread, (0, 0))[1] for thread, (_, count) in late.threads.items())
    return Cost(user, system, waits)
