# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""What has to be fetched first, beside a direct read from the same origin."""

import os
import shutil
import statistics

import clients
from stage import media, web
from stage.nginx import Nginx
from stage.origin import Origin, Sparse, slow_line
from stage.stage import Stage
from warm import QuietWeir

DELAY, RATE = 0.05, 10_000_000


def whole(results):
    with Stage("bench") as stage:
        nginx = Nginx(stage, media.big_folder(), log=False)
        direct, through, costs = [], [], []
        for number in range(-1, results.rounds(7)):
            # What an earlier round left to be written must not be paid by this one.
            os.sync()
            theirs = clients.megabytes_per_second(nginx.base + media.BIG, media.BIG_SIZE, stage.environment)
            weir = QuietWeir(stage, nginx.base)
            before = weir.program.processor_seconds()
            ours = clients.megabytes_per_second(weir.url(media.BIG), media.BIG_SIZE, stage.environment)
            weir.stop()
            cost = (weir.program.processor_seconds() - before) / (media.BIG_SIZE / 1e9)
            shutil.rmtree(weir.cache)
            if number < 0:
                continue
            direct.append(results.sample("cold whole file", "direct", number, theirs, "MB/s"))
            through.append(results.sample("cold whole file", "weir", number, ours, "MB/s"))
            costs.append(results.sample("cold whole file, processor", "weir", number, cost, "s/GB"))
        results.compare("cold whole file of 256 MiB, kept on disk", "direct", direct, through, "MB/s")
        results.row(
            "processor time of the same, s/GB", "", f"{statistics.median(costs):.2f}",
            f"({min(costs):.2f} to {max(costs):.2f})",
        )


def seek(results):
    """The first byte of the end of a large file on a line with a delay and a rate."""
    length, tail = 256 << 20, 64 << 10
    field = {"Range": f"bytes={length - tail}-"}
    with Stage("bench") as stage:
        origin = Origin(stage, {"/film.bin": slow_line(Sparse(length), DELAY, RATE)})
        for after_start in (False, True):
            measure = f"seek to the end of a cold file{', its start being read' if after_start else ''}"
            direct, through = [], []
            for number in range(-1, results.rounds(9)):
                weir = QuietWeir(stage, origin.base)
                for url, name, series in ((origin.base, "direct", direct), (weir.base, "weir", through)):
                    start = web.Download(url + "film.bin") if after_start else None
                    if start:
                        start.read_exactly(1 << 20)
                    download = web.Download(url + "film.bin", field)
                    value = download.first_byte() * 1000
                    download.leave()
                    if start:
                        start.leave()
                    if number >= 0:
                        series.append(results.sample(measure, name, number, value, "ms"))
                weir.stop()
            line = f"{DELAY * 1000:.0f} ms, {RATE / 1e6:.0f} MB/s"
            results.compare(f"{measure} ({line}), first byte", "direct", direct, through, "ms")
