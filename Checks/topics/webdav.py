# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""WebDAV from Apache, nginx and rclone: folders, files with odd names, ranges, passwords, and errors."""

import random
import time
from collections import namedtuple

from check_results import Skipped, equal, expect
from clouds import User, beside, digest, same
from servers import recorder
from servers.apache_dav import ApacheDAV
from servers.front import Front
from servers.nginx_dav import NginxDAV
from servers.rclone_dav import RcloneDAV
from servers.yandex_disk import section
from stage import web
from stage.stage import Stage
from stage.weir import parse_summary

BIG = random.Random(11).randbytes(3 << 20)
SMALL = random.Random(12).randbytes(30_000)

# Each name has a character with a meaning in a URL, in XML, in a shell or on a terminal.
NAMES = [
    "plain.bin", "with space.bin", "Grüße äöü ß.bin", "Gru\u0308n.bin", "100% sure.bin", "%41%2F.bin", "a#b.bin",
    "rock & roll.bin", "it's.bin", 'say "hi".bin', ".hidden.bin", "why?.bin", "semi;colon=1+2.bin",
    "[one] {two}.bin", "<tag>&amp;.bin", "日本語.bin", "emoji 🎵.bin", "12:30 c.bin", "~tilde.bin", "-dash.bin",
    "comma, at@home $x.bin", "star*|pipe^.bin", " leading.bin", "..dots..bin", "Музыка.bin",
]

# A collection of a server, and the configuration's keys beside the URL.
Place = namedtuple("Place", "name server path keys hides_dots is_like_another", defaults=(False, False))


def make_files(stage):
    """The folder that every server gets."""
    folder = stage.new_folder("files")
    for number, name in enumerate(NAMES):
        (folder / name).write_bytes(SMALL[number:])
    (folder / "empty.bin").write_bytes(b"")
    (folder / "big.bin").write_bytes(BIG)
    (folder / "empty folder").mkdir()
    deep = folder / "a" / "b & c" / "ü #1" / "50% d" / "e"
    deep.mkdir(parents=True)
    (deep / "deep one.bin").write_bytes(SMALL[500:])
    (folder / "a" / "side.bin").write_bytes(SMALL[501:])
    return folder


def run(results):
    with Stage("webdav") as stage:
        files = make_files(stage)
        for make in (apache_places, nginx_places, rclone_places):
            try:
                places = make(stage, files)
            except Skipped as reason:
                with results.check(f"{make.__name__.partition('_')[0]} answers"):
                    raise Skipped(str(reason)) from None
                continue
            for where in places:
                reads(results, stage, files, where)
            for where in places:
                if "user" in where.keys:
                    refusals(results, stage, where)
            last = places[-1]
            mistakes(results, stage, last)
            gone(results, stage, files, last)
        statuses(results, stage, files)


def apache_places(stage, files):
    apache = ApacheDAV(stage, files)
    login = {"user": apache.user, "password": apache.password}
    return [Place("Apache, Basic", apache, "basic/", login), Place("Apache, Digest", apache, "digest/", login, is_like_another=True),
            Place("Apache, open", apache, "open/", {}, is_like_another=True)]


def nginx_places(stage, files):
    nginx = NginxDAV(stage, files)
    # nginx's WebDAV module omits names that begin with a dot.
    return [Place("nginx", nginx, "", {"user": nginx.user, "password": nginx.password}, hides_dots=True)]


def rclone_places(stage, files):
    rclone = RcloneDAV(stage, files)
    return [Place("rclone", rclone, "", {"user": rclone.user, "password": rclone.password})]


def configuration(where, **more):
    keys = {"service": "webdav", "url": where.server.base + where.path, **where.keys, **more}
    return section("nas", keys)


def entries_of(folder, where):
    paths = [path for path in folder.iterdir() if not (where.hides_dots and path.name.startswith("."))]
    return {path.name: ("folder", None) if path.is_dir() else ("file", path.stat().st_size) for path in paths}


def reads(results, stage, files, where):
    user = User(stage, configuration(where))
    with results.check(f"{where.name}: ls --json lists every folder's entries, whatever their names") as check:
        folders = [files, *(path for path in sorted(files.rglob("*")) if path.is_dir())]
        for folder in folders:
            path = "/" + str(folder.relative_to(files)) if folder != files else "/"
            seen = {entry["name"]: (entry["kind"], entry.get("bytes")) for entry in user.list(f"nas:{path}")}
            wanted = entries_of(folder, where)
            odd = {name: (seen.get(name), wanted.get(name)) for name in {*seen, *wanted}
                   if seen.get(name, (None,))[0] != wanted.get(name, (None,))[0]
                   or wanted[name][0] == "file" and seen[name] != wanted[name]}
            equal(odd, {}, f"the listed and the right entries of {path}")
        check.figure = f"{len(folders)} folders, {len(entries_of(files, where))} entries in the first"
    with results.check(f"{where.name}: ls prints a line for each entry, and --m3u a playlist of URLs"):
        lines = user.works("ls", "nas:/").decode().splitlines()
        equal(sorted(line[30:] for line in lines),
              sorted(name + ("/" if kind == "folder" else "") for name, (kind, _) in entries_of(files, where).items()),
              "the names")
        lines = user.works("ls", "nas:/a", "--m3u").decode().splitlines()
        equal(lines[0], "#EXTM3U", "the first line")
    with results.check(f"{where.name}: get works for every name, for an empty and a nested file") as check:
        start = time.monotonic()
        paths = sorted(path for path in files.rglob("*") if path.is_file())
        if not results.is_long and where.is_like_another:
            paths = paths[::5]
        for path in paths:
            same(user.get(f"nas:/{path.relative_to(files)}"), path.read_bytes(), f"the bytes of {path.name!r}")
        check.figure = f"{len(paths)} files in {time.monotonic() - start:.1f} s"
    with results.check(f"{where.name}: get uses the file's name"):
        user.works("get", "nas:/rock & roll.bin", "-q")
        same((user.home / "rock & roll.bin").read_bytes(), (files / "rock & roll.bin").read_bytes())
    with results.check(f"{where.name}: random ranges through serve, and no byte requested twice") as check:
        check.figure = ranges(stage, where)


def ranges(stage, where, count=60):
    """Requests random ranges of a big file and of a file with an odd name, as a player does, with an empty cache."""
    generator = random.Random(where.name)
    user = User(stage, configuration(where))
    serving = user.serve()
    before = len(where.server.requests)
    with web.Line(serving.bases["nas"]) as line:
        for path, data in (("big.bin", BIG), ("a/b%20%26%20c/%C3%BC%20%231/50%25%20d/e/deep%20one.bin", SMALL[500:])):
            for _ in range(count):
                lower = generator.randrange(len(data))
                upper = min(len(data), lower + generator.choice((1, 100, 5000, 200_000)))
                answer = line.ask(path, {"Range": f"bytes={lower}-{upper - 1}"})
                equal(answer.status, 206, f"the status of bytes {lower}..<{upper}")
                equal(digest(answer.body), digest(data[lower:upper]), f"the SHA-256 of bytes {lower}..<{upper}")
            same(line.ask(path).body, data, "the whole file")
    equal(serving.stop(), 0, "weir's exit status")
    total = parse_summary(serving.log).origin_bytes
    expect(total <= 1.02 * (len(BIG) + len(SMALL)), f"{total} bytes came from the server, for {len(BIG) + len(SMALL)}")
    asked = [entry for entry in where.server.requests[before:] if entry.method == "GET" and entry.status in (200, 206)]
    return f"{2 * count} ranges with {len(asked)} answers and {total / 1e6:.1f} MB"


def refusals(results, stage, where):
    wrong = "wr0ng-word-8391"
    with results.check(f"{where.name}: a wrong password ends with 3 and a message, and is sent at most twice") as check:
        for words in (("ls", "nas:/"), ("get", "nas:/plain.bin", "-o", "-")):
            user = User(stage, configuration(where, password=wrong))
            before = len(where.server.requests)
            check.figure = user.fails(3, *words)
            expect(wrong not in check.figure, "the message has the password")
            with_it = [asked for asked in where.server.requests[before:] if asked.authorization]
            expect(len(with_it) <= 2, f"{words[0]} sent it in {len(with_it)} requests")
    with results.check(f"{where.name}: a missing password ends with 3 and a message") as check:
        user = User(stage, configuration(where, user=None, password=None))
        check.figure = user.fails(3, "ls", "nas:/")
        user.fails(3, "get", "nas:/plain.bin", "-o", "-")
    with results.check(f"{where.name}: serve reports a wrong password to a player") as check:
        user = User(stage, configuration(where, password=wrong))
        serving = user.serve()
        before = len(where.server.requests)
        told = {web.fetch(serving.bases["nas"] + "plain.bin").status for _ in range(5)}
        equal(told, {401}, "the statuses")
        check.figure = f"{len(where.server.requests) - before} requests for five of the player"
        equal(serving.stop(), 0, "weir's exit status")


def mistakes(results, stage, where):
    user = User(stage, configuration(where))
    with results.check(f"{where.name}: a folder for get, or one without media for exec, ends with 2 and a message") as check:
        check.figure = user.fails(2, "get", "nas:/a", "-o", "-")
        user.fails(2, "get", "nas:/a/", "-o", "-")
        user.fails(2, "exec", "nas:/a/b & c", "--", "true")
    with results.check(f"{where.name}: a missing file ends with 3 and a message") as check:
        check.figure = user.fails(3, "get", "nas:/none.bin", "-o", "-")
        user.fails(3, "get", "nas:/no/such/folder/x.bin", "-o", "-")
        user.fails(3, "ls", "nas:/none")
        user.fails(3, "exec", "nas:/none.bin", "--", "curl", "-s", "{}")
    with results.check(f"{where.name}: a path that climbs is refused") as check:
        check.figure = user.fails((2, 3), "get", "nas:/a/../plain.bin", "-o", "-")
        user.fails((2, 3), "get", "nas:/../etc/passwd", "-o", "-")


def gone(results, stage, files, where):
    user = User(stage, configuration(where))
    user.get("nas:/big.bin")
    user.get("nas:/rock & roll.bin")
    where.server.stop()
    with results.check(f"{where.name}: a stopped server ends get and ls with 4 and a message") as check:
        check.figure = user.fails(4, "get", "nas:/plain.bin", "-o", "-")
        # Weir can list the root from the cache, so the check lists another folder.
        user.fails(4, "ls", "nas:/none/")
    with results.check(f"{where.name}: cached bytes play without it, --offline or not"):
        for options in ((), ("--offline",)):
            same(user.get("nas:/big.bin", *options), BIG)
            same(user.get("nas:/rock & roll.bin", *options), (files / "rock & roll.bin").read_bytes())
        user.fails(4, "get", "nas:/plain.bin", "-o", "-", "--offline")


def statuses(results, stage, files):
    """Answers of a server with faults; each fault applies to every request for one file."""
    apache = ApacheDAV(stage, files)
    front = Front(stage, apache.base)
    where = Place("a front", front, "open/", {})
    (apache.root / "secret.bin").write_bytes(SMALL)
    # Apache's child processes never run as root, so they cannot read this file.
    (apache.root / "secret.bin").chmod(0)
    with results.check("Apache: a file without permission ends with 3 and a message") as check:
        user = User(stage, configuration(Place("Apache", apache, "open/", {})))
        check.figure = user.fails(3, "get", "nas:/secret.bin", "-o", "-")
    wanted = {503: 4, 500: 4, 423: 4, 429: 4, 403: 3, 401: 3, 410: 3, 507: 4}

    def job(status):
        path = f"/open/fault-{status}.bin"
        front.routes[path] = recorder.page(status)

        def work(stage):
            user = User(stage, configuration(where))
            start = time.monotonic()
            return user.fails(wanted[status], "get", f"nas:/fault-{status}.bin", "-o", "-"), time.monotonic() - start
        return work

    for status, result in beside([(status, job(status)) for status in wanted]):
        with results.check(f"a server that answers {status}: weir ends with {wanted[status]} and a message") as check:
            sentence, seconds = result()
            check.figure = f"{sentence} ({seconds:.0f} s)"
    with results.check("after two 503 answers with Retry-After, weir retries and gets the right bytes") as check:
        data, left = SMALL, [1, 1]

        def route(handler):
            if left:
                left.pop()
                handler.answer(503, b"", Retry_After="1")
            else:
                handler.pass_on(front)
        (apache.root / "later.bin").write_bytes(data)
        front.routes["/open/later.bin"] = route
        same(User(stage, configuration(where)).get("nas:/later.bin"), data)
        check.figure = " ".join(str(asked.status) for asked in front.requests if asked.path == "/open/later.bin")
