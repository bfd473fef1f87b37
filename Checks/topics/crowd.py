# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Sixteen readers of one cold file share one download, in little memory."""

import subprocess

from board import equal, expect
from stage import media
from stage.nginx import Nginx
from stage.stage import Stage
from stage.weir import Weir

READERS = 16
MEMORY = 64 << 20


def run(board):
    folder = media.big_folder()
    with Stage("crowd") as stage:
        nginx = Nginx(stage, folder)
        weir = Weir(stage, nginx.base)
        with board.check(f"{READERS} readers of one cold 256 MiB file all get it"):
            equal(differences(stage, weir.url(media.BIG)), 0, "the number of readers who got something else")
        memory = weir.program.memory()
        weir.stop()
        nginx.stop()
        with board.check("they cost one request and 1.00× the bytes") as check:
            requests = nginx.requests()
            equal(len(requests), 1, "the number of requests")
            sent = sum(request.body_bytes for request in requests)
            equal(sent, media.BIG_SIZE, "bytes that nginx sent")
            expect(abs(weir.summary().origin_bytes - media.BIG_SIZE) < 100_000, f"weir says {weir.summary()}")
            check.figure = f"{sent / media.BIG_SIZE:.2f}×"
        with board.check("the process stays under 64 MiB of resident memory") as check:
            check.figure = f"{memory / 2**20:.1f} MiB"
            expect(memory < MEMORY, f"it reached {check.figure}")


def differences(stage, url):
    """How many readers, all at once, did not get the very bytes of the file."""
    file = media.big_folder() / media.BIG
    pairs = []
    for _ in range(READERS):
        curl = subprocess.Popen(["curl", "-sS", "--fail", url], stdout=subprocess.PIPE, env=stage.environment)
        compare = ["cmp", "-", str(file)]
        pairs.append((curl, subprocess.Popen(compare, stdin=curl.stdout, stdout=subprocess.DEVNULL)))
        curl.stdout.close()
    # Every one is waited for, whatever the others say.
    return sum([curl.wait(120) != 0 or comparison.wait(120) != 0 for curl, comparison in pairs])
