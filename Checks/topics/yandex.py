# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Yandex.Disk: folders, files and players over REST and WebDAV, links that expire, and every fault of the service."""

import hashlib
import json
import random
import time

import clouds
import speech
from check_results import equal, expect
from clouds import User, beside, digest, same
from servers.yandex_disk import TOKEN, YandexDisk
from stage import media, players, web
from stage.stage import Stage
from stage.weir import parse_summary

DATA = random.Random(21).randbytes(1_200_000)
SMALL = random.Random(22).randbytes(20_000)
NAMES = ["one.bin", "two & a half.bin", "100% #1?.bin", "it's \"so\".bin", "песня ё.bin", "disk: a+b=c;d.bin", ".hidden"]

# The possible exit statuses of `weir get` when each fault happens once. 0 means that the file is right.
ONCE = {
    "link-gone": (0,), "link-broken": (0,), "link-forbidden": (0,), "link-unauthorized": (0,), "link-missing": (0, 3),
    "link-redirected": (0,), "page-instead": (0, 6), "rate-limited=1": (0,), "rate-limited": (0,),
    "download-limit": (4,), "forbidden": (3,), "locked": (0, 4), "unavailable=1": (0,), "unavailable": (0,),
    "disk-full": (4,), "json-malformed": (0, 6), "json-truncated": (0, 6), "no-ready-link": (0,),
    "no-ready-link+link-of-other-scheme": (0, 6), "file-changed": (0, 6), "wrong-range-start": (0, 6), "wrong-range-total": (0, 6),
    "unknown-range-total": (0,), "range-ignored": (0,), "body-cut@link": (0,), "body-cut=70000@link": (0,),
    "body-stalled=70000@link": (0,), "answer-lost": (0,), "token-refused": (0, 3), "slow-first-byte=1500": (0,),
    "rate-limited=1@link": (0,), "unavailable@link": (0,), "body-cut": (0,), "body-cut=40@api": (0, 6),
    "body-stalled=40@api": (0, 4), "answer-lost@link": (0,), "slow-first-byte=1500@link": (0,),
}

# The same for WebDAV.
ONCE_BY_WEBDAV = {
    "page-instead": (0, 6), "rate-limited=1": (0,), "unavailable": (0,), "wrong-range-start": (0, 6),
    "wrong-range-total": (0, 6), "unknown-range-total": (0,), "range-ignored": (0,), "body-cut=70000": (0,),
    "body-stalled=70000": (0,), "answer-lost": (0,), "slow-first-byte=1500": (0,), "locked": (0, 4),
    "forbidden": (3,), "disk-full": (4,), "token-refused": (0, 3),
}

# The possible exit statuses under permanent faults. Weir ends with a message, after some time.
ALWAYS = {
    "link-gone": (3, 4), "link-broken": (4,), "link-forbidden": (3, 4), "page-instead": (6,), "token-refused": (3,),
    "rate-limited": (4,), "rate-limited=1@link": (4,), "download-limit": (4,), "forbidden": (3,), "locked": (4,),
    "unavailable": (4,), "disk-full": (4,), "json-malformed": (4, 6), "json-truncated": (4, 6),
    "no-ready-link+link-of-other-scheme": (4, 6), "wrong-range-start": (6,), "wrong-range-total": (6,), "body-cut": (4, 6),
    "answer-lost": (4,), "link-missing": (3,),
}


def make_files(stage):
    folder = stage.new_folder("files")
    (folder / "Music" / "a b" / "ü#1").mkdir(parents=True)
    (folder / "nothing").mkdir()
    for number, name in enumerate(NAMES):
        (folder / "Music" / name).write_bytes(SMALL[number:])
    (folder / "Music" / "a b" / "ü#1" / "deep.bin").write_bytes(SMALL[500:])
    (folder / "data.bin").write_bytes(DATA)
    (folder / "empty.bin").write_bytes(b"")
    for name in ("song.flac", "song.mp3"):
        (folder / name).write_bytes((media.folder() / name).read_bytes())
    return folder


def run(results):
    with Stage("yandex") as stage:
        files = make_files(stage)
        disk = YandexDisk(stage, files, publish=["https://disk.example/d/a1=/Music"])
        user = User(stage, disk.section() + disk.dav_section() + disk.section("music", root="/Music/a b")
                    + disk.section("open", token=None, **{"public-key": "https://disk.example/d/a1"}))
        for source in ("disk", "dav"):
            reads(results, files, disk, user, source)
        mistakes(results, files, user.stage)
        other_ways_in(results, files, user)
        with results.check("a folder of 2500 files is listed completely, page by page") as check:
            many(check)
        refused(results, disk, stage)
        with results.check("the service got no request that it refuses by its rules"):
            equal(disk.violations, [], "violations")
    faults(results)


def reads(results, files, disk, user, source):
    with results.check(f"{source}: ls lists every folder's entries, whatever their names"):
        for folder in [files, *(path for path in sorted(files.rglob("*")) if path.is_dir())]:
            path = "/" + str(folder.relative_to(files)) if folder != files else "/"
            seen = {entry["name"]: (entry["kind"], entry.get("bytes")) for entry in user.list(f"{source}:{path}")}
            wanted = {entry.name: ("folder", None) if entry.is_dir() else ("file", entry.stat().st_size)
                      for entry in folder.iterdir()}
            equal({name: what if what[0] == "file" else ("folder", None) for name, what in seen.items()}, wanted,
                  f"the entries of {path}")
    with results.check(f"{source}: get works for every name, and for an empty file") as check:
        paths = sorted(path for path in files.rglob("*") if path.is_file())
        for path in paths:
            same(user.get(f"{source}:/{path.relative_to(files)}"), path.read_bytes(), f"the bytes of {path.name!r}")
        check.figure = f"{len(paths)} files"
    with results.check(f"{source}: a second get requests no byte, and --offline sends no request"):
        before = disk.media_bytes()
        same(user.get(f"{source}:/data.bin"), DATA)
        equal(disk.media_bytes(), before, "the media bytes that the service sent")
        count = len(disk.requests)
        same(user.get(f"{source}:/data.bin", "--offline"), DATA)
        equal(len(disk.requests), count, "the number of requests")
    with results.check(f"{source}: random ranges through serve, and no byte fetched twice") as check:
        listener = User(user.stage, user.file.read_text())
        serving = listener.serve()
        generator = random.Random(source)
        with web.Line(serving.bases[source]) as line:
            for _ in range(60):
                lower = generator.randrange(len(DATA))
                upper = min(len(DATA), lower + generator.choice((1, 1000, 60_000, 300_000)))
                answer = line.ask("data.bin", {"Range": f"bytes={lower}-{upper - 1}"})
                equal(answer.status, 206, f"the status of bytes {lower}..<{upper}")
                equal(digest(answer.body), digest(DATA[lower:upper]), f"the SHA-256 of bytes {lower}..<{upper}")
            same(line.ask("data.bin").body, DATA, "the whole file")
        equal(serving.stop(), 0, "weir's exit status")
        total = parse_summary(serving.log).origin_bytes
        expect(total <= 1.01 * len(DATA), f"{total} bytes came from the service, for {len(DATA)}")
        check.figure = f"{total} bytes for {len(DATA)}"
    with results.check(f"{source}: exec gives ffmpeg the file's sound"):
        done = user.run("exec", f"{source}:/song.flac", "--quiet", "--", "ffmpeg", "-nostdin", "-v", "error", "-xerror",
                        "-i", "{}", "-f", "md5", "-")
        equal(done.status, 0, f"the exit status, with {done.said[-300:]!r},")
        equal(done.output.decode().strip(), players.decoded_by_ffmpeg(files / "song.flac", user.environment), "the sound")


def mistakes(results, files, stage):
    """Uses its own disk, which records requests that treat a folder as a file."""
    disk = YandexDisk(stage, files)
    user = User(stage, disk.section() + disk.dav_section())
    for source in ("disk", "dav"):
        with results.check(f"{source}: a missing file ends get with 3, a folder with 2, each with a message") as check:
            check.figure = user.fails(3, "get", f"{source}:/none.bin", "-o", "-")
            user.fails(3, "ls", f"{source}:/none")
            user.fails(2, "get", f"{source}:/Music", "-o", "-")
            user.fails(2, "exec", f"{source}:/Music", "--", "true")


def other_ways_in(results, files, user):
    with results.check("a source with a root starts at that folder"):
        equal([entry["name"] for entry in user.list("music:/")], ["ü#1"], "the entries of the root")
        same(user.get("music:/ü#1/deep.bin"), SMALL[500:])
    with results.check("a public link is listed and read without an account"):
        names = {entry["name"] for entry in user.list("open:/")}
        equal(names, {*NAMES, "a b"}, "the names")
        same(user.get("open:/two & a half.bin"), (files / "Music" / "two & a half.bin").read_bytes())


def many(check):
    with Stage("many") as stage:
        folder = stage.new_folder("files")
        for number in range(2500):
            (folder / f"{number:05}.mp3").write_bytes(b"x")
        disk = YandexDisk(stage, folder)
        user = User(stage, disk.section() + disk.dav_section())
        for source in ("disk", "dav"):
            names = [entry["name"] for entry in user.list(f"{source}:/")]
            equal(sorted(names), [f"{number:05}.mp3" for number in range(2500)], f"the names by {source}")
        check.figure = f"{len(disk.at('api'))} requests of the API"
        equal(disk.violations, [], "violations")


def refused(results, disk, stage):
    with results.check("a refused token ends with 3 and a message, after at most two requests") as check:
        for section in (disk.section(token="y0_wrong-883"), disk.dav_section("disk", token="y0_wrong-883")):
            user = User(stage, section)
            for words in (("ls", "disk:/"), ("get", "disk:/data.bin", "-o", "-")):
                before = len(disk.requests)
                check.figure = user.fails(3, *words)
                expect("y0_wrong" not in check.figure, "the message has the token")
                expect(len(disk.requests) - before <= 2, f"{len(disk.requests) - before} requests carried it")


def fault_job(source, fault, statuses):
    """Makes a fault happen once: `get` gives the right file or a message, and the next `get` gives the right file."""
    def work(stage):
        files = stage.new_folder("files")
        (files / "data.bin").write_bytes(DATA)
        disk = YandexDisk(stage, files)
        user = User(stage, disk.section() + disk.dav_section())
        name, door, at = fault.partition("@")
        disk.behave(faults=[f"{one}*1{door}{at}" for one in name.split("+")])
        start = time.monotonic()
        done = user.run("get", f"{source}:/data.bin", "-o", "-", "--quiet")
        seconds = time.monotonic() - start
        happened = not disk.behaviour["faults"]
        told = "right" if done.status == 0 else done.said.strip()
        expect(done.status in statuses, f"the exit status is {done.status} and not one of {statuses}; "
               f"it said {done.said.strip()[-300:]!r}")
        expect(happened, "the fault did not happen")
        disk.behave(faults=[])
        # The service may now have another file; then it reports that file's checksum.
        versions = {hashlib.md5(DATA).hexdigest(), checksum(disk)}
        if done.status == 0:
            expect(hashlib.md5(done.output).hexdigest() in versions, f"{len(done.output)} wrong bytes came with status 0")
        else:
            speech.sentence(done.said, done.status)
            # Bytes that went to a pipe cannot be withdrawn; they must be a beginning of the file.
            expect(DATA.startswith(done.output), "wrong bytes were written")
        afterwards = user.get(f"{source}:/data.bin", "--revalidate", "always")
        equal(hashlib.md5(afterwards).hexdigest(), checksum(disk), "the checksum of the bytes afterwards")
        equal(disk.violations, [], "violations")
        leaks(stage, user, disk)
        return f"{told} ({seconds:.1f} s)"
    return work


def checksum(disk):
    """The file's MD5 that the service reports."""
    with web.Line(disk.addresses["api"]) as line:
        path = "/v1/disk/resources?path=disk%3A%2Fdata.bin&fields=md5"
        answer = line.ask(path, {"Authorization": f"OAuth {TOKEN}", "Accept": "application/json"})
    equal(answer.status, 200, "the status of the API")
    return json.loads(answer.body)["md5"]


def leaks(stage, user, disk):
    """Expects no token and no path of a link in a log or the cache."""
    secrets = {"the token": TOKEN}
    for number, asked in enumerate(disk.at("link")):
        secrets[f"link {number}"] = asked.path
    found, _ = clouds.holders(stage, secrets, [user.cache])
    equal(found, [], "where secrets are")


def faults(results):
    """Runs each check on its own stage, eight at a time, because the checks mostly wait."""
    jobs = [(f"links of 5 s that cut their bodies, and then {expiry}: a slow get is right", cut_job(results, expiry))
            for expiry in (410, 500)]
    for source, table in (("disk", ONCE), ("dav", ONCE_BY_WEBDAV)):
        jobs += [(f"{source}: {name}, once", fault_job(source, name, statuses)) for name, statuses in table.items()]
    jobs += [(f"{name}, always: weir ends with a message, and works again after the fault", lasting_job(name, statuses))
             for name, statuses in ALWAYS.items()]
    # The checks that wait longest come first.
    jobs.sort(key=lambda job: "stalled" not in job[0])
    for name, result in beside(jobs, width=8):
        with results.check(name) as check:
            check.figure = result()


def lasting_job(fault, statuses):
    def work(stage):
        files = stage.new_folder("files")
        (files / "data.bin").write_bytes(DATA)
        disk = YandexDisk(stage, files)
        user = User(stage, disk.section())
        disk.behave(faults=fault.split("+"))
        start = time.monotonic()
        said = user.fails(statuses, "get", "disk:/data.bin", "-o", "-", "--quiet")
        seconds = time.monotonic() - start
        leaks(stage, user, disk)
        asked = len(disk.requests)
        expect(asked <= 60, f"{asked} requests were sent")
        disk.behave(faults=[])
        same(user.get("disk:/data.bin"), DATA, "the bytes afterwards")
        return f"{said} ({seconds:.0f} s, {asked} requests)"
    return work


def cut_job(results, expiry):
    """Bodies end when their links expire, during a slow get: each new link continues where the last one ended."""
    def work(stage):
        seconds = 120 if results.is_long else 20
        data = random.Random(31).randbytes(seconds << 20)
        files = stage.new_folder("files")
        (files / "long.bin").write_bytes(data)
        disk = YandexDisk(stage, files, link_life=5)
        disk.behave(cutsBodiesAtExpiry=True, expiry=expiry)
        user = User(stage, disk.section())
        target = user.home / "long.bin"
        user.works("get", "disk:/long.bin", "--limit-rate", "1MiB", "-o", target, "--quiet", limit=4 * seconds + 30)
        equal(media.digest(target), digest(data), "the SHA-256")
        bodies = [asked for asked in disk.at("link") if asked.status == 206]
        equal(disk.violations, [], "violations")
        # Each request begins at the reader's position; bytes in the line's buffers at the cut are sent again.
        lowers = [int(asked.range.removeprefix("bytes=").split("-")[0]) for asked in bodies]
        equal(lowers, sorted(set(lowers)), "where the requests began")
        return f"{len(bodies)} bodies, {disk.media_bytes() / len(data):.2f} of the file sent"
    return work
