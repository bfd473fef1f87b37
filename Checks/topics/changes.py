# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Every way in which a file can change at an origin: no answer and no cached file ever mixes two versions."""

import itertools
import random
import time
from email.utils import formatdate

from check_results import Failed, expect
from journals import journals
from stage import web
from stage.origin import Origin
from stage.stage import Stage
from stage.weir import Weir

LENGTH = 600_000
OLD = random.Random(21).randbytes(LENGTH)
NEW = {
    "same": random.Random(22).randbytes(LENGTH),
    "shorter": random.Random(23).randbytes(LENGTH - 70_000),
    "longer": random.Random(24).randbytes(LENGTH + 70_000),
}
NAMES = ("strong tag", "weak tag", "date", "nothing")
SERVER_KINDS = ("honours If-Range", "ignores If-Range", "lies in Content-Range")
MOMENTS = ("between requests", "during an answer", "while weir is stopped")
# The ranges that the cache holds before the change: at the start, in the middle or both. Further requests then meet
# held bytes on either side.
HELD = ([(0, 150_000)], [(300_000, 400_000)], [(0, 100_000), (250_000, 300_000), (450_000, 460_000)])


def run(results):
    with Stage("changes") as stage:
        server = Origin(stage)
        for moment, server_kind in itertools.product(MOMENTS, SERVER_KINDS):
            with results.check(f"the file changes {moment}, the origin {server_kind}: no answer mixes two versions") as check:
                held = HELD
                if moment == MOMENTS[1] or server_kind == SERVER_KINDS[2] and not results.is_long:
                    # A change during an answer needs no held ranges. Weir repeats its requests to an origin that
                    # lies, which takes time. So these checks have fewer cases.
                    held = HELD[-1:]
                cases = [Case(server, *case) for case in enumerate(itertools.product(NAMES, NEW, held))]
                check.figure = change(stage, server, cases, moment, server_kind)


class Case:
    """One case: a file at the origin, and the requests that the check makes for it."""

    def __init__(self, server, index, kind):
        self.path, (self.name, self.size, self.held) = f"{index}.mp3", kind
        self.server = server
        self.new = NEW[self.size]

    def __str__(self):
        return f"{self.name}, {self.size}, with {self.held} held"

    def install(self, server_kind, limit=None):
        """Serves the old version; all of its bodies end after `limit` bytes."""
        self.server.routes["/" + self.path] = version(OLD, self.name, 1, server_kind, limit)

    def change(self, server_kind):
        self.server.routes["/" + self.path] = version(self.new, self.name, 2, server_kind)

    def expect_one_version(self, body, lower):
        """Expects that an answer, however short, has bytes of one version only."""
        expect(
            any(data[lower : lower + len(body)] == body for data in (OLD, self.new)),
            f"{self}: {len(body)} bytes from {lower} are of neither version",
        )


def version(data, name, number, server_kind, limit=None):
    """A route that serves one version of a file, with the given server behaviour."""
    # A date is a strong validator if it is at least a second before the answer's Date (RFC 9110, 8.8.2.2).
    tag = {"strong tag": f'"v{number}"', "weak tag": f'W/"v{number}"'}.get(name)
    date = formatdate(1_600_000_000 + 86_400 * number, usegmt=True) if name == "date" else None
    current = tag or date

    def route(handler):
        code, lower, upper = handler.asked_range(len(data))
        condition = handler.headers.get("If-Range")
        if condition and server_kind == "honours If-Range" and (condition != current or condition.startswith("W/")):
            code, lower, upper = 200, 0, len(data)
        if tag and handler.headers.get("If-None-Match") == tag:
            handler.send_response(304)
            handler.send_header("ETag", tag)
            handler.end_headers()
            return
        if code == 206 and lower >= len(data):
            handler.answer(416, b"", Content_Range=f"bytes */{len(data)}")
            return
        # The lying origin states the old length, whatever the length of the new file.
        total = LENGTH if server_kind == "lies in Content-Range" else len(data)
        handler.send_response(code)
        if tag:
            handler.send_header("ETag", tag)
        if date:
            handler.send_header("Last-Modified", date)
        if code == 206:
            handler.send_header("Content-Range", f"bytes {lower}-{upper - 1}/{total}")
        handler.send_header("Content-Length", str(upper - lower))
        handler.end_headers()
        handler.wfile.write(data[lower : min(upper, lower + limit if limit else upper)])
        if limit and lower + limit < upper:
            handler.close_connection = True

    return route


def change(stage, server, cases, moment, server_kind):
    stopped = moment == MOMENTS[2]
    weir = Weir(stage, server.base)
    for case in cases:
        case.install(server_kind)
        for lower, upper in case.held:
            if moment == MOMENTS[1]:
                break
            answer = web.fetch(weir.url(case.path), {"Range": f"bytes={lower}-{upper - 1}"})
            expect(answer.body == OLD[lower:upper], f"{case}: {answer.status}, the bytes are not the old version's")
    if stopped:
        expect(weir.stop() == 0, "weir does not end with 0")
    changed_at = time.monotonic()
    if moment != MOMENTS[1]:
        for case in cases:
            case.change(server_kind)
    if stopped:
        weir = Weir(stage, server.base, cache=weir.cache)
    settled = 0
    for case in cases:
        try:
            if moment == MOMENTS[1]:
                in_mid_answer(weir, case, server_kind)
            settled += settle(weir, case, server_kind)
        except Exception as failure:
            raise Failed(f"{case}: {type(failure).__name__}: {failure}; {weir.log[-400:]}") from failure
    time.sleep(0.6)
    compare(stage, weir.cache, cases, is_running=True)
    expect(weir.stop() == 0, "weir does not end with 0")
    compare(stage, weir.cache, cases)
    return f"{len(cases)} files, {settled} requests, {time.monotonic() - changed_at:.0f} s"


def in_mid_answer(weir, case, server_kind):
    """The body of the old version breaks off; the request for the rest gets the new version."""
    case.install(server_kind, limit=200_000)
    download = web.Download(weir.url(case.path))
    received = download.read(1 << 16)
    case.change(server_kind)
    try:
        while piece := download.read(1 << 16):
            received += piece
    except (OSError, web.http.client.HTTPException):
        pass
    download.leave()
    whole = [data for data in (OLD, case.new) if data.startswith(received)]
    expect(whole, f"{len(received)} received bytes are of neither version")


def settle(weir, case, server_kind):
    """Expects that every answer is of one version, and that a later answer is the whole new version."""
    generator = random.Random(case.path)
    # If the origin lies about the length, a whole file may never be readable.
    is_hopeless = server_kind == SERVER_KINDS[2] and case.size != "same"
    for count in range(1, 2 if is_hopeless else 8):
        parts = [(0, None)]
        if count == 1:
            # Seeks first: ranges before the held bytes, and behind them.
            parts = [(generator.randrange(500_000), None), (generator.randrange(290_000), 500_000), (0, None)]
        for lower, upper in parts:
            try:
                answer = web.fetch(weir.url(case.path), {"Range": f"bytes={lower}-{'' if upper is None else upper - 1}"})
            except (OSError, web.http.client.HTTPException) as failure:
                # `partial` has the bytes that arrived before the answer was cut off.
                case.expect_one_version(getattr(failure, "partial", b""), lower)
                continue
            if answer.status in (200, 206):
                case.expect_one_version(answer.body, lower)
                if lower == 0 and answer.body == case.new:
                    return count
            elif server_kind != SERVER_KINDS[2]:
                expect(answer.status in (416, 502), f"status {answer.status}: {answer.text[:200]}")
    if is_hopeless:
        return count
    raise Failed("the new version does not play after 7 requests")


def compare(stage, cache, cases, is_running=False):
    """Expects that the bytes of each journal's held ranges are of one version."""
    by_name = {case.path: case for case in cases}
    for journal in journals(stage, cache, is_running):
        case = by_name.get(journal.name)
        if case is None:
            continue
        try:
            held = journal.data().read_bytes()
        except FileNotFoundError:
            # Weir has just removed the old version.
            if is_running:
                continue
            raise
        pieces = [(lower, held[lower:upper]) for lower, upper in journal.runs.runs]
        expect(
            any(all(data[lower : lower + len(piece)] == piece for lower, piece in pieces) for data in (OLD, case.new)),
            f"{case}: the cache does not hold exactly one version",
        )
