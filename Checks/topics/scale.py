# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A cache with very many resources, and a resource with very many runs."""

import random
import sqlite3
import time

from check_results import equal, expect
from stage import media, web
from stage.nginx import Nginx
from stage.stage import Stage
from stage.weir import Weir, cached, command


def run(results):
    with Stage("scale") as stage:
        many_resources(results, stage)
        many_runs(results, stage, 100_000 if results.is_long else 5_000)


def resident_mebibytes(weir):
    with open(f"/proc/{weir.program.pid}/status") as file:
        (line,) = [line for line in file if line.startswith("VmRSS:")]
    return int(line.split()[1]) / 1024


def many_resources(results, stage):
    count = 100_000
    nginx = Nginx(stage, media.folder())
    cache = stage.new_folder("cache")
    command(stage, "get", nginx.base + "song.mp3", "-o", "-", "--quiet", "--cache", cache)
    # The catalogue gets a hundred thousand rows, as if that many files had been played once.
    with sqlite3.connect(cache / "catalogue.sqlite") as database:
        columns = [row[1] for row in database.execute("PRAGMA table_info(resource)")]
        row = dict(zip(columns, database.execute("SELECT * FROM resource").fetchone()))
        rows = (
            tuple({**row, "identifier": f"{number:032x}", "last_use": number, "generation": number}.values())
            for number in range(count)
        )
        database.executemany(f"INSERT INTO resource VALUES ({','.join('?' * len(columns))})", rows)
    database.close()
    with results.check(f"{count} resources in the cache: serve starts, plays, and needs little memory") as check:
        start = time.monotonic()
        weir = Weir(stage, nginx.base, cache=cache)
        seconds = time.monotonic() - start
        equal(web.fetch(weir.url("song.mp3")).status, 200, "the status")
        size = resident_mebibytes(weir)
        expect(size < 100, f"{size:.0f} MiB are resident")
        equal(len(cached(stage, cache)), 1, "names in the list")
        check.figure = f"started after {seconds:.2f} s, {size:.0f} MiB resident"
        weir.stop()


def many_runs(results, stage, count):
    """Requests runs of one byte, 64 bytes apart, in random order."""
    with results.check(f"a resource with {count} separate held ranges is read, stored and read again") as check:
        data = random.Random(5).randbytes(64 * count)
        folder = stage.new_folder("files")
        (folder / "runs.bin").write_bytes(data)
        nginx = Nginx(stage, folder)
        weir = Weir(stage, nginx.base, "--read-ahead", "1", cache=stage.new_folder("cache"))
        order = list(range(count))
        random.Random(6).shuffle(order)
        line = web.Line(weir.url("runs.bin"))

        def byte(number):
            place = 64 * number
            answer = line.ask(headers={"Range": f"bytes={place}-{place}"})
            equal((answer.status, answer.body), (206, data[place : place + 1]), f"the byte {place}")

        start = time.monotonic()
        for number in order:
            byte(number)
        cold = time.monotonic() - start
        start = time.monotonic()
        for number in order[:1000]:
            byte(number)
        warm = time.monotonic() - start
        line.close()
        weir.stop()
        (journal,) = [path for path in stage.files(weir.cache) if path.suffix == ".journal"]
        size = journal.stat().st_size
        expect(size < 200 * count + 100_000, f"the journal has {size} bytes")
        done = command(stage, "cache", "verify", "--cache", weir.cache)
        equal(done.returncode, 0, "the exit status of verify")
        check.figure = (
            f"{cold / count * 1e6:.0f} µs a request cold, {warm / 1000 * 1e6:.0f} µs warm, journal {size / 1e6:.1f} MB"
        )
