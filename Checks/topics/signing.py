# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Expiring URLs, signed with keys that several machines share; readiness; and a shutdown that lets players finish."""

import json
import random
import signal
import threading

from check_results import equal, expect
from clouds import same
from fleet_nodes import Node
from stage import origin, waiting, web
from stage.origin import Origin
from stage.stage import Stage

SONG = random.Random(2210).randbytes(300_000)
KEYS = "new 0123456789abcdef0123456789abcdef\nold fedcba9876543210fedcba9876543210\n"


def run(results):
    with Stage("signing") as stage:
        server = Origin(stage, {
            "/a/b.bin": origin.content(SONG), "/a/c/d.bin": origin.content(SONG), "/e.bin": origin.content(SONG),
        })
        signs(results, stage, server)
        withstands(results, stage, server)
        ends(results, stage, server)


class Machine(Node):
    """A `weir serve` with a source, signing keys, and a log."""

    def __init__(self, stage, server, keys=KEYS, *words):
        self.keys = stage.folder / stage.name("keys")
        self.keys.write_text(keys)
        source = f'[sources.cloud]\nservice = "http"\nurl = "{server.base}"\n'
        super().__init__(stage, f'signing-keys = "{self.keys}"\n{source}', "--log", "json", *words)
        self.base = "/".join(self.url.split("/")[:3])

    def sign(self, place, *words):
        return self.user.works("sign", place, "--base", self.base, *words).decode().strip()

    def reasons(self):
        """The reasons for refused requests, from the log."""
        lines = [line for line in self.program.error.splitlines() if line.startswith("{")]
        return [line["reason"] for line in map(json.loads, lines) if line.get("reason")]


def signs(results, stage, server):
    first, second = Machine(stage, server), Machine(stage, server)
    with results.check("a signed URL is valid at every machine with the key, for one file or for a folder and its files") as check:
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
    with results.check("an expired or changed URL, another path or method, or a removed key: 403 with one message, but different log lines"):
        other = Machine(stage, server, "gone 00112233445566778899aabbccddeeff\n")
        right = file.split("/")[3]
        changed = right[:-6] + ("A" if right[-6] != "A" else "B") + right[-5:]
        attempts = {
            "has expired": (first.sign("cloud:/a/b.bin", "--for", "0s"), "GET"),
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
        expect(not any(right in line for line in first.program.error.splitlines()), "the log has a signature")
        other.program.stop()
    with results.check("after SIGHUP a removed key is invalid, and an added one is valid"):
        old = first.sign("cloud:/e.bin")
        with web.Line(old) as line:
            equal(line.ask("", {"Range": "bytes=0-9"}).status, 206, "the status on a connection")
            first.keys.write_text("newest 99999999999999999999999999999999\n")
            first.program.send(signal.SIGHUP)
            waiting.until(lambda: web.fetch(old).status == 403, 10, "the end of the key")
            equal(line.ask("", {"Range": "bytes=0-9"}).status, 403, "the status on the connection that was open")
        same(web.fetch(first.sign("cloud:/e.bin")).body, SONG)
    with results.check("a player whose URL expires continues over its connection, and gets 403 on the next one") as check:
        # On a slow machine, the URL may expire before the first request; then the check tries a longer life.
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


# The signed path, the path of the request with that signature, and the required status.
ATTACKS = {
    "a file whose name holds a question mark, as another file's query": ("/song%3Fv=2", "/song?v=2", 403),
    "a query, as a part of the name": ("/song?v=2", "/song%3Fv=2", 403),
    "a file without its query": ("/song?v=2", "/song", 403),
    "a file with a query": ("/song", "/song?v=2", 403),
    "a file with an empty query": ("/song", "/song?", 403),
    "a fragment": ("/song", "/song#v", 403),
    "a file as a folder": ("/song", "/song/", 403),
    "what would lie below a file": ("/song", "/song/x", 403),
    "another case": ("/song", "/Song", 403),
    "a sign encoded twice": ("/song%3Fv=2", "/song%253Fv=2", 403),
    "a parameter where the name has a semicolon": ("/a%3Bb", "/a%253Bb", 403),
    "a name that looks alike": ("/caf%C3%A9", "/cafe%CC%81", 403),
    "the folder's neighbour": ("/A/", "/secret.mp3", 403),
    "a folder with this prefix": ("/A/", "/AB/secret.mp3", 403),
    "the folder without its slash": ("/A/", "/A", 403),
    "the folder above": ("/A/", "/", 403),
    "two slashes in a row": ("/A/", "/A//song", 403),
    "an encoded slash": ("/A/", "/A%2Fsong", 403),
    "a zero": ("/A/", "/A/song%00", 403),
    "a zero encoded twice": ("/A/", "/A/song%2500", 403),
    "dots": ("/A/", "/A/../secret.mp3", 400),
    "dots, encoded": ("/A/", "/A/%2e%2E/secret.mp3", 400),
    "dots, encoded twice": ("/A/", "/A/%252e%252e/secret.mp3", 400),
    "dots, encoded nine times": ("/A/", f"/A/%{'25' * 8}2e./secret.mp3", 400),
    "dots with an encoded slash": ("/A/", "/A/..%2fsecret.mp3", 400),
    "dots with a backslash": ("/A/", "/A/..%5csecret.mp3", 400),
    "dots with a parameter": ("/A/", "/A/..;x/secret.mp3", 400),
    "dots before an encoded question mark": ("/A/", "/A/..%3Fsecret.mp3", 400),
    "dots before an encoded fragment": ("/A/", "/A/..%23/secret.mp3", 400),
    "dots with a tab": ("/A/", "/A/..%09/secret.mp3", 400),
    "dots with a line feed": ("/A/", "/A/..%0a", 400),
    "dots with a carriage return between": ("/A/", "/A/.%0d./secret.mp3", 400),
    "dots with a line feed, encoded twice": ("/A/", "/A/..%250a/secret.mp3", 400),
    "dots, one encoded around a tab": ("/A/", "/A/.%2%09e/secret.mp3", 400),
    "dots with a delete": ("/A/", "/A/..%7f/secret.mp3", 400),
    "dots with a control character of Latin-1": ("/A/", "/A/..%c2%85/secret.mp3", 400),
    "dots with a space": ("/A/", "/A/..%20/secret.mp3", 400),
    "dots in an overlong encoding": ("/A/", "/A/%c0%ae%c0%ae/secret.mp3", 400),
    "a single dot": ("/A/", "/A/./song", 400),
}
# Other spellings of a signed path: Weir asks the origin for the signed path.
SPELLINGS = {
    "an encoded letter": ("/A/song", "/A/%73ong"),
    "digits in lower case": ("/caf%C3%A9", "/caf%c3%a9"),
    "unencoded characters": ("/A%20%28b%29/song%3Fv%3D2", "/A%20(b)/song%3Fv=2"),
}


def withstands(results, stage, server):
    paths = {signed for signed, *_ in [*ATTACKS.values(), *SPELLINGS.values()]} | {
        "/secret.mp3", "/AB/secret.mp3", "/A/song", "/cafe%CC%81", "/a;b", "/Song", "/song"}
    for path in paths:
        server.routes.setdefault(path.partition("?")[0], origin.content(SONG[:100]))
    machine = Machine(stage, server)
    def ask(signed, asked, start=None):
        """The status for a target sent as it is, and the requests that reached the origin."""
        right = machine.sign(f"{machine.base}/cloud{signed}").removeprefix(machine.base).split("/")[1]
        before = len(server.asked)
        port = int(machine.base.rpartition(":")[2])
        target = f"/{start or right}/cloud{asked}"
        answer = web.send_raw(port, f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        return int(answer.split()[1]), [path for path, _ in server.asked[before:]]
    for name, (signed, asked, status) in ATTACKS.items():
        with results.check(f"{name}: signed is {signed}, asked {asked.replace('25' * 8, '25…')}") as check:
            equal(ask(signed, f"{signed}song" if signed.endswith("/") else signed)[0], 200, "the status of the signed URL")
            equal(ask(signed, asked), (status, []), "the status and the requests to the origin")
            check.figure = str(status)
    for name, (signed, asked) in SPELLINGS.items():
        with results.check(f"{name}: signed is {signed}, asked {asked}") as check:
            other = Machine(stage, server)
            machine, former = other, machine
            former.program.stop()
            equal(ask(signed, asked), (200, [signed]), "the status and the requests to the origin")
            check.figure = "200"
    with results.check("with the server's secret, too, weir refuses a segment of dots, and sends no request") as check:
        dotted = [asked for _, asked, status in ATTACKS.values() if status == 400]
        for start in (machine.url.split("/")[3], "0" * 32, "page"):
            for asked in dotted:
                equal(ask("/song", asked, start), (400, []), f"the status of {start[:4]}… with {asked}")
        check.figure = f"{3 * len(dotted)} requests"
    machine.program.stop()


def ends(results, stage, server):
    with results.check("/readyz answers 200 while the cache is open, /healthz always"):
        machine = Machine(stage, server, KEYS, "--drain", "60s")
        equal(web.fetch(f"{machine.base}/readyz").status, 200, "the status")
        equal(web.fetch(f"{machine.base}/healthz").status, 200, "the status")
    with results.check("after SIGTERM weir accepts no new request, and completes running answers"):
        may_go_on = threading.Event()
        server.routes["/slow.bin"] = origin.halved(SONG[:2000], may_go_on)
        download = web.Download(f"{machine.url}slow.bin")
        got = download.read_exactly(1000)
        machine.program.send(signal.SIGTERM)
        waiting.until(lambda: refuses(machine), 10, "the end of listening")
        expect(machine.program.is_alive(), "weir ended before its player")
        may_go_on.set()
        got += download.read_exactly(1000)
        equal(got == SONG[:2000], True, "that the whole file arrived")
        equal(machine.program.wait(20), 0, "the exit status")


def refuses(machine):
    try:
        web.fetch(f"{machine.base}/healthz")
    except OSError:
        return True
    return False
