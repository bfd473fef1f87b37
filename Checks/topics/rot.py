# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Bits that flip on the disk: Weir detects the damage, and repairs it from the origin before a player gets it."""

import random
import re

from check_results import equal, expect
from stage import media, web
from stage.nginx import Nginx
from stage.stage import Stage
from stage.weir import Weir, cached, command, is_whole

BLOCK = 65_536
NAME = "song.flac"


def run(results):
    folder = media.folder()
    data = (folder / NAME).read_bytes()
    with Stage("rot") as stage:
        nginx = Nginx(stage, folder)
        cache = stage.new_folder("cache")
        get(stage, nginx, cache)
        one_bit(results, stage, nginx, cache, data)
        without_origin(results, stage, nginx, cache, data)
        verifying(results, stage, nginx, cache, data)
        cut(results, stage, nginx, cache, data)
        anywhere(results, stage, nginx, cache, data, 100 if results.is_long else 10)


def get(stage, nginx, cache, *options):
    return command(stage, "get", nginx.base + NAME, "-o", "-", "--quiet", "--cache", cache, *options)


def data_file(stage, cache):
    (path,) = [path for path in stage.files(cache) if path.suffix == ".data"]
    return path


def flip(path, place, bit=1):
    with open(path, "r+b") as file:
        file.seek(place)
        (byte,) = file.read(1)
        file.seek(place)
        file.write(bytes([byte ^ bit]))


def one_bit(results, stage, nginx, cache, data):
    with results.check("a bit flips in a cached file: the player gets the right bytes, and weir fetches one block") as check:
        place = len(data) // 2
        flip(data_file(stage, cache), place)
        before = len(nginx.settled().requests())
        weir = Weir(stage, nginx.base, cache=cache)
        equal(web.fetch(weir.url(NAME)).body == data, True, "that the bytes are the origin's")
        block = place // BLOCK * BLOCK
        asked = [request.range for request in nginx.settled().requests()[before:]]
        equal(asked, [f"bytes={block}-{block + BLOCK - 1}"], "the requests to the origin")
        equal(weir.stop(), 0, "the exit status")
        expect("damaged" in weir.log, f"no warning: {weir.log[-300:]!r}")
        check.figure = asked[0]
    with results.check("the repaired block stays right"):
        before = len(nginx.settled().requests())
        done = get(stage, nginx, cache, "--offline")
        equal((done.returncode, done.stdout == data), (0, True), "exit status, and that the bytes are right")
        equal(len(nginx.settled().requests()), before, "the number of requests")


def without_origin(results, stage, nginx, cache, data):
    with results.check("a damaged block without the origin: only that block does not play") as check:
        place = len(data) // 3
        flip(data_file(stage, cache), place, 128)
        weir = Weir(stage, nginx.base, "--offline", cache=cache)
        lower = place // BLOCK * BLOCK
        for start, end in ((0, lower), (lower + BLOCK, len(data))):
            answer = web.fetch(weir.url(NAME), {"Range": f"bytes={start}-{end - 1}"})
            equal((answer.status, answer.body == data[start:end]), (206, True), f"status and bytes {start}..<{end}")
        answer = web.fetch(weir.url(NAME), {"Range": f"bytes={place}-{place + 9}"})
        expect(answer.status >= 500, f"the status for the damaged bytes is {answer.status}")
        check.figure = f"{answer.status} {answer.body.decode().strip()}"
        weir.stop()


def verifying(results, stage, nginx, cache, data):
    with results.check("cache verify finds the damage, ends with 6, and the next get repairs it"):
        equal(get(stage, nginx, cache).stdout == data, True, "that get repairs the hole")
        equal(command(stage, "cache", "verify", "--cache", cache).returncode, 0, "the exit status for an undamaged cache")
        flip(data_file(stage, cache), len(data) - 1, 16)
        done = command(stage, "cache", "verify", "--cache", cache)
        equal(done.returncode, 6, "the exit status")
        expect(re.search(rf"damaged .*{NAME}", done.stdout.decode()), f"it says {done.stdout!r}")
        expect(not is_whole(cached(stage, cache)[NAME]), "the damaged file still counts as complete")
        equal(command(stage, "cache", "verify", "--cache", cache).returncode, 0, "the exit status after it")
        equal(get(stage, nginx, cache).stdout == data, True, "that get repairs it")
        expect(is_whole(cached(stage, cache)[NAME]), "the file is not complete again")


def cut(results, stage, nginx, cache, data):
    with results.check("a data file is truncated while weir runs: the second answer after that is right"):
        equal(get(stage, nginx, cache).returncode, 0, "the exit status of get")
        weir = Weir(stage, nginx.base, cache=cache)
        equal(web.fetch(weir.url(NAME)).body == data, True, "that the bytes are the origin's before")
        with open(data_file(stage, cache), "r+b") as file:
            file.truncate(1000)
        # The answer in which Weir detects the damage may end early.
        web.Download(weir.url(NAME)).read_exactly(len(data))
        equal(web.fetch(weir.url(NAME)).body == data, True, "that the bytes are the origin's after")
        equal(weir.stop(), 0, "the exit status")


def anywhere(results, stage, nginx, cache, data, rounds):
    seed = random.randrange(1 << 32)
    generator = random.Random(seed)
    with results.check(f"{rounds} random bit flips in data, journal and catalogue: no wrong byte") as check:
        for number in range(rounds):
            files = [path for path in stage.files(cache) if path.suffix in (".data", ".journal", ".sqlite")]
            for _ in range(generator.randint(1, 4)):
                path = generator.choice(files)
                flip(path, generator.randrange(path.stat().st_size), 1 << generator.randrange(8))
            done = get(stage, nginx, cache)
            if done.returncode != 0:
                # Weir leaves data alone, and says so, if the damage could be a newer version's format.
                expect(b"newer Weir" in done.stderr, f"round {number}, seed {seed}: {done.stderr.decode().strip()!r}")
                cache = stage.new_folder("cache")
                equal(get(stage, nginx, cache).returncode, 0, "the exit status with a new cache")
                continue
            equal(done.stdout == data, True, f"round {number}, seed {seed}: that the bytes are the origin's")
        check.figure = f"seed {seed}"
