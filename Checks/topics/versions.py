# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A file that changes at the origin: two versions are never mixed, and the new one plays at the next request."""

import random

from board import equal, expect
from stage import origin, web
from stage.origin import Origin
from stage.stage import Stage
from stage.weir import Weir

LENGTH = 3_000_000
OLD, NEW = random.Random(11).randbytes(LENGTH), random.Random(12).randbytes(LENGTH)
LONGER = NEW + bytes(5000)


def run(board):
    with Stage("versions") as stage:
        server = Origin(stage)
        for name, newer in (("of the same length", NEW), ("that is longer", LONGER)):
            between_requests(board, stage, server, name, newer)
            in_mid_body(board, stage, server, name, newer)
        across_a_restart(board, stage, server)


def settles(weir, path, expected):
    """Within a few requests the new version is played, whole; and it stays."""
    for _ in range(3):
        try:
            answer = web.fetch(weir.url(path))
        except (OSError, web.http.client.HTTPException):
            # A body that is cut off is an honest end of the old version.
            continue
        if answer.status >= 500:
            continue
        expect(answer.body in (OLD, expected), f"a body of {len(answer.body)} bytes is neither version")
        if answer.body == expected:
            break
    else:
        expect(False, "the new version is not played after three requests")
    equal(web.fetch(weir.url(path), {"Range": "bytes=5000-5999"}).body, expected[5000:6000], "a range of the new version")


def between_requests(board, stage, server, name, newer):
    with board.check(f"a version {name} comes between two requests"):
        server.routes["/a.mp3"] = origin.content(OLD, '"old"')
        weir = Weir(stage, server.base)
        part = web.fetch(weir.url("a.mp3"), {"Range": "bytes=0-499999"})
        equal(part.body, OLD[:500_000], "the old version's range")
        server.routes["/a.mp3"] = origin.content(newer, '"new"')
        settles(weir, "a.mp3", newer)
        weir.stop()


def in_mid_body(board, stage, server, name, newer):
    with board.check(f"a version {name} comes in mid-body: the player is cut off, not spliced") as check:
        server.routes["/b.mp3"] = origin.cut(OLD, 1_000_000)
        weir = Weir(stage, server.base)
        download = web.Download(weir.url("b.mp3"))
        received = download.read(1 << 16)
        server.routes["/b.mp3"] = origin.content(newer, '"new"')
        try:
            while piece := download.read(1 << 16):
                received += piece
        except (OSError, web.http.client.HTTPException):
            pass
        download.leave()
        expect(OLD.startswith(received), f"the {len(received)} bytes that came are not of one version")
        check.figure = f"{len(received)} of {LENGTH} bytes of the old one came"
        settles(weir, "b.mp3", newer)
        weir.stop()


def across_a_restart(board, stage, server):
    with board.check("a version comes while weir is not running: what was kept is not mixed with it"):
        server.routes["/c.mp3"] = origin.content(OLD, '"old"')
        weir = Weir(stage, server.base)
        equal(web.fetch(weir.url("c.mp3"), {"Range": "bytes=0-1499999"}).body, OLD[:1_500_000], "the old range")
        weir.stop()
        server.routes["/c.mp3"] = origin.content(NEW, '"new"')
        again = Weir(stage, server.base, cache=weir.cache)
        settles(again, "c.mp3", NEW)
        again.stop()
    with board.check("what names no version does not outlive the run; --immutable says that it may"):
        server.routes["/d.mp3"] = origin.content(OLD, etag=None)
        for options, data in ((("--immutable",), OLD), ((), NEW)):
            server.routes["/d.mp3"] = origin.content(OLD, etag=None)
            weir = Weir(stage, server.base, *options)
            equal(web.fetch(weir.url("d.mp3")).body, OLD, "the old version")
            weir.stop()
            server.routes["/d.mp3"] = origin.content(NEW, etag=None)
            again = Weir(stage, server.base, *options, cache=weir.cache)
            equal(web.fetch(again.url("d.mp3")).body == data, True, f"with {options}: the version after a restart")
            again.stop()
