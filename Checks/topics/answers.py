# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Requests of players other than ranges, and origins with missing abilities."""

import random

from check_results import equal, expect
from stage import origin, web
from stage.origin import Origin
from stage.stage import Stage
from stage.weir import Weir

DATA = random.Random(5).randbytes(1_500_000)


def run(results):
    with Stage("answers") as stage:
        server = Origin(stage, {"/a.mp3": origin.content(DATA)})
        weir = Weir(stage, server.base)
        conditions(results, weir)
        with results.check("HEAD ignores a range and gives the length; the file's name ends the path") as check:
            answer = web.fetch(weir.url("a.mp3"), {"Range": "bytes=0-9"}, method="HEAD")
            equal((answer.status, answer.headers.get("content-length")), (200, str(len(DATA))), "status and length")
            equal(answer.headers.get("accept-ranges"), "bytes", "Accept-Ranges")
            expect(weir.url("a.mp3").endswith("/a.mp3"), weir.url("a.mp3"))
            check.figure = answer.headers.get("content-type", "no type")
        with results.check("a connection stays open unless the player closes it"):
            with web.Line(weir.base) as line:
                for lower in range(0, 100_000, 10_000):
                    body = line.ask("a.mp3", {"Range": f"bytes={lower}-{lower + 99}"}).body
                    equal(body, DATA[lower : lower + 100], "the bytes")
            host = f"Host: 127.0.0.1:{weir.port}\r\n"
            path = "/" + weir.url("a.mp3").split("/", 3)[3]
            fields = f"{host}Range: bytes=0-9\r\nConnection: close\r\n"
            answer = web.send_raw(weir.port, f"GET {path} HTTP/1.1\r\n{fields}\r\n".encode())
            expect(b"connection: close" in answer.lower(), f"{answer[:300]!r}")
        poor_origins(results, stage, server, weir)
        expect(weir.is_alive(), "weir ended")
        equal(weir.stop(), 0, "weir's exit status")


def conditions(results, weir):
    part = {"Range": "bytes=1000-1999"}
    with results.check("If-Range, If-Match and If-None-Match compare with the origin's ETag") as check:
        tag = web.fetch(weir.url("a.mp3"), part).headers["etag"]
        for fields, status in [
            ({"If-Range": tag, **part}, 206),
            ({"If-Range": '"another"', **part}, 200),
            ({"If-Range": f"W/{tag}", **part}, 200),
            ({"If-Match": tag, **part}, 206),
            ({"If-Match": f'"x", {tag}', **part}, 206),
            ({"If-Match": "*", **part}, 206),
            ({"If-Match": '"another"', **part}, 412),
            ({"If-None-Match": tag}, 304),
            ({"If-None-Match": f"W/{tag}"}, 304),
            ({"If-None-Match": '"another"', **part}, 206),
        ]:
            answer = web.fetch(weir.url("a.mp3"), fields)
            equal(answer.status, status, f"the status for {fields}")
            expected = {206: DATA[1000:2000], 200: DATA}.get(status, b"")
            expect(answer.body == expected, f"the body for {fields} differs")
        check.figure = tag


def poor_origins(results, stage, server, weir):
    server.routes["/no-ranges.mp3"] = lambda handler: handler.answer(200, DATA, ETag='"one"')
    server.routes["/unknown.mp3"] = until_close(DATA)
    server.routes["/no-validator.mp3"] = origin.content(DATA, etag=None)
    with results.check("players get ranges even from an origin without ranges") as check:
        for lower in (700_000, 10, 1_400_000):
            answer = web.fetch(weir.url("no-ranges.mp3"), {"Range": f"bytes={lower}-{lower + 999}"})
            equal((answer.status, answer.body), (206, DATA[lower : lower + 1000]), "status and bytes")
        expect(web.fetch(weir.url("no-ranges.mp3")).body == DATA, "the whole body differs")
        check.figure = f"{len(server.asked_for('/no-ranges.mp3'))} requests"
    with results.check("a body of unknown length is forwarded completely"):
        answer = web.fetch(weir.url("unknown.mp3"))
        equal((answer.status, len(answer.body)), (200, len(DATA)), "status and length")
        expect(answer.body == DATA, "the bytes differ")
    with results.check("media from an origin without validators play, with ranges"):
        for lower in (900_000, 0, 899_000):
            answer = web.fetch(weir.url("no-validator.mp3"), {"Range": f"bytes={lower}-{lower + 9999}"})
            equal((answer.status, answer.body), (206, DATA[lower : lower + 10_000]), "status and bytes")
        expect(web.fetch(weir.url("no-validator.mp3")).body == DATA, "the whole body differs")


def until_close(data):
    """A route that states no length: the end of the connection delimits the body."""

    def route(handler):
        handler.send_response(200)
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write(data)
        handler.close_connection = True

    return route
