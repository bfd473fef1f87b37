# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Data that must be fetched first, compared with a direct read from the same origin."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import clients
import peers
from peers import QuietWeir
from results import FEWEST_ROUNDS, SOME_ROUNDS
from stage import media, waiting, web
from stage.nginx import Nginx
from stage.origin import Counted, Origin, Sparse, slow_line
from stage.program import Program
from stage.stage import Stage
from stage.weir import Weir

DELAY, RATE = 0.05, 10_000_000
LINE = f"{DELAY * 1000:.0f} ms, {RATE / 1e6:.0f} MB/s"
CURL = "curl -o FILE"
LEAST = "least program"
READERS = 16
WANTED = 8 << 20


def whole(results):
    """A whole file, compared with curl and with the minimal program that also sends it on.

    curl writes the received bytes into a file of the same file system, and sends them to no client."""
    measure, spent = "cold whole file of 256 MiB, kept on disk", "cold whole file of 256 MiB, processor time"
    results.uses("nginx", "curl")
    with Stage("bench") as stage:
        nginx = Nginx(stage, media.big_folder(), log=False)
        limit = Limit(stage)
        keepers = {CURL: kept_by_curl, LEAST: limit.kept, "weir": kept_by_weir}
        for number, name in results.turns(keepers):
            taken = keepers[name](stage, nginx)
            results.sample(measure, name, number, media.BIG_SIZE / taken.seconds / 1e6, "MB/s")
            results.sample(spent, name, number, taken.processor / media.BIG_SIZE * 1e9, "s/GB")
        results.compare(measure, CURL, LEAST)
        results.compare(spent, CURL, LEAST, digits=2, title="processor time of the same")


class Limit:
    """`limit.c`, built."""

    def __init__(self, stage):
        self.path = stage.folder / "limit"
        source = Path(__file__).with_name("limit.c")
        subprocess.run(["cc", "-O2", "-march=native", "-pthread", "-o", self.path, source], check=True)

    def kept(self, stage, nginx):
        os.sync()
        file = stage.folder / "kept.bin"
        port = nginx.base.rstrip("/").rpartition(":")[2]
        program = Program([self.path, port, file], stage.folder, stage.name("limit"), stage.environment)
        waiting.until(lambda: program.output.endswith("\n"), 10, "the least program's URL")
        taken = clients.download([program.output.strip() + media.BIG], media.BIG_SIZE, stage.environment)
        if program.wait() != 0:
            raise RuntimeError(f"the least program failed: {program.error}")
        file.unlink()
        return taken._replace(processor=program.processor_seconds())


def kept_by_curl(stage, nginx):
    # Unwritten data of an earlier turn must not cost this turn time.
    os.sync()
    file = stage.folder / "kept.bin"
    taken = clients.download([nginx.base + media.BIG], media.BIG_SIZE, stage.environment, file)
    file.unlink()
    return taken


def kept_by_weir(stage, nginx, readers=1):
    """The time of curls that drop the bytes, and the processor time of Weir, which stores them."""
    os.sync()
    weir = QuietWeir(stage, nginx.base)
    before = weir.program.processor_seconds()
    taken = clients.download([weir.url(media.BIG)] * readers, media.BIG_SIZE, stage.environment)
    # Weir's work after the last byte counts, too.
    weir.stop()
    shutil.rmtree(weir.cache)
    return taken._replace(processor=weir.program.processor_seconds() - before)


def crowd(results):
    """Sixteen clients of one cold file, compared with sixteen of the warm file plus the one necessary fetch."""
    measure = f"{READERS} clients of one cold file of 256 MiB on loopback, until the last has it"
    limit = f"{READERS} of the warm file, plus {CURL} once"
    results.uses("nginx", "curl")
    with Stage("bench") as stage:
        nginx = Nginx(stage, media.big_folder(), log=False)
        warm = peers.weir(stage, nginx.base)
        peers.warm(stage, warm, media.BIG, media.big_folder() / media.BIG)
        seconds = {}
        for number, part in results.turns(("cold", "warm", "fetch"), SOME_ROUNDS):
            if part == "cold":
                taken = kept_by_weir(stage, nginx, READERS)
            elif part == "warm":
                taken = clients.download([warm.url(media.BIG)] * READERS, media.BIG_SIZE, stage.environment)
            else:
                taken = kept_by_curl(stage, nginx)
            seconds[number, part] = results.sample(f"{measure}, parts", part, number, taken.seconds, "s")
        for number, part in list(seconds):
            if part == "cold":
                results.sample(measure, "weir", number, seconds[number, part], "s")
                both = seconds[number, "warm"] + seconds[number, "fetch"]
                results.sample(measure, limit, number, both, "s")
        results.compare(measure, limit, digits=2)


def leaves(results):
    """A client takes 8 MiB and leaves: the bytes from the origin, by Weir's count and by the origin's."""
    with Stage("bench") as stage:
        film = Counted(Sparse(media.BIG_SIZE))
        slow = Origin(stage, {f"/{media.BIG}": slow_line(film, DELAY, RATE)})
        nginx = Nginx(stage, media.big_folder(), log=False)
        for line, base in ((LINE, slow.base), ("loopback", nginx.base)):
            measure = f"a client leaves after 8 MiB ({line}), bytes from the origin ÷ bytes wanted"
            for number, _ in results.turns(["weir"], FEWEST_ROUNDS, warm_up=0):
                weir = Weir(stage, base)
                before = film.count
                download = web.Download(weir.url(media.BIG))
                if len(download.read_exactly(WANTED)) != WANTED:
                    raise RuntimeError("the download ended early")
                download.leave()
                # Long enough to see whether the fetch goes on.
                time.sleep(1.5)
                weir.stop()
                results.sample(measure, "weir", number, weir.summary().origin_bytes / WANTED, "×")
                if base == slow.base:
                    results.sample(f"{measure}, sent", "weir", number, (film.count - before) / WANTED, "×")
            results.alone(measure, digits=3)
        results.alone(f"a client leaves after 8 MiB ({LINE}), bytes from the origin ÷ bytes wanted, sent", digits=3,
                      title="the same on the slow line, bytes sent by the origin ÷ bytes wanted")


def seek(results):
    """The first byte of the end of a large file, on a line with a delay and a rate."""
    length, tail = 256 << 20, 64 << 10
    field = {"Range": f"bytes={length - tail}-"}
    with Stage("bench") as stage:
        origin = Origin(stage, {"/film.bin": slow_line(Sparse(length), DELAY, RATE)})
        for after_start in (False, True):
            measure = f"seek to the end of a cold file{', its start being read' if after_start else ''}"
            for number, name in results.turns(("direct", "weir")):
                weir = QuietWeir(stage, origin.base) if name == "weir" else None
                url = (weir or origin).base + "film.bin"
                start = web.Download(url) if after_start else None
                if start:
                    start.read_exactly(1 << 20)
                download = web.Download(url, field)
                results.sample(measure, name, number, download.first_byte() * 1000, "ms")
                download.leave()
                if start:
                    start.leave()
                if weir:
                    weir.stop()
            results.compare(measure, "direct", title=f"{measure} ({LINE}), first byte")
