#!/usr/bin/env python3
# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Three real nodes that share a store, beside their model: the same listeners, measured and computed.

Benchmarks/fleet.py [--sessions NUMBER] [--seed NUMBER] [--route hashed|random] [--keep NAME]

The nodes are `weir serve`, the store is moto's S3, the origin serves 24 files. Each disk holds less than its share of
them. Listeners come one after another; a listener who leaves early does so when the node has finished its read-ahead.
The model replays the stretches that the nodes served, so that both figures are of the same bytes. A node does not
report the bytes from its disk: they are each request's bytes minus the bytes fetched for it. In the first run, each
listener goes to the resource's home node. In the second, with new nodes and a new store, listeners go to any node.
The exit status is 1 if a figure of the model is more than 10 % off.
"""

import argparse
import http.client
import json
import random
import re
import socket
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "Scripts")]
sys.path.append(str(Path(__file__).resolve().parent.parent / "Checks"))

import fleet_model  # noqa: E402
from fleet_nodes import Node, tier  # noqa: E402
from servers.s3 import S3  # noqa: E402
from stage import origin, waiting, web  # noqa: E402
from stage.origin import Origin  # noqa: E402
from stage.stage import Stage  # noqa: E402

NODES, FILES = 3, 24
DISK = 12_000_000
# Fetched bytes become durable, and go to the store, this long after the last listener has left: in seconds.
DURABLE = 0.1
METRICS = {
    "served": "weir_served_bytes_total", "tier": "weir_tier_read_bytes_total", "stored": "weir_tier_stored_bytes_total",
    "origin": "weir_origin_received_bytes_total", "requests": "weir_requests_total",
    "evictions": "weir_cache_evictions_total", "failures": "weir_tier_failures_total",
}


def figures(node):
    """A node's counters."""
    text = web.fetch(f"{node.base}metrics", {"Authorization": f"Bearer {node.secret}"}).text
    return {name: int(sum(float(value) for value in re.findall(rf"^{metric}(?:{{.*}})? (\S+)$", text, re.MULTILINE)))
            for name, metric in METRICS.items()}


def settled(node, requests=0):
    """A node's counters, after it has handled `requests` requests and fetches nothing."""
    last, since = None, time.monotonic()

    def is_quiet():
        nonlocal last, since
        now = figures(node)
        if now != last:
            last, since = now, time.monotonic()
        return now["requests"] >= requests and time.monotonic() - since > 0.04 and now

    return waiting.until(is_quiet, 30, "the end of a node's fetches")


def play(node, name, data, step):
    """Plays a stretch as a listener; returns how many bytes the node sent for it, and how many it fetched.

    The node may send more bytes than the listener reads.
    """
    before = figures(node)
    parts = urlsplit(node.url)
    with socket.socket() as line:
        # A player buffers little, and packets on a real line are small. On the loopback interface, packets have 64
        # KiB. The buffers grow with the packet size, and would take most of such a file.
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32 << 10)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 1400)
        line.connect((parts.hostname, parts.port))
        connection = http.client.HTTPConnection(parts.hostname, parts.port)
        connection.sock = line
        connection.request("GET", parts.path + name, headers={"Range": f"bytes={step.first}-"})
        body = connection.getresponse().read(step.end - step.first)
        if body != data[step.first:step.end]:
            raise RuntimeError(f"bytes of {name} from {step.first} on are wrong")
        if step.open:
            settled(node)
        # This closes the response, too, which would otherwise keep the socket open.
        connection.close()
    after = settled(node, before["requests"] + 1)
    if step.open:
        # The node keeps the connection to the origin, and the resource in use, for 250 ms; no metric shows the end
        # of that time.
        time.sleep(0.3)
    fetched = sum(after[name] - before[name] for name in ("tier", "origin"))
    # The node counts a piece only when it has sent all of it.
    return max(len(body), after["served"] - before["served"]), fetched


def measure(files, steps):
    """The figures of real nodes, and the trace of the stretches that they served."""
    with Stage("fleet") as stage:
        store = S3(stage)
        server = Origin(stage, {f"/{name}": origin.content(data, f'"{name}"') for name, data in files.items()})
        words = ["--cache-limit", str(DISK), server.base]
        nodes = [Node(stage, tier(store.base), *words) for _ in range(NODES)]
        names = list(files)
        trace, start = [], time.monotonic()
        for step in steps:
            name = names[step.resource]
            begun = time.monotonic() - start
            served, fetched = play(nodes[step.node], name, files[name], step)
            end = step.first + served
            trace.append({"time": begun, "node": step.node, "resource": name, "size": step.size, "first": step.first,
                          "end": end, "open": end < step.size, "fetched": fetched})
        seen = [settled(node) for node in nodes]
        waiting.until(lambda: not is_writing(store), 30, "the end of the writes to the store")
        counts = {name: sum(figures(node)[name] for node in nodes) for name in seen[0]}
        counts["served"] = sum(line["end"] - line["first"] for line in trace)
        counts["held"] = sum(max(0, line["end"] - line["first"] - line["fetched"]) for line in trace)
        asked = [(request.method, request.target) for request in store.requests]
        counts["lists"] = sum(method == "GET" and "list-type" in path for method, path in asked)
        counts["gets"] = sum(method == "GET" and "list-type" not in path for method, path in asked)
        counts["puts"] = sum(method == "PUT" for method, _ in asked)
        for node in nodes:
            node.stop()
        return counts, trace


def is_writing(store):
    """Whether the store got requests within the last two seconds."""
    count = len(store.requests)
    time.sleep(2)
    return len(store.requests) != count


def compared(measured, model):
    """Rows of both, and the largest difference in percent."""
    rows = []
    for name, title in {"held": "on disks", "tier": "read from the store", "origin": "read from the origin"}.items():
        ours, theirs = (100 * counts[name] / counts["served"] for counts in (measured, model))
        rows.append((f"{title}, of the served bytes", f"{ours:.1f} %", f"{theirs:.1f} %", ours, theirs))
    for name in ("gets", "lists", "puts"):
        ours, theirs = measured[name], model[name]
        rows.append((f"{name[:-1].upper()}s to the store", ours, theirs, ours, theirs))
    differences = [100 * (theirs / ours - 1) if ours else 0 for *_, ours, theirs in rows]
    table = [(*row[:3], f"{difference:+.1f} %") for row, difference in zip(rows, differences)]
    return table, max(map(abs, differences))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", type=int, default=300)
    parser.add_argument("--seed", type=int, default=22)
    parser.add_argument("--route", nargs="+", choices=("hashed", "random"), default=["hashed", "random"])
    parser.add_argument("--keep", metavar="NAME", help="keep each trace as NAME-hashed.jsonl and NAME-random.jsonl")
    options = parser.parse_args()
    generator = random.Random(options.seed)
    sizes = [generator.randrange(500_000, 9_000_000) for _ in range(FILES)]
    files = {f"{number:02}.bin": generator.randbytes(size) for number, size in enumerate(sizes)}
    drawn = SimpleNamespace(seed=options.seed, sessions=options.sessions, resources=FILES, zipf=0.9, hours=1, rate=1e12,
                            seek=0.3, leave=0.4, sizes=sizes)
    steps = fleet_model.sessions(drawn)
    worst = 0
    for route in options.route:
        measured, trace = measure(files, fleet_model.routed(steps, route, NODES, options.seed))
        if options.keep:
            lines = "".join(json.dumps(line) + "\n" for line in trace)
            Path(f"{options.keep}-{route}.jsonl").write_text(lines)
        model = fleet_model.run(*fleet_model.recorded(trace), DISK, delay=DURABLE)
        table, difference = compared(measured, model)
        print(f"\n{len(steps)} requests of {options.sessions} listeners, {route}, {measured['served'] / 1e6:.0f} MB; "
              f"{measured['evictions']} evictions, {measured['failures']} failures of the store\n")
        print(fleet_model.markdown(["", "measured", "model", "difference"], table), flush=True)
        worst = max(worst, difference)
    sys.exit(1 if worst > 10 else 0)


if __name__ == "__main__":
    main()
