# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Files in the cache, compared with nginx that serves the file itself, and with other caches that hold it."""

import clients
import peers
import rates
from results import SOME_ROUNDS
from stage import media
from stage.stage import Stage


class Warm:
    """Weir and peers, each holding the big file, in front of an origin that gets no more requests."""

    def __init__(self, results, stage, names=("nginx",)):
        results.uses("nginx", "wrk")
        folder = media.big_folder()
        self.origin = peers.origin(stage, folder)
        self.subjects = [peers.weir(stage, self.origin.base)]
        self.subjects += peers.started(results, stage, names, folder, self.origin.base)
        for subject in self.subjects:
            peers.warm(stage, subject, media.BIG, folder / media.BIG)
        self.sent = self.bytes_of_origin()

    def bytes_of_origin(self):
        return sum(request.body_bytes for request in self.origin.requests())

    def check(self):
        """Checks that the measured bytes came from the caches: none has asked the origin for them."""
        sent = self.bytes_of_origin() - self.sent
        if sent > 1 << 20:
            raise RuntimeError(f"{sent} bytes came from the origin during the measure of held bytes")


def ranges(results):
    """64 KiB ranges, with all peers."""
    with Stage("bench") as stage:
        warm = Warm(results, stage, peers.PEERS)
        for connections in (1, 16, 64):
            measure = f"warm 64 KiB ranges, {connections} connection{'s' if connections > 1 else ''}"
            # With one connection, each request waits for a sleeping processor, whatever the server does.
            least = [peers.least(stage, media.big_folder())] if connections == 1 else []
            rates.take(results, stage, warm.subjects + least, measure, rates.ranges(connections))
        warm.check()


def sizes(results):
    """Small and large ranges, with nginx."""
    with Stage("bench") as stage:
        warm = Warm(results, stage)
        for name, size in (("4 KiB", 4 << 10), ("1 MiB", 1 << 20)):
            measure = f"warm {name} ranges, 16 connections"
            rates.take(results, stage, warm.subjects, measure, rates.ranges(16, size), rounds=SOME_ROUNDS)
        warm.check()


def whole(results):
    measure = "warm whole file of 256 MiB"
    with Stage("bench") as stage:
        warm = Warm(results, stage)
        for number, subject in results.turns(warm.subjects):
            value = clients.megabytes_per_second(subject.url(media.BIG), media.BIG_SIZE, stage.environment)
            results.sample(measure, subject.name, number, value, "MB/s")
        results.compare(measure, "nginx")
        warm.check()
