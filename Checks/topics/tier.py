# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A store that several machines share behind their caches: moto's S3, and nodes that are `weir serve` processes."""

import hashlib
import hmac
import json
import random
import statistics
import time

from check_results import Skipped, equal, expect
from clouds import same
from fleet_nodes import SECRET, Node, expect_from_store, extents, objects, tier, until_stored
from servers.s3 import BUCKET, S3
from stage import origin, waiting, web
from stage.origin import Origin
from stage.stage import Stage

EXTENT = 4 << 20
FILM = random.Random(2201).randbytes(2 * EXTENT + 700_000)
SONG = random.Random(2202).randbytes(300_000)


def run(results):
    with Stage("tier") as stage:
        store = S3(stage)
        server = Origin(stage, {
            "/film.bin": origin.content(FILM), "/song.bin": origin.content(SONG), "/secret.bin": unstorable,
        })
        shares(results, stage, store, server)
        distrusts(results, stage, store, server)
        outlives_clocks(results, stage)
        outlives_slowness(results, stage)
        goes_on_without(results, stage, store, server)
        keeps_versions_apart(results, stage, store, server)


def unstorable(handler):
    handler.answer(200, SONG, Cache_Control="no-store", ETag='"one"')


def machine(stage, store, server, *words, secret=SECRET):
    """A machine of the fleet that serves the origin."""
    return Node(stage, tier(store.base), *words, server.base, secret=secret)


def shares(results, stage, store, server):
    with results.check("bytes that one node fetched and made durable are in the store, once") as check:
        first = machine(stage, store, server)
        same(first.read("film.bin").body, FILM)
        same(first.read("song.bin").body, SONG)
        until_stored(store, 4)
        # The node counts an object when it has the store's answer.
        size = len(FILM) + len(SONG)
        waiting.until(lambda: first.count("weir_tier_stored_bytes_total") >= size, 20, "the count of all stored bytes")
        equal(first.count("weir_tier_stored_bytes_total"), size, "bytes that were written")
        puts = [request.path for request in store.requests if request.method == "PUT" and "descriptor" not in request.path]
        equal(len(puts), 4, "extents that were sent")
        check.figure = f"{len(objects(store))} objects"
    with results.check("a node with an empty disk serves them without the origin, from any byte") as check:
        asked = len(server.asked)
        second = machine(stage, store, server)
        same(second.read("film.bin", Range=f"bytes={EXTENT + 5}-{2 * EXTENT + 9}").body, FILM[EXTENT + 5:2 * EXTENT + 10])
        same(second.read("film.bin").body, FILM)
        same(second.read("song.bin").body, SONG)
        expect_from_store(second, len(server.asked) - asked)
        expect_from_store(second, second.count("weir_origin_requests_total"))
        given, asked = second.count("weir_tier_read_bytes_total"), len(server.asked) - asked
        check.figure = f"{given} bytes, {asked} requests to the origin"
        second.stop()
    with results.check("warm bytes are served without a request to the store"):
        asked = len(store.requests)
        same(first.read("film.bin").body, FILM)
        equal(len(store.requests), asked, "requests to the store")
    with results.check("no-store responses are not in the store"):
        same(first.read("secret.bin").body, SONG)
        same(first.read("film.bin").body, FILM)
        first.stop()
        equal(len(extents(store)), 4, "extents")


def distrusts(results, stage, store, server):
    with results.check("a changed, truncated or swapped extent is detected and written again") as check:
        keys = sorted(key for key in extents(store) if "-4194304/" in key)
        film = next(folder for folder in {key.rpartition("/")[0] for key in keys}
                    if sum(key.startswith(folder) for key in keys) == 3)
        names = [f"{film}/{number:012}" for number in range(3)]
        whole = [store.ask("GET", f"/{BUCKET}/{name}")[1] for name in names]
        changed = bytearray(whole[0])
        changed[len(changed) // 2] ^= 1
        store.put(names[0], bytes(changed))
        store.put(names[1], whole[1][:-1])
        store.put(names[2], whole[0])
        # If the store is late, a node asks the origin, and may never read the wrong bytes from the store. So the check
        # tries up to five nodes.
        for _ in range(5):
            node = machine(stage, store, server)
            same(node.read("film.bin").body, FILM)
            damages, is_late = node.count("weir_tier_damages_total"), node.is_served_late()
            node.stop()
            if damages or not is_late:
                break
        if not damages and is_late:
            raise Skipped("the store is so slow here that five nodes have asked the origin beside it")
        expect(damages >= 1, "the fault was not counted")
        # After three wrong answers, Weir does not use the store for a second.
        def is_repaired():
            return [store.ask("GET", f"/{BUCKET}/{name}")[1] for name in names] == whole
        check.figure = f"{damages} found"
        for _ in range(5):
            if is_repaired():
                break
            again = machine(stage, store, server)
            same(again.read("film.bin").body, FILM)
            try:
                waiting.until(is_repaired, 4, "the repair")
            except waiting.TookTooLong:
                pass
            again.stop()
        expect(is_repaired(), "the wrong object is still in the store")
    with results.check("weir ignores objects written without the fleet's secret"):
        asked = len(server.asked)
        stranger = machine(stage, store, server, secret="another")
        same(stranger.read("song.bin").body, SONG)
        expect(len(server.asked) > asked, "the object was used")
        stranger.stop()


def sealed(key, content):
    """An object of the fleet, as every machine with the secret writes it."""
    root = hmac.new(bytes(32), SECRET.encode(), hashlib.sha256).digest()
    secret = hmac.new(root, b"weir tier 1" + b"\x01", hashlib.sha256).digest()
    return b"WEIRTIER" + hmac.new(secret, key.encode() + b"\0" + content, hashlib.sha256).digest() + content


def outlives_clocks(results, stage):
    server = Origin(stage, {"/song.bin": origin.content(SONG)})
    store = S3(stage)
    writer = machine(stage, store, server)
    same(writer.read("song.bin").body, SONG)
    until_stored(store, 1)
    writer.stop()
    key = next(key for key in objects(store) if key.endswith("/descriptor"))
    descriptor = json.loads(store.ask("GET", f"/{BUCKET}/{key}")[1][40:])
    new = SONG[::-1]
    server.routes["/song.bin"] = origin.content(new, '"two"')
    for name, ahead in {"an hour": 3600, "a year": 31_536_000}.items():
        with results.check(f"a machine with a clock {name} ahead does not change the age of versions for others") as check:
            changed = {**descriptor, "confirmed": int(time.time()) + ahead}
            store.put(key, sealed(key.removeprefix("fleet/"), json.dumps(changed).encode()))
            written = time.monotonic()
            node = machine(stage, store, server, "--revalidate", "3s")
            first = node.read("song.bin").body
            # By the store's clock, the old version may still be young enough for --revalidate.
            expect(first == new or time.monotonic() - written < 5, "an old version was served without a request")
            node.stop()
            waiting.until(lambda: time.monotonic() - written > 5, 10, "the end of that time")
            node = machine(stage, store, server, "--revalidate", "3s")
            same(node.read("song.bin").body, new)
            check.figure = f"{time.monotonic() - written:.1f} s after it was written"
            node.stop()


def timed(url):
    """The seconds to the first byte and to the last byte, and the received bytes."""
    start = time.monotonic()
    download = web.Download(url)
    piece = download.read(1)
    first = time.monotonic() - start
    body = piece + download.read_exactly(LONG)
    return first, time.monotonic() - start, body


# How long a slow store takes for an extent, in seconds.
SLOW = 9
LONG = 16 << 20


def outlives_slowness(results, stage):
    films = {f"/{number}.bin": random.Random(number).randbytes(LONG) for number in range(4)}
    server = Origin(stage, {path: slow_start(film) for path, film in films.items()})
    store = S3(stage)
    writer = machine(stage, store, server)
    alone = []
    with results.check("the origin alone: the first byte and 16 MiB") as check:
        for path, film in films.items():
            *seconds, body = timed(writer.url + path[1:])
            same(body, film)
            alone.append(seconds)
        first, whole = (statistics.median(seconds) for seconds in zip(*alone))
        check.figure = f"{first:.2f} and {whole:.2f} s"
    until_stored(store, 4 * len(films), 120)
    writer.stop()
    everything = lambda seconds: lambda method, path: seconds
    extents_only = lambda seconds: lambda method, path: seconds if "-4194304/" in path else 0
    modes = {"": everything(0)}
    for name, seconds in {"by 1 s": 1, f"by {SLOW} s": SLOW, "without end": 600}.items():
        modes[f", slow {name} with extents"] = extents_only(seconds)
        modes[f", slow {name} with everything"] = everything(seconds)
    for name, delay in modes.items():
        with results.check(f"with a store{name}: the first byte and 16 MiB of three films, and the origin's bytes") as check:
            store.front.delay = delay
            node = machine(stage, store, server)
            rows = []
            for path in list(films)[:3]:
                *seconds, body = timed(node.url + path[1:])
                same(body, films[path])
                rows.append(seconds)
            sent = node.count("weir_origin_received_bytes_total")
            hedged, given = node.count("weir_tier_hedged_bytes_total"), node.count("weir_tier_read_bytes_total")
            pauses = node.count("weir_tier_pauses_total")
            node.stop()
            figures = ", ".join(f"{start:.2f} and {end:.2f}" for start, end in rows)
            check.figure = f"{figures} s; {sent / LONG / 3:.0%} from the origin, {hedged >> 20} MiB hedged, {pauses} pauses"
            if name:
                # The check only reports the times. It requires that no reader waits for a store that takes 9 s or more.
                if "1 s" not in name:
                    for start, end in rows:
                        expect(start < SLOW / 2 and end < SLOW, f"it took {check.figure}")
                expect(pauses > 0, "the requests to the store did not pause")
            expect(hedged <= (16 << 20) + given / 10, f"{hedged} bytes were hedged where the store gave {given}")
            expect(sent <= 3.3 * LONG, f"the origin sent {sent} bytes")
    with results.check("weir sends no request before the time in the store's Retry-After") as check:
        store.front.delay, store.front.busy = everything(0), 120
        node = machine(stage, store, server)
        before = len(store.requests)
        for path, film in films.items():
            same(node.read(path[1:]).body, film)
        asked = len(store.requests) - before
        # Requests that the writer was about to send may still be in progress.
        expect(asked <= 3, f"{asked} requests to the store")
        check.figure = f"{asked} requests for {len(films)} films"
        node.stop()


def slow_start(data):
    """A route over a line that takes 50 ms to the first byte and sends 100 MB a second."""
    route = origin.slow_line(Bytes(data), 0.05, 100e6)
    return route


class Bytes:
    """Content in memory."""

    def __init__(self, data):
        self.data = data
        self.length = len(data)

    def bytes(self, lower, upper):
        return self.data[lower:upper]


def goes_on_without(results, stage, store, server):
    with results.check("an unreachable store costs a bounded wait, and bytes come from the origin"):
        store.front.stop()
        node = machine(stage, store, server)
        same(node.read("film.bin").body, FILM)
        same(node.read("song.bin").body, SONG)
        expect(node.count("weir_tier_failures_total") > 0, "no failure was counted")
        equal(node.count("weir_tier_read_bytes_total"), 0, "bytes of the store")
        node.stop()


def keeps_versions_apart(results, stage, store, server):
    again = S3(stage)
    with results.check("an outdated version is not mixed with the new one"):
        first = machine(stage, again, server, "--revalidate", "always")
        same(first.read("film.bin").body, FILM)
        until_stored(again, 3)
        new = FILM[::-1]
        server.routes["/film.bin"] = origin.content(new, '"two"')
        second = machine(stage, again, server, "--revalidate", "always")
        same(second.read("film.bin").body, new)
        same(first.read("film.bin").body, new)
        until_stored(again, 6)
        third = machine(stage, again, server, "--revalidate", "never")
        asked = len(server.asked)
        same(third.read("film.bin").body, new)
        expect_from_store(third, len(server.asked) - asked)
        for node in (first, second, third):
            node.stop()
