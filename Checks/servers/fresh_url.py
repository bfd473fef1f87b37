#!/usr/bin/env python3
# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Prints a fresh presigned URL: fresh_url.py SETTINGS KEY SECONDS

SETTINGS is the file that servers.s3 writes: the bucket's URL, the keys, and by how much its clock is ahead. Each run
adds a line to a log beside it.
"""

import json
import sys
import time
from pathlib import Path
from urllib.parse import quote

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from servers import sigv4  # noqa: E402


def main():
    file, key, seconds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    settings = json.loads(file.read_text())
    with open(file.with_suffix(".log"), "a") as log:
        log.write(f"{time.time()}\n")
    now = time.time() + settings["ahead"]
    print(sigv4.presigned(sigv4.Keys(*settings["keys"]), settings["base"] + quote(key), seconds, now=now))


if __name__ == "__main__":
    main()
