# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""URLs with an end, by keys that several machines share; readiness; and an end that lets players finish."""

import json
import random
import signal
import threading

from board import equal, expect
from clouds import same
from fleet_nodes import Node
from stage import origin, waiting, web
from stage.origin import Origin
from stage.stage import Stage

SONG = random.Random(2210).randbytes(300_000)
KEYS = "new 0123456789abcdef0123456789abcdef\nold fedcba9876543210fedcba9876543210\n"


def run(board):
    with Stage("signing") as stage:
        server = Origin(stage, {
            "/a/b.bin": origin.content(SONG), "/a/c/d.bin": origin.content(SONG), "/e.bin": origin.content(SONG),
        })
        signs(board, stage, server)
        ends(board, stage, server)


class Machine(Node):
    """A `weir serve` with a source, keys that sign, and a log."""

    def __init__(self, stage, server, keys=KEYS, *words):
        self.keys = stage.folder / stage.name("keys")
        self.keys.write_text(keys)
        source = f'[sources.cloud]\nservice = "http"\nurl = "{server.base}"\n'
        super().__init__(stage, f'signing-keys = "{self.keys}"\n{source}', "--log", "json", *words)
        self.base = "/".join(self.url.split("/")[:3])

    def sign(self, place, *words):
        return self.user.works("sign", place, "--base", self.base, *words).decode().strip()

    def reasons(self):
        """Why requests were refused, as the log tells it."""
        lines = [line for line in self.program.error.splitlines() if line.startswith("{")]
        return [line["reason"] for line in map(json.loads, lines) if line.get("reason")]


def signs(board, stage, server):
    first, second = Machine(stage, server), Machine(stage, server)
    with board.check("a signed URL is good at every machine with the key, for one file, or a folder with what is in it") as check:
        file = first.sign("cloud:/a/b.bin", "--for", "6h")
        folder = first.sign("cloud:/a/")
        for machine in (first, second):
            same(web.fetch(file.replace(first.base, machine.base)).body, SONG)
            same(web.fetch(f"{folder}c/d.bin".replace(first.base, machine.base)).body, SONG)
            equal(web.fetch(file.replace(first.base, machine.base), {}, "HEAD").status, 200, "the status of HEAD")
        same(web.fetch(first.sign(f"{first.url}a/b.bin")).body, SONG)
        plain = first.user.run("sign", f"{first.base}/")
        equal(plain.status, 2, f"the exit status for all of a server, with {plain.said!r},")
        told = json.loads(first.user.works("sign", "cloud:/e.bin", "--json"))
        equal(sorted(told), ["event", "until", "url"], "the members of --json")
        check.figure = f"{len(file)} characters"
    with board.check("expired, of another path, of another method, changed, by a key that is gone: 403 with one sentence, told apart in the log"):
        other = Machine(stage, server, "gone 00112233445566778899aabbccddeeff\n")
        right = file.split("/")[3]
        changed = right[:-6] + ("A" if right[-6] != "A" else "B") + right[-5:]
        attempts = {
            "time was over": (first.sign("cloud:/a/b.bin", "--for", "0s"), "GET"),
            "another path": (f"{first.base}/{right}/cloud/e.bin", "GET"),
            "no other method": (file, "POST"),
            "was changed": (f"{first.base}/{changed}/cloud/a/b.bin", "GET"),
            "not in use": (other.sign("cloud:/a/b.bin").replace(other.base, first.base), "GET"),
        }
        answers = [web.fetch(url, {}, method) for url, method in attempts.values()]
        equal([answer.status for answer in answers], [403] * 5, f"the statuses for {list(attempts)}")
        equal(len({answer.body for answer in answers}), 1, "different bodies")
        for words in attempts:
            waiting.until(lambda: any(words in reason for reason in first.reasons()), 10, f"'{words}' in the log")
        expect(not any(right in line for line in first.program.error.splitlines()), "a signature stands in the log")
        other.program.stop()
    with board.check("a key that is taken away is gone after SIGHUP, and one that is added is good"):
        old = first.sign("cloud:/e.bin")
        with web.Line(old) as line:
            equal(line.ask("", {"Range": "bytes=0-9"}).status, 206, "the status on a connection")
            first.keys.write_text("newest 99999999999999999999999999999999\n")
            first.program.send(signal.SIGHUP)
            waiting.until(lambda: web.fetch(old).status == 403, 10, "the end of the key")
            equal(line.ask("", {"Range": "bytes=0-9"}).status, 403, "the status on the connection that was open")
        same(web.fetch(first.sign("cloud:/e.bin")).body, SONG)
    with board.check("who reads when a URL ends reads on over its connection, and gets 403 with the next") as check:
        # A machine that is slow needs longer for the first request.
        for life in (3, 12, 60):
            url = second.sign("cloud:/a/b.bin", "--for", f"{life}s")
            with web.Line(url) as line:
                if line.ask("", {"Range": "bytes=0-9"}).status == 403:
                    continue
                waiting.until(lambda: web.fetch(url).status == 403, life + 10, "the end", pause=0.2)
                equal(line.ask("", {"Range": "bytes=10-19"}).status, 206, "the status on the connection")
            equal(web.fetch(url).status, 403, "the status on the next")
            check.figure = f"{life} s"
            break
        else:
            raise AssertionError("no URL was good for long enough")
    first.program.stop()
    second.program.stop()


def ends(board, stage, server):
    with board.check("it is ready while its cache is open, and healthy in any case"):
        machine = Machine(stage, server, KEYS, "--drain", "60s")
        equal(web.fetch(f"{machine.base}/readyz").status, 200, "the status")
        equal(web.fetch(f"{machine.base}/healthz").status, 200, "the status")
    with board.check("after SIGTERM nothing new is taken, and what is being answered comes to its end"):
        may_go_on = threading.Event()
        server.routes["/slow.bin"] = origin.halved(SONG[:2000], may_go_on)
        download = web.Download(f"{machine.url}slow.bin")
        got = download.read_exactly(1000)
        machine.program.send(signal.SIGTERM)
        waiting.until(lambda: refuses(machine), 10, "the end of listening")
        expect(machine.program.is_alive(), "it has ended before its player")
        may_go_on.set()
        got += download.read_exactly(1000)
        equal(got == SONG[:2000], True, "that all of it came")
        equal(machine.program.wait(20), 0, "the exit status")


def refuses(machine):
    try:
        web.fetch(f"{machine.base}/healthz")
    except OSError:
        return True
    return False
