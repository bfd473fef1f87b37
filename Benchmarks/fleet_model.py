#!/usr/bin/env python3
# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A model of a fleet: how many of the listeners' bytes come from disks, from the store and from the origin.

Benchmarks/fleet_model.py [OPTION…]     the table of Documentation/Fleet.md
Benchmarks/fleet_model.py --replay FILE the same figures for a trace: JSON lines with node, resource, size, first and
                                        end in their order, and time (seconds) and open (left before the end) if known
Benchmarks/fleet_model.py --self-test   cases that were computed by hand

The model counts bytes exactly, so it has no block size, and it behaves like Weir:

- A disk evicts whole resources, the least recently read first, and never one that is being read.
- If a listener may leave early, the node reads ahead: it fetches a number of bytes more than are played.
- The store has whole extents of 4 MiB. A node writes an extent when it has all of it, and reads an extent whole, even
  for a few bytes. It reads up to two more ahead.
- For each hole, a node asks for the descriptor (unless it knows the version) and for a list of extents.

It has no lines, so nothing is slow. A played stretch is one step; its extents are in the store when the stretch has
been played. Until then, another node asks the origin for the same bytes.
"""

import argparse
import hashlib
import heapq
import itertools
import json
import math
import random
from collections import Counter, OrderedDict, namedtuple
from pathlib import Path

EXTENT = 4 << 20
EXTENTS_AHEAD = 2
READ_AHEAD = 1 << 20
# Bytes from the store come in pieces of this size.
PIECE = 1 << 20
DESCRIPTOR_LIFE, DESCRIPTOR_AGE = 5, 20

# A stretch that a listener gets without a seek. The request of an open stretch goes to the resource's end.
Step = namedtuple("Step", "time listener node resource size first end open")


class Ranges:
    """A set of bytes: sorted half-open ranges that neither overlap nor touch."""

    def __init__(self):
        self.ranges = []
        self.count = 0

    def holes(self, first, end):
        """The ranges between two bytes that are not in the set."""
        for lower, upper in self.ranges:
            if upper <= first:
                continue
            if lower >= end:
                break
            if lower > first:
                yield first, lower
            first = upper
        if first < end:
            yield first, end

    def hole_end(self, first, end):
        """The end of the hole that begins at a byte."""
        return min((lower for lower, _ in self.ranges if lower > first), default=end)

    def add(self, first, end):
        """Adds a range; returns the range of the set that now contains it."""
        apart = [(lower, upper) for lower, upper in self.ranges if upper < first or lower > end]
        for lower, upper in self.ranges:
            if upper >= first and lower <= end:
                first, end = min(first, lower), max(end, upper)
        self.ranges = sorted([*apart, (first, end)])
        self.count = sum(upper - lower for lower, upper in self.ranges)
        return first, end


def bits(first, end):
    """The numbers from `first` to before `end`, as the bits of an integer."""
    return (1 << end) - (1 << first) if end > first else 0


def extent_bytes(numbers, size):
    """How many bytes a set of extents has; the last one of a resource ends with it."""
    last = (size - 1) // EXTENT
    return numbers.bit_count() * EXTENT - ((last + 1) * EXTENT - size if numbers >> last & 1 else 0)


class Store:
    """The store that the nodes share. Extents appear when they are written, and disappear when they expire."""

    def __init__(self, expiry=None):
        self.expiry = expiry
        self.nodes = []
        self.extents = Counter()
        self.described = {}
        self.events = []

    def put(self, resource, numbers, time):
        heapq.heappush(self.events, (time, False, resource, numbers))

    def advance(self, time):
        """Applies the events up to a time."""
        while self.events and self.events[0][0] <= time:
            moment, has_expired, resource, numbers = heapq.heappop(self.events)
            if has_expired:
                self.extents[resource] &= ~numbers
                for node in self.nodes:
                    node.known[resource] &= ~numbers
                continue
            new = numbers & ~self.extents[resource]
            self.extents[resource] |= new
            if self.expiry and new:
                heapq.heappush(self.events, (moment + self.expiry, True, resource, new))


class Node:
    """A node with a disk."""

    def __init__(self, disk, store, counts):
        self.disk = disk
        self.store = store
        self.counts = counts
        self.held = OrderedDict()
        self.total = 0
        # The extents that the node knows to be in the store, and the resources whose version the origin confirmed.
        # Then the times when the node asked for descriptors, and when it wrote them.
        self.known, self.confirmed, self.asked, self.described = Counter(), set(), {}, {}

    def serve(self, step, played):
        """Serves a stretch to a listener; `played` is the time when the listener has played it."""
        counts, size = self.counts, step.size
        held = self.held.setdefault(step.resource, Ranges())
        counts["served"] += step.end - step.first
        counts["disk"] += step.end - step.first - sum(b - a for a, b in held.holes(step.first, step.end))
        end = min(size, step.end + READ_AHEAD) if step.open else step.end
        holes = list(held.holes(step.first, end))
        self.held.move_to_end(step.resource)
        for first, upper in holes:
            wanted = min(held.hole_end(first, size), size if step.open else step.end)
            self.fill(step, held, first, upper, wanted, played)
        while self.total > self.disk and len(self.held) > 1:
            self.total -= self.held.popitem(last=False)[1].count

    def fill(self, step, held, first, end, wanted, played):
        """Fetches the hole from `first` to `end`, for a read that may go on to `wanted`."""
        there = self.extents_there(step) & bits(first // EXTENT, (wanted - 1) // EXTENT + 1)
        if there >> (end - 1) // EXTENT & 1:
            end = min(wanted, first + math.ceil((end - first) / PIECE) * PIECE)
        low, high = first // EXTENT, (end - 1) // EXTENT
        used = there & bits(low, high + 1)
        if used:
            last = used.bit_length()
            read = used | there & bits(last, last + EXTENTS_AHEAD)
            self.counts["gets"] += read.bit_count()
            self.counts["tier"] += extent_bytes(read, step.size)
            self.known[step.resource] |= read
        # Only parts of the first and the last extent are wanted.
        from_store = extent_bytes(used, step.size)
        from_store -= first - low * EXTENT if used >> low & 1 else 0
        from_store -= min(step.size, (high + 1) * EXTENT) - end if used >> high & 1 else 0
        if from_store < end - first:
            self.counts["origin"] += end - first - from_store
            self.confirmed.add(step.resource)
        count = held.count
        lower, upper = held.add(first, end)
        self.total += held.count - count
        if self.store:
            whole = bits(-(-lower // EXTENT), -(-upper // EXTENT) if upper == step.size else upper // EXTENT)
            self.write(step, whole & ~self.known[step.resource], played)

    def extents_there(self, step):
        """The extents that the store lists."""
        if not self.store:
            return 0
        has_version = self.held[step.resource].count > 0
        if not has_version or step.resource not in self.confirmed:
            if step.time - self.asked.get(step.resource, (-math.inf,))[0] >= DESCRIPTOR_LIFE:
                self.counts["gets"] += 1
                self.asked[step.resource] = step.time, self.store.described.get(step.resource, math.inf) <= step.time
            if not has_version and not self.asked[step.resource][1]:
                return 0
        self.counts["lists"] += 1
        self.known[step.resource] |= self.store.extents[step.resource]
        return self.store.extents[step.resource]

    def write(self, step, numbers, time):
        if not numbers:
            return
        if step.resource not in self.known:
            self.counts["lists"] += 1
        self.counts["puts"] += numbers.bit_count()
        self.store.put(step.resource, numbers, time)
        self.known[step.resource] |= numbers
        is_due = step.time - self.described.get(step.resource, -math.inf) >= DESCRIPTOR_AGE
        if step.resource in self.confirmed and is_due:
            self.counts["puts"] += 1
            self.described[step.resource] = step.time
            self.store.described.setdefault(step.resource, time)


def run(steps, node_count, disk, with_store=True, expiry=None, rate=math.inf, delay=0):
    """The figures of a fleet, from a trace: counts by name.

    - rate: how many bytes a listener plays in a second.
    - delay: how many seconds after a stretch was played its extents are durable and in the store.
    """
    counts = Counter()
    store = Store(expiry) if with_store else None
    nodes = [Node(disk, store, counts) for _ in range(node_count)]
    asked = {}
    if store:
        store.nodes = nodes
    for step in steps:
        if store:
            store.advance(step.time)
        fetched = counts["tier"] + counts["origin"]
        nodes[step.node].serve(step, step.time + (step.end - step.first) / rate + delay)
        # The measurable figure of a real node: the bytes of a request that exceed the bytes fetched for it,
        # read-ahead included.
        counts["held"] += max(0, step.end - step.first - (counts["tier"] + counts["origin"] - fetched))
        asked.setdefault(step.resource, Ranges()).add(step.first, step.end)
    counts["distinct"] = sum(ranges.count for ranges in asked.values())
    return counts


def home(resource, node_count):
    """The node of a resource, by rendezvous hashing: when a node leaves, only its own resources move."""
    return max(range(node_count), key=lambda node: hashlib.blake2b(f"{node} {resource}".encode()).digest())


def sessions(options):
    """The listeners' stretches without nodes, in the order in which they begin."""
    generator = random.Random(options.seed)
    sizes = options.sizes or [max(2, round(options.median * math.exp(generator.gauss(0, options.sigma))))
                              for _ in range(options.resources)]
    weights = list(itertools.accumulate((rank + 1) ** -options.zipf for rank in range(options.resources)))
    steps = []
    for listener in range(options.sessions):
        resource = generator.choices(range(options.resources), cum_weights=weights)[0]
        time = listener * options.hours * 3600 / options.sessions
        size, first, seeks = sizes[resource], 0, True
        while seeks:
            seeks = generator.random() < options.seek
            leaves = seeks or generator.random() < options.leave
            # Listeners who leave tend to leave early.
            end = first + 1 + int(generator.random() ** 2 * (size - first - 1)) if leaves else size
            steps.append(Step(time, listener, 0, resource, size, first, end, end < size))
            time += (end - first) / options.rate
            first = generator.randrange(size)
    return sorted(steps)


def routed(steps, route, node_count, seed):
    """The same stretches at their nodes: the home of the resource, or any node."""
    generator = random.Random(seed)
    homes = {resource: home(resource, node_count) for resource in {step.resource for step in steps}}
    drawn = [generator.randrange(node_count) for _ in range(max(step.listener for step in steps) + 1)]
    return [step._replace(node=homes[step.resource] if route == "hashed" else drawn[step.listener]) for step in steps]


def share(counts, name):
    return f"{100 * counts[name] / counts['served']:.1f} %"


def multiple(counts):
    return f"{counts['origin'] / counts['distinct']:.2f}×"


def figures(counts):
    """Shares of the served bytes, origin bytes per distinct byte, and requests to the store per GB served."""
    shares = [share(counts, name) for name in ("disk", "tier", "origin")]
    return [*shares, multiple(counts), *(f"{counts[name] * 1e9 / counts['served']:.1f}" for name in REQUESTS)]


REQUESTS = ["gets", "lists", "puts"]
HEAD = ["on disks", "read from the store", "read from the origin", "origin ÷ distinct", "GET/GB", "LIST/GB", "PUT/GB"]


def markdown(head, rows):
    lines = ["| " + " | ".join(map(str, cells)) + " |" for cells in (head, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


def table(options):
    steps = sessions(options)
    expiry = options.expiry and options.expiry * 3600
    rows = []
    for node_count, route in itertools.product(options.nodes, options.route):
        trace = routed(steps, route, node_count, options.seed)
        alone = run(trace, node_count, options.disk, with_store=False, rate=options.rate)
        counts = run(trace, node_count, options.disk, expiry=expiry, rate=options.rate)
        rows.append([node_count, route, *figures(counts), share(alone, "origin"), multiple(alone)])
    return markdown(["nodes", "routing", *HEAD, "without the store: from the origin", "÷ distinct"], rows)


def recorded(lines):
    """A trace from its lines, and how many nodes it has."""
    nodes = {name: number for number, name in enumerate(dict.fromkeys(line["node"] for line in lines))}
    steps = [Step(line.get("time", number), number, nodes[line["node"]], line["resource"], line["size"], line["first"],
                  line["end"], line.get("open", False)) for number, line in enumerate(lines)]
    return steps, len(nodes)


def self_test():
    """Cases that were computed by hand, with resources of two extents and a quarter."""
    size = 9 << 20

    def step(time, node, first=0, end=size, name="a", is_open=False):
        return Step(time, 0, node, name, size, first, end, is_open)

    def expect(steps, disk=1 << 40, with_store=True, expiry=None, **expected):
        counts = run(steps, 2, disk, with_store, expiry)
        seen = {name: counts[name] for name in expected}
        assert seen == expected, f"{seen} instead of {expected}"

    # The node asks for the descriptor and lists the extents, and finds neither. It writes three extents and a
    # descriptor.
    expect([step(0, 0)], served=size, disk=0, tier=0, origin=size, gets=1, lists=1, puts=4)
    # The same node has the file on its disk. Another node reads it from the store: a descriptor, a list, three extents.
    expect([step(0, 0), step(9, 0)], disk=size, tier=0, origin=size, gets=1, lists=1, puts=4)
    expect([step(0, 0), step(9, 1)], disk=0, tier=size, origin=size, distinct=size, gets=5, lists=2, puts=4)
    expect([step(0, 0), step(9, 1)], with_store=False, tier=0, origin=2 * size, distinct=size, gets=0, puts=0)
    # A few bytes of an extent cost all of it, and two more extents if the read may go on.
    expect([step(0, 0), step(9, 1, 100, 200)], tier=EXTENT, origin=size)
    expect([step(0, 0), step(9, 1, 100, 200, is_open=True)], tier=size, origin=size)
    # If the read may go on, the node reads ahead. No extent is whole.
    expect([step(0, 0, 0, 1 << 20, is_open=True)], served=1 << 20, origin=2 << 20, puts=0)
    # The node fetches the hole and no more.
    expect([step(0, 0, 0, 1 << 20), step(9, 0)], served=10 << 20, disk=1 << 20, origin=size, puts=4)
    # A disk with room for one resource evicts the first for the second. The store still has the first unless it has
    # expired.
    several = [step(0, 0), step(9, 0, name="b"), step(30, 0)]
    expect(several, disk=10 << 20, tier=size, origin=2 * size, puts=8)
    expect(several, disk=10 << 20, expiry=15, tier=0, origin=3 * size, puts=12)
    # When a node is added, only resources that move to it change their home.
    moved = [(home(name, 9), home(name, 10)) for name in range(1000)]
    assert all(new in (old, 9) for old, new in moved) and 60 < sum(old != new for old, new in moved) < 140
    print("The model counts correctly.")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--self-test", action="store_true", help="compare with cases that were computed by hand")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="the figures of a trace instead of drawn listeners")
    parser.add_argument("--nodes", type=int, nargs="+", default=[1, 3, 10, 30, 100], help="how many (%(default)s)")
    parser.add_argument("--route", nargs="+", choices=("hashed", "random"), default=["hashed", "random"])
    parser.add_argument("--disk", type=float, default=20e9, help="bytes that a node's disk may hold (%(default).0f)")
    parser.add_argument("--expiry", type=float, metavar="HOURS", help="after which the store drops an extent (never)")
    parser.add_argument("--resources", type=int, default=2000, help="how many there are (%(default)s)")
    parser.add_argument("--median", type=float, default=100e6, help="bytes of a resource (%(default).0f)")
    parser.add_argument("--sigma", type=float, default=1.0, help="their spread, lognormal; 0: all alike (%(default)s)")
    parser.add_argument("--zipf", type=float, default=0.9, help="exponent of popularity (%(default)s)")
    parser.add_argument("--sessions", type=int, default=20_000, help="how many listeners come (%(default)s)")
    parser.add_argument("--hours", type=float, default=24, help="within which they come (%(default)s)")
    parser.add_argument("--rate", type=float, default=500e3, help="bytes that one plays in a second (%(default).0f)")
    parser.add_argument("--seek", type=float, default=0.3, help="how probable a seek is, again and again (%(default)s)")
    parser.add_argument("--leave", type=float, default=0.4, help="how probable it is to leave early (%(default)s)")
    parser.add_argument("--seed", type=int, default=22)
    options = parser.parse_args(namespace=argparse.Namespace(sizes=None))
    if options.self_test:
        self_test()
    elif options.replay:
        lines = [json.loads(line) for line in options.replay.read_text().splitlines()]
        expiry = options.expiry and options.expiry * 3600
        counts = run(*recorded(lines), options.disk, expiry=expiry)
        print(markdown(HEAD, [figures(counts)]))
    else:
        print(table(options))


if __name__ == "__main__":
    main()
