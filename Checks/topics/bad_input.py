# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Bad input gets one clear sentence and the right status, and the program continues."""

import random
import socket

import speech
from check_results import equal, expect
from stage import certificates, media, origin, web
from stage.nginx import Nginx
from stage.origin import Origin
from stage.stage import Stage
from stage.weir import Weir, cached, command

GOOD = random.Random(3).randbytes(300_000)

# The origin's behaviour, the exit status of `weir get`, and the statuses that `weir serve` sends to players.
FAULTS = {
    "401": (origin.status(401, WWW_Authenticate="OAuth"), 3, (401,)),
    "403": (origin.status(403), 3, (403,)),
    "404": (origin.status(404), 3, (404,)),
    "410": (origin.status(410), 3, (410,)),
    "416 to everything": (origin.status(416), 6, (416, 502)),
    "500": (origin.status(500), 4, (502,)),
    "503": (origin.status(503), 4, (502, 503)),
    "an HTML page for media": (origin.page(), 6, (502,)),
}


def run(results):
    with Stage("bad-input") as stage:
        server = Origin(stage, {"/good.mp3": origin.content(GOOD)})
        for number, (route, _, _) in enumerate(FAULTS.values()):
            server.routes[f"/fault-{number}.mp3"] = route
        weir = Weir(stage, server.base)
        for number, (name, (_, exit_status, statuses)) in enumerate(FAULTS.items()):
            path = f"fault-{number}.mp3"
            with results.check(f"the origin answers {name}: get") as check:
                check.figure = getting_fails(stage, server.base + path, exit_status)
            with results.check(f"the origin answers {name}: serve") as check:
                check.figure = serving_fails(weir, path, statuses)
        cut_bodies(results, stage, server, weir)
        nonsense_from_players(results, weir)
        with results.check("afterwards the cache has only correct files") as check:
            names = set(cached(stage, weir.cache))
            wrong = [name for name in names if name.startswith("fault-")]
            equal(wrong, [], "faults in the cache")
            expect({"good.mp3", "short.mp3"} <= names, f"only {names} are cached")
            equal(weir.stop(), 0, "weir's exit status")
            check.figure = ", ".join(sorted(names))
        no_server(results, stage)
        wrong_words(results, stage, server)
        wrong_certificate(results, stage)


def getting_fails(stage, url, exit_status, *options, environment=None):
    """Expects that `weir get` fails with a status and a message, and leaves no file; returns the message."""
    folder = stage.new_folder("target")
    cache = stage.new_folder("cache")
    words = ("get", url, "-o", folder / "file", "--cache", cache, *options)
    done = command(stage, *words, environment=environment)
    said = done.stderr.decode(errors="replace")
    equal(done.returncode, exit_status, f"the exit status, with {said.strip()[:300]!r},")
    sentence = speech.sentence(said, exit_status)
    equal([path.name for path in folder.iterdir()], [], "the remaining files of the download")
    held = sum(entry["heldBytes"] for entry in cached(stage, cache).values())
    equal(held, 0, "the count of bytes in the cache")
    return sentence


def serving_fails(weir, path, statuses):
    """Expects a status and a message for the player, and service for the next one; returns the status."""
    answer = web.fetch(weir.url(path))
    expect(answer.status in statuses, f"the status is {answer.status}, not one of {statuses}: {answer.text[:200]}")
    if answer.status != 416:
        speech.check(answer.text.strip())
    still_serves(weir)
    return f"{answer.status} {answer.text.strip()}"


def still_serves(weir):
    expect(weir.is_alive(), f"weir ended: {weir.log[-300:]}")
    answer = web.fetch(weir.url("good.mp3"), {"Range": "bytes=1000-1999"})
    expect(answer.status == 206 and answer.body == GOOD[1000:2000], f"a good file gets {answer.status} afterwards")


def cut_bodies(results, stage, server, weir):
    server.routes["/empty.mp3"] = origin.content(b"")
    with results.check("an empty resource is valid: get and serve"):
        target = stage.new_folder("target") / "empty.mp3"
        words = ("get", server.base + "empty.mp3", "-o", target, "--cache", stage.new_folder("cache"))
        equal(command(stage, *words).returncode, 0, "the exit status")
        equal(target.read_bytes(), b"", "the file")
        answer = web.fetch(weir.url("empty.mp3"))
        equal((answer.status, answer.headers.get("content-length")), (200, "0"), "status and length")
    data = random.Random(4).randbytes(700_000)
    server.routes["/short.mp3"] = origin.cut(data, 100_000, times=1)
    server.routes["/shorter.mp3"] = origin.cut(data, 0)
    with results.check("a body that is cut short once is resumed at the same byte") as check:
        answer = web.fetch(weir.url("short.mp3"))
        expect(answer.status == 200 and answer.body == data, f"{answer.status}, {len(answer.body)} bytes, or others")
        fields = [headers.get("range") for headers in server.asked_for("/short.mp3")]
        expect(len(fields) == 2, f"the origin was asked for {fields}")
        check.figure = f"asked for {fields[0] or 'all'}, then {fields[1]}"
    with results.check("a missing body is an error: get") as check:
        check.figure = getting_fails(stage, server.base + "shorter.mp3", 6)
    with results.check("a missing body is an error, not a short file: serve") as check:
        try:
            answer = web.fetch(weir.url("shorter.mp3"), timeout=60)
            expect(answer.status >= 500, f"the answer is {answer.status} with {len(answer.body)} bytes")
            check.figure = str(answer.status)
        except (OSError, web.http.client.HTTPException) as failure:
            # The head was already sent, so Weir can only break the connection.
            check.figure = type(failure).__name__
        still_serves(weir)


def nonsense_from_players(results, weir):
    length = len(GOOD)
    whole = ["bytes=abc", "bytes=5-2", "lines=0-1", "bytes=--1", "bytes=0-1,5-6", "bytes", "=", "bytes=-", "bytes=1.5-2"]
    past = [f"bytes={length}-", f"bytes={length + 5}-{length + 9}", "bytes=-0", f"bytes={'9' * 40}-"]
    with results.check("malformed ranges get the whole file, ranges past the end get 416") as check:
        with web.Line(weir.base) as line:
            for field in whole:
                answer = line.ask("good.mp3", {"Range": field})
                expect(answer.status == 200 and answer.body == GOOD, f"{field!r} gets {answer.status}")
            for field in past:
                answer = line.ask("good.mp3", {"Range": field})
                equal(answer.status, 416, f"the status for {field!r}")
                equal(answer.headers.get("content-range"), f"bytes */{length}", f"Content-Range for {field!r}")
        still_serves(weir)
        check.figure = f"{len(whole)} and {len(past)} fields"
    port, path = weir.port, "/" + weir.base.split("/", 3)[3]
    host = f"Host: 127.0.0.1:{port}\r\n"
    requests = {
        "a request line of 100 KiB": (f"GET {path}{'a' * (100 << 10)} HTTP/1.1\r\n{host}\r\n", (400, 414, 431)),
        "a header of 100 KiB": (f"GET {path}good.mp3 HTTP/1.1\r\n{host}X: {'a' * (100 << 10)}\r\n\r\n", (400, 431)),
        "no Host": (f"GET {path}good.mp3 HTTP/1.1\r\n\r\n", (400,)),
        "another site's Host": (f"GET {path}good.mp3 HTTP/1.1\r\nHost: evil.example\r\n\r\n", (421, 403)),
        "bytes that are not HTTP": ("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", (400,)),
        "another method": (f"DELETE {path}good.mp3 HTTP/1.1\r\n{host}\r\n", (405,)),
        "a wrong secret": (f"GET /{'0' * 32}/origin/good.mp3 HTTP/1.1\r\n{host}\r\n", (404,)),
        "a path that climbs": (f"GET {path}../good.mp3 HTTP/1.1\r\n{host}\r\n", (400,)),
    }
    for name, (request, statuses) in requests.items():
        with results.check(f"a player sends {name}") as check:
            answer = web.send_raw(port, request.encode("latin-1"))
            line = answer.split(b"\r\n")[0].decode(errors="replace")
            words = line.split(" ")
            expect(len(words) > 1 and words[1] in map(str, statuses), f"the answer is {line!r}, not one of {statuses}")
            still_serves(weir)
            check.figure = line


def no_server(results, stage):
    url = f"http://127.0.0.1:{origin.closed_port(stage)}/"
    with results.check("no server listens at the origin: get") as check:
        check.figure = getting_fails(stage, url + "song.mp3", 4)
    with results.check("no server listens at the origin: serve") as check:
        weir = Weir(stage, url)
        answer = web.fetch(weir.url("song.mp3"))
        expect(answer.status in (502, 504), f"the status is {answer.status}")
        speech.check(answer.text.strip())
        expect(weir.is_alive(), "weir ended")
        equal(weir.stop(), 0, "weir's exit status")
        check.figure = f"{answer.status} {answer.text.strip()}"
    with results.check("the origin's name does not exist: get") as check:
        check.figure = getting_fails(stage, "http://no-such-host.invalid/song.mp3", 4)


def wrong_words(results, stage, server):
    url = server.base + "good.mp3"
    with results.check("a URL without a host: get") as check:
        check.figure = getting_fails(stage, "http:///song.mp3", 2)
    with results.check("a header without a colon: get") as check:
        check.figure = getting_fails(stage, url, 2, "--header", "Authorization")
    for words, name in [
        (("serve", "http:///music/"), "a URL without a host"),
        (("serve", url, "--header", "Authorization"), "a header without a colon"),
        (("serve", "ftp://127.0.0.1/song.mp3"), "another scheme"),
        (("serve", url, "--listen", "somewhere"), "an invalid address to listen on"),
        (("serve", url, "--keep", "some"), "an invalid --keep"),
        (("serve", url, "--no-secret", "--listen", "0.0.0.0:0"), "no secret off loopback"),
        (("serve",), "nothing to serve"),
        (("exec", url), "no player"),
        (("sing",), "an unknown command"),
    ]:
        with results.check(f"{name}: {words[0]}") as check:
            options = ("--cache", stage.new_folder("cache")) if words[0] in ("serve", "exec") else ()
            done = command(stage, *words, *options)
            said = done.stderr.decode(errors="replace")
            equal(done.returncode, 2, f"the exit status, with {said.strip()[:300]!r},")
            check.figure = speech.sentence(said, 2) if words[0] != "sing" else said.strip().splitlines()[0]
    with results.check("a port in use: serve") as check, socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        done = command(stage, "serve", url, "--listen", place, "--cache", stage.new_folder("cache"))
        equal(done.returncode, 4, "the exit status")
        check.figure = speech.sentence(done.stderr.decode())


def wrong_certificate(results, stage):
    folder = media.folder()
    certificate = certificates.make(stage)
    nginx = Nginx(stage, folder, certificate=certificate)
    with results.check("a certificate that does not verify: get") as check:
        check.figure = getting_fails(stage, nginx.base + "song.mp3", 4)
    with results.check("a certificate that does not verify: serve") as check:
        weir = Weir(stage, nginx.base)
        answer = web.fetch(weir.url("song.mp3"))
        equal(answer.status, 502, "the status")
        speech.check(answer.text.strip())
        equal(weir.stop(), 0, "weir's exit status")
        check.figure = answer.text.strip()
    with results.check("a CA file makes the certificate verify: get and serve"):
        target = stage.new_folder("target") / "song.mp3"
        words = ("get", nginx.base + "song.mp3", "-o", target, "--cache", stage.new_folder("cache"))
        done = command(stage, *words, "--ca-file", certificate.authority)
        equal(done.returncode, 0, f"the exit status, with {done.stderr.decode().strip()!r},")
        equal(media.digest(target), media.digest(folder / "song.mp3"), "the file's SHA-256")
        weir = Weir(stage, nginx.base, "--ca-file", certificate.authority)
        expect(web.fetch(weir.url("song.mp3")).body == (folder / "song.mp3").read_bytes(), "the bytes differ")
        weir.stop()
    with results.check("a missing CA file: get") as check:
        check.figure = getting_fails(stage, nginx.base + "song.mp3", 3, "--ca-file", stage.folder / "none.pem")
    nginx.stop()
