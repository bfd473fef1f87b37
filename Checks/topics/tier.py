# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A store that several machines share behind their caches: moto's S3, and nodes that are `weir serve` processes."""

import random

from board import equal, expect
from clouds import same
from fleet_nodes import SECRET, Node, extents, objects, tier, until_stored
from servers.s3 import BUCKET, S3
from stage import origin, waiting
from stage.origin import Origin
from stage.stage import Stage

EXTENT = 4 << 20
FILM = random.Random(2201).randbytes(2 * EXTENT + 700_000)
SONG = random.Random(2202).randbytes(300_000)


def run(board):
    with Stage("tier") as stage:
        store = S3(stage)
        server = Origin(stage, {
            "/film.bin": origin.content(FILM), "/song.bin": origin.content(SONG), "/secret.bin": unstorable,
        })
        shares(board, stage, store, server)
        distrusts(board, stage, store, server)
        goes_on_without(board, stage, store, server)
        keeps_versions_apart(board, stage, store, server)


def unstorable(handler):
    handler.answer(200, SONG, Cache_Control="no-store", ETag='"one"')


def machine(stage, store, server, *words, secret=SECRET):
    """A machine of the fleet that serves the origin."""
    return Node(stage, tier(store.base), *words, server.base, secret=secret)


def shares(board, stage, store, server):
    with board.check("what one node has fetched and made durable is in the store, once") as check:
        first = machine(stage, store, server)
        same(first.read("film.bin").body, FILM)
        same(first.read("song.bin").body, SONG)
        until_stored(store, 4)
        equal(first.count("weir_tier_stored_bytes_total"), len(FILM) + len(SONG), "bytes that were written")
        puts = [request.path for request in store.requests if request.method == "PUT" and "descriptor" not in request.path]
        equal(len(puts), 4, "extents that were sent")
        check.figure = f"{len(objects(store))} objects"
    with board.check("a node with an empty disk serves it without asking the origin, from any byte on") as check:
        asked = len(server.asked)
        second = machine(stage, store, server)
        same(second.read("film.bin", Range=f"bytes={EXTENT + 5}-{2 * EXTENT + 9}").body, FILM[EXTENT + 5:2 * EXTENT + 10])
        same(second.read("film.bin").body, FILM)
        same(second.read("song.bin").body, SONG)
        equal(len(server.asked), asked, "requests to the origin")
        equal(second.count("weir_origin_requests_total"), 0, "requests to origins in the metrics")
        check.figure = f"{second.count('weir_tier_read_bytes_total')} bytes"
        second.stop()
    with board.check("what is warm is served without asking the store"):
        asked = len(store.requests)
        same(first.read("film.bin").body, FILM)
        equal(len(store.requests), asked, "requests to the store")
    with board.check("what must not be stored is not stored there"):
        same(first.read("secret.bin").body, SONG)
        same(first.read("film.bin").body, FILM)
        first.stop()
        equal(len(extents(store)), 4, "extents")


def distrusts(board, stage, store, server):
    with board.check("an extent that was changed, cut short or put in another's place is noticed, and written anew") as check:
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
        node = machine(stage, store, server)
        same(node.read("film.bin").body, FILM)
        equal(node.count("weir_tier_damages_total") >= 1, True, "that it was counted")
        # After three wrong answers the store is left alone for a second.
        def is_repaired():
            return [store.ask("GET", f"/{BUCKET}/{name}")[1] for name in names] == whole
        check.figure = f"{node.count('weir_tier_damages_total')} found"
        node.stop()
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
        expect(is_repaired(), "what was wrong is still there")
    with board.check("what somebody without the fleet's secret has written is as if it were not there"):
        asked = len(server.asked)
        stranger = machine(stage, store, server, secret="another")
        same(stranger.read("song.bin").body, SONG)
        expect(len(server.asked) > asked, "it was believed")
        stranger.stop()


def goes_on_without(board, stage, store, server):
    with board.check("a store that is away costs a bounded wait, and bytes come from the origin"):
        store.front.stop()
        node = machine(stage, store, server)
        same(node.read("film.bin").body, FILM)
        same(node.read("song.bin").body, SONG)
        expect(node.count("weir_tier_failures_total") > 0, "no failure was counted")
        equal(node.count("weir_tier_read_bytes_total"), 0, "bytes of the store")
        node.stop()


def keeps_versions_apart(board, stage, store, server):
    again = S3(stage)
    with board.check("a version that the origin has no longer is not mixed with the new one"):
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
        equal(len(server.asked), asked, "requests to the origin")
        for node in (first, second, third):
            node.stop()
