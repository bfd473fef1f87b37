# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The change from one link to the next: a reader's wait there, beside its other waits in the same play."""

import http.client
import statistics
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "Checks"))

from peers import QuietWeir  # noqa: E402
from results import FEWEST_ROUNDS  # noqa: E402
from servers.yandex_disk import YandexDisk  # noqa: E402
from stage.stage import Stage  # noqa: E402
from stage.weir import Weir  # noqa: E402

# A play of 2 MB/s. Its links end every 4 s in the middle of a body, and the API takes 0.3 s to answer.
RATE = 2_000_000
LIFE = 4
SECONDS = 18
DELAY = 300
PIECE = 256 * 1024


def gaps(results):
    measure = "wait for the next 256 KiB where a link ends (API 300 ms)"
    with Stage("bench") as stage:
        folder = stage.new_folder("disk")
        (folder / "song.mp3").write_bytes(b"\xff\xfb\x90\x64" + bytes(RATE * SECONDS))
        config = stage.folder / "config.toml"
        for number, _ in results.turns(["weir"], FEWEST_ROUNDS, warm_up=0):
            disk = YandexDisk(stage, folder, link_life=LIFE)
            disk.behave(cutsBodiesAtExpiry=True, faults=[f"slow-first-byte={DELAY}@api"])
            config.write_text(disk.section("disk"))
            config.chmod(0o600)
            weir = QuietWeir(stage, "disk:/song.mp3", "--config", config, "--limit-rate", RATE)
            arrivals = play(weir)
            moves = [asked.time for asked in disk.requests if asked.server == "link"][1:]
            weir.stop()
            disk.program.stop()
            waits = [(late, late - early) for early, late in zip(arrivals, arrivals[1:])]
            usual = statistics.median(wait for _, wait in waits)
            # The waits that overlap the 0.6 s after a request for a link.
            worst = [
                max(wait for at, wait in waits if move <= at and at - wait <= move + 0.6)
                for move in moves
                if move < arrivals[-1]
            ]
            results.sample(measure, "elsewhere in the play", number, usual * 1e3, "ms")
            results.sample(measure, "weir", number, statistics.median(worst) * 1e3, "ms")
            results.sample(measure, "weir, the worst", number, max(worst) * 1e3, "ms")
        results.compare(measure, "elsewhere in the play")


def play(weir):
    """The time of day when each piece arrived."""
    host, _, path = weir.base.removeprefix("http://").partition("/")
    connection = http.client.HTTPConnection(host, timeout=30)
    connection.request("GET", f"/{path}")
    response = connection.getresponse()
    arrivals = []
    while True:
        left = PIECE
        while left and (data := response.read(min(left, 16384))):
            left -= len(data)
        if left:
            return arrivals
        arrivals.append(time.time())
