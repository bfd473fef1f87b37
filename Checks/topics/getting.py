# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""`weir get` and `weir cache`: whole files, resumed files, and the cache's reports about them."""

import json
import signal
import threading
import time

import speech
from check_results import equal, expect
from stage import media, origin, place, waiting
from stage.nginx import Nginx
from stage.origin import Origin
from stage.program import Program
from stage.stage import Stage
from stage.weir import cached, command, is_whole

SIZE = 24 << 20


def run(results):
    folder = media.folder()
    with Stage("getting") as stage:
        nginx = Nginx(stage, folder, token="get-token-81aa")
        cache = stage.new_folder("cache")
        source = (nginx.base + "song.flac", "--header", nginx.header, "--account", "me", "--cache", cache)
        with results.check("get fetches the whole file"):
            target = stage.new_folder("target")
            done = command(stage, "get", *source, folder=target)
            equal(done.returncode, 0, f"the exit status, with {done.stderr.decode().strip()!r},")
            equal([path.name for path in target.iterdir()], ["song.flac"], "the files")
            equal(media.digest(target / "song.flac"), media.digest(folder / "song.flac"), "its SHA-256")
        with results.check("a second get sends no request to the origin, and -o - writes to standard output"):
            asked = len(nginx.settled().requests())
            done = command(stage, "get", *source, "-o", "-", "--quiet")
            equal((done.returncode, done.stderr), (0, b""), "exit status and standard error")
            expect(done.stdout == (folder / "song.flac").read_bytes(), "the bytes differ")
            equal(len(nginx.settled().requests()), asked, "the number of requests")
        with results.check("get --json reports the fetched file"):
            done = command(stage, "get", *source, "-o", stage.folder / "x.flac", "--json", "--quiet")
            said = json.loads(done.stdout)
            equal(said["bytes"], (folder / "song.flac").stat().st_size, "the count of bytes")
        interrupted(results, stage)
        goes_on(results, stage)
        cache_commands(results, stage, nginx, folder)


def interrupted(results, stage):
    folder = stage.new_folder("files")
    (folder / "long.bin").write_bytes(media.part(media.big_folder() / media.BIG, 0, SIZE))
    nginx = Nginx(stage, folder, rate="4m")
    cache, target = stage.new_folder("cache"), stage.new_folder("target")
    words = ("get", nginx.base + "long.bin", "-o", target / "long.bin", "--cache", cache)
    with results.check("SIGINT ends get with 130 and leaves no partial file") as check:
        program = stage.put(Program([place.weir_program(), *words], stage.folder, "get", stage.environment))
        waiting.until(lambda: b" % " in program.error_file.read_bytes(), 20, "the first progress line")
        equal(program.stop(signal.SIGINT), 130, "the exit status")
        expect("tries again" not in program.error, f"it says {program.error!r}")
        check.figure = speech.sentence(program.error.splitlines()[-1])
        equal(list(target.iterdir()), [], "the remaining files of the download")
    with results.check("the same command asks only for the rest") as check:
        held = cached(stage, cache)["long.bin"]["heldBytes"]
        expect(0 < held < SIZE, f"{held} bytes were held")
        before = len(nginx.settled().requests())
        done = command(stage, *words)
        equal(done.returncode, 0, f"the exit status, with {done.stderr.decode().strip()!r},")
        equal(media.digest(target / "long.bin"), media.digest(folder / "long.bin"), "the SHA-256")
        ranges = [request.range for request in nginx.settled().requests()[before:]]
        equal(ranges, [f"bytes={held}-"], f"the requested ranges, with {done.stderr.decode()[:300]!r},")
        check.figure = f"{held / 1e6:.1f} MB were held, then {ranges[0]}"


def cache_commands(results, stage, nginx, folder):
    cache = stage.new_folder("cache")
    place_of_cache = ("--cache", cache)
    names = ("song.mp3", "song.ogg")
    for name in names:
        words = ("get", nginx.base + name, "-o", stage.folder / name, "--header", nginx.header)
        command(stage, *words, "--account", "me", *place_of_cache)
    with results.check("cache list names each file, whether it is complete, and its account"):
        held = cached(stage, cache)
        equal(set(held), set(names), "the listed files")
        expect(all(is_whole(entry) for entry in held.values()), f"not every file is complete: {held}")
        equal({entry["account"] for entry in held.values()}, {"me"}, "the accounts")
        text = command(stage, "cache", "list", *place_of_cache).stdout.decode()
        expect(all(name in text for name in names), f"the list says {text!r}")
    with results.check("cache remove and clear work; an unknown name ends with 3 and a message") as check:
        done = command(stage, "cache", "remove", nginx.base + "song.mp3", *place_of_cache)
        equal(done.returncode, 0, "the exit status")
        equal(set(cached(stage, cache)), {"song.ogg"}, "the remaining files")
        done = command(stage, "cache", "remove", nginx.base + "none.mp3", *place_of_cache)
        equal(done.returncode, 3, "the exit status for an unknown name")
        check.figure = speech.sentence(done.stderr.decode())
        equal(command(stage, "cache", "clear", "--yes", *place_of_cache).returncode, 0, "the exit status of clear")
        equal(cached(stage, cache), {}, "the remaining files")
        left = [path for path in stage.files(cache) if path.suffix in (".data", ".journal")]
        equal(left, [], "the remaining files")
    with results.check("cache path prints the folder; --cache wins over WEIR_CACHE"):
        environment = dict(stage.environment, WEIR_CACHE="/nowhere/else")
        equal(command(stage, "cache", "path", environment=environment).stdout.strip(), b"/nowhere/else", "the path")
        done = command(stage, "cache", "path", *place_of_cache, environment=environment)
        equal(done.stdout.decode().strip(), str(cache), "the path")
    with results.check("--cache-limit keeps the cache small by removing the least recently used file"):
        limited = stage.new_folder("cache")
        for name in ("song.wav", "song.flac", "film.mp4"):
            words = ("get", nginx.base + name, "-o", stage.folder / name, "--header", nginx.header)
            done = command(stage, *words, "--account", "me", "--cache", limited, "--cache-limit", "6MB")
            equal(done.returncode, 0, f"the exit status for {name}, with {done.stderr.decode().strip()!r},")
            equal(media.digest(stage.folder / name), media.digest(folder / name), f"the SHA-256 of {name}")
        total = sum(path.stat().st_blocks * 512 for path in stage.files(limited) if path.suffix == ".data")
        expect(total <= 6_500_000, f"{total} bytes are on disk")
        expect("film.mp4" in cached(stage, limited), "the newest is not held")


def goes_on(results, stage):
    """One file fails in its middle; the answer for another takes longer than the download queue's first pause."""
    server = Origin(stage)
    data = bytes(range(256)) * 4000
    asked_late = []
    has_failed, may_end = threading.Event(), threading.Event()
    halves = origin.cut(data, len(data) // 2)

    def failing(handler):
        if has_failed.is_set():
            asked_late.append(handler.path)
        if sum(path == handler.path for path, _ in server.asked) == 1:
            halves(handler)
        else:
            handler.answer(500, b"")

    server.routes["/1.bin"] = failing

    def waits(handler):
        may_end.wait(60)
        origin.content(data)(handler)

    server.routes["/2.bin"] = waits
    words = ("get", f"{server.base}1.bin", f"{server.base}2.bin", "-o", stage.new_folder("both"), "--cache", stage.new_folder("cache"))
    with results.check("a file reported as failed is not requested again while the others are fetched") as check:
        program = stage.put(Program([place.weir_program(), *words], stage.folder, "get-several", stage.environment))
        waiting.until(lambda: "weir: http" in program.error, 90, "the failure of the first file")
        has_failed.set()
        # The queue's first pause is 2 s.
        due = time.monotonic() + 6
        waiting.until(lambda: asked_late or time.monotonic() > due, 20, "the time of the queue's next attempt")
        may_end.set()
        equal(program.wait(30), 4, "the exit status")
        equal(asked_late, [], f"the requests after the failure, with {program.error!r},")
        check.figure = next(line for line in program.error.splitlines() if line.startswith("weir: "))
