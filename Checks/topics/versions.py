# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A file that changes at the origin: Weir never mixes two versions, and plays the new one at the next request."""

import itertools
import random

from check_results import equal, expect
from stage import origin, players, web
from stage.origin import Origin
from stage.stage import Stage
from stage.weir import Weir

LENGTH = 3_000_000
OLD, NEW = random.Random(11).randbytes(LENGTH), random.Random(12).randbytes(LENGTH)
LONGER = NEW + bytes(5000)


def run(results):
    with Stage("versions") as stage:
        server = Origin(stage)
        for name, newer in (("of the same length", NEW), ("that is longer", LONGER)):
            between_requests(results, stage, server, name, newer)
            in_mid_body(results, stage, server, name, newer)
        across_a_restart(results, stage, server)
        over_a_farm(results, stage, server)


def settles(weir, path, expected):
    """Expects the whole new version within a few requests, and from then on."""
    for _ in range(3):
        try:
            answer = web.fetch(weir.url(path))
        except (OSError, web.http.client.HTTPException):
            # Weir may cut off a body of the old version.
            continue
        if answer.status >= 500:
            continue
        expect(answer.body in (OLD, expected), f"a body of {len(answer.body)} bytes is of neither version")
        if answer.body == expected:
            break
    else:
        expect(False, "the new version does not play after three requests")
    equal(web.fetch(weir.url(path), {"Range": "bytes=5000-5999"}).body, expected[5000:6000], "a range of the new version")


def between_requests(results, stage, server, name, newer):
    with results.check(f"a version {name} appears between two requests"):
        server.routes["/a.mp3"] = origin.content(OLD, '"old"')
        weir = Weir(stage, server.base)
        part = web.fetch(weir.url("a.mp3"), {"Range": "bytes=0-499999"})
        equal(part.body, OLD[:500_000], "the old version's range")
        server.routes["/a.mp3"] = origin.content(newer, '"new"')
        settles(weir, "a.mp3", newer)
        weir.stop()


def in_mid_body(results, stage, server, name, newer):
    with results.check(f"a version {name} appears within a body: weir ends the answer and mixes nothing") as check:
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
        expect(OLD.startswith(received), f"the {len(received)} received bytes are not of one version")
        check.figure = f"{len(received)} of {LENGTH} bytes of the old version arrived"
        settles(weir, "b.mp3", newer)
        weir.stop()


def across_a_restart(results, stage, server):
    with results.check("a new version appears while weir is not running: cached bytes are not mixed with it"):
        server.routes["/c.mp3"] = origin.content(OLD, '"old"')
        weir = Weir(stage, server.base)
        equal(web.fetch(weir.url("c.mp3"), {"Range": "bytes=0-1499999"}).body, OLD[:1_500_000], "the old range")
        weir.stop()
        server.routes["/c.mp3"] = origin.content(NEW, '"new"')
        again = Weir(stage, server.base, cache=weir.cache)
        settles(again, "c.mp3", NEW)
        again.stop()
    with results.check("an answer without a validator is not kept after the run, except with --immutable"):
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


def farm(*files):
    """A route with servers that answer in turn, each with its own file and entity tag."""
    servers = itertools.cycle(enumerate(files))

    def route(handler):
        number, data = next(servers)
        etag = f'"server-{number}"'
        code, lower, upper = handler.asked_range(len(data))
        if handler.headers.get("If-Range", etag) != etag:
            code, lower, upper = 200, 0, len(data)
        handler.send_response(code)
        handler.send_header("ETag", etag)
        handler.send_header("Last-Modified", "Sun, 01 Nov 2026 12:00:00 GMT")
        if code == 206:
            handler.send_header("Content-Range", f"bytes {lower}-{upper - 1}/{len(data)}")
        handler.send_header("Content-Length", str(upper - lower))
        handler.end_headers()
        handler.wfile.write(data[lower:upper])

    return route


def over_a_farm(results, stage, server):
    """Requests as AVPlayer makes them: for two bytes, for the whole file, for its end."""
    parts = (("0-1", slice(0, 2)), ("0-", slice(0, LENGTH)), (f"{LENGTH - 1000}-", slice(LENGTH - 1000, LENGTH)))

    def asks(*options):
        weir = Weir(stage, server.base, *options)
        before = len(server.asked)
        for part, place in parts:
            data = players.run(["curl", "-sS", "--fail", "-r", part, weir.url("farm.mp3")], stage.environment)
            expect(data in (OLD[place], NEW[place]), f"the {len(data)} bytes of {part} do not come from a single server")
        weir.stop()
        return len(server.asked) - before

    for name, files in (("the same file", (NEW, NEW)), ("different files", (NEW, OLD)), ("a different file at one of three servers", (NEW, NEW, OLD))):
        with results.check(f"servers with different ETags behind one address, with {name}: each answer is complete") as check:
            server.routes["/farm.mp3"] = farm(*files)
            count = asks()
            equal(count, 3, "requests for a probe, for changed parts of another server, and for repeated ones")
            check.figure = f"{count} requests"
    with results.check("with --validator modified the servers count as one, and no request is repeated"):
        server.routes["/farm.mp3"] = farm(NEW, NEW)
        equal(asks("--validator", "modified"), 2, "requests for a probe and for the rest")
