# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""How many requests a second servers answer, in turns, and the cost of a request."""

import subprocess
from collections import namedtuple
from pathlib import Path

import clients
import costs
import counters
from results import ROUNDS
from stage import media

# The columns of the table of costs, with their digits.
KINDS = {"user": 1, "system": 1, "waits": 2, "calls": 2, "instructions": 0}

# The requests of wrk: the file or folder, the script with its arguments, and the number of connections.
Load = namedtuple("Load", "path script arguments connections")


def ranges(connections, size=64 << 10):
    """Random ranges of the big file."""
    return Load(media.BIG, "ranges.lua", (media.BIG_SIZE, size), connections)


class Handover:
    """A program that says how fast this machine copies into memory that its other processor has just read."""

    def __init__(self, stage):
        self.path = stage.folder / "handover"
        if not self.path.exists():
            subprocess.run(["cc", "-O2", "-pthread", "-o", self.path, Path(__file__).with_name("handover.c")], check=True)

    def micros(self):
        return float(subprocess.run([self.path], capture_output=True, text=True, timeout=60, check=True).stdout)


def take(
    results, stage, subjects, measure, load, ours="weir", seconds=1, before_turn=None, rounds=ROUNDS
):
    """Adds rows that compare `ours` with the other subjects, and a line of costs for every subject.

    The rates are compared with every other subject, the processor time only with the first. The other
    peers have fewer rounds.

    `before_turn(subject)` is called before each turn of a subject.
    """

    def answers(subject, before=()):
        url = subject.url(load.path)
        return clients.wrk(url, load.script, load.arguments, load.connections, seconds, stage.environment, before)

    def cost(kind):
        return f"{measure}, {kind}"

    handover = Handover(stage)
    first, *others = [subject for subject in subjects if subject.name != ours]
    for number, subject in results.turns(subjects, rounds, fewer=others):
        if before_turn:
            before_turn(subject)
        results.handover(measure, subject, number, handover.micros())
        pids = subject.pids()
        early = costs.usage(pids)
        given = answers(subject)
        used = costs.between(early, costs.usage(pids))
        results.sample(measure, subject.name, number, given.rate, "requests/s")
        micros = {"user": used.user, "system": used.system, "processor": used.user + used.system}
        for kind, value in micros.items():
            results.sample(cost(kind), subject.name, number, value / given.count * 1e6, "µs/request")
        results.sample(cost("waits"), subject.name, number, used.waits / given.count, "waits/request")
    results.compare(measure, *(subject.name for subject in (first, *others)), ours=ours)
    results.compare(cost("processor"), first.name, ours=ours, digits=1, title="processor time of the same")
    for subject in subjects:
        if before_turn:
            before_turn(subject)
        given, counted = counters.count(subject.pids(), lambda before: answers(subject, before), stage.environment)
        for kind, value in counted._asdict().items():
            if value is not None:
                results.sample(cost(kind), subject.name, 0, value / given.count, f"{kind}/request")
        results.cost(measure, subject.name, {cost(kind): digits for kind, digits in KINDS.items()})
    if counted.instructions is None:
        results.remark("Instructions are not counted: this machine's processor offers no counter.")
