# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""kill -9 while a film plays: how many of the received bytes are not held afterwards."""

import signal
import threading
import time

from peers import QuietWeir
from results import SOME_ROUNDS
from stage import media, web
from stage.origin import Counted, Origin, slow_line
from stage.stage import Stage
from stage.weir import cached

RATE = 10_000_000
SECONDS = 3


class Film:
    """The big file, from memory, so that sending it takes little processor time."""

    length = media.BIG_SIZE

    def __init__(self):
        self.data = (media.big_folder() / media.BIG).read_bytes()

    def bytes(self, lower, upper):
        return self.data[lower:upper]


def losses(results):
    measure = f"kill -9 after {SECONDS} s at {RATE / 1e6:.0f} MB/s, bytes lost"
    data = Film()
    with Stage("bench") as stage:
        for number, _ in results.turns(["weir"], SOME_ROUNDS, warm_up=0):
            film = Counted(data)
            # Small pieces, so that the count is at most one piece ahead of the line.
            origin = Origin(stage, {f"/{media.BIG}": slow_line(film, 0.05, RATE, piece=16 << 10)})
            weir = QuietWeir(stage, origin.base)
            download = web.Download(weir.url(media.BIG))
            player = threading.Thread(target=play, args=(download,), daemon=True)
            player.start()
            time.sleep(SECONDS)
            weir.stop(signal.SIGKILL)
            sent = film.count
            player.join(10)
            download.leave()
            origin.stop()
            # The next process recovers the held bytes, and `weir cache list` asks it.
            again = QuietWeir(stage, origin.base, cache=weir.cache)
            held = cached(stage, weir.cache).get(media.BIG, {}).get("heldBytes", 0)
            again.stop()
            results.sample(measure, "weir", number, (sent - held) / 1024, "KiB")
        results.alone(measure)
        results.row("the same, worst of all rounds, KiB", "", f"{max(results.values(measure, 'weir')):,.0f}", "")


def play(download):
    """Reads bytes until there are no more."""
    try:
        while download.read(1 << 16):
            pass
    except (OSError, ValueError, web.http.client.HTTPException):
        # The server has gone.
        pass
