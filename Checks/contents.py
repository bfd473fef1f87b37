# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Files whose bytes follow from their name and version, so that a reader of any part can check it."""

import functools
import hashlib

# A prime a little below 64 KiB: if Weir puts a block at a wrong place, every byte of it differs.
PERIOD = 65_521
# How many periods are in memory at a time, which limits the length of a piece that is made at once.
PERIODS = 5


@functools.lru_cache(maxsize=512)
def _pattern(name, version):
    return hashlib.shake_128(f"{name}\0{version}".encode()).digest(PERIOD) * PERIODS


class Content:
    """One version of a file."""

    def __init__(self, name, length, version=1):
        self.name = name
        self.length = length
        self.version = version

    def part(self, lower, upper):
        """The bytes lower..<upper, without those past the end."""
        upper = min(upper, self.length)
        if lower >= upper:
            return b""
        pattern, pieces = _pattern(self.name, self.version), []
        while lower < upper:
            start = lower % PERIOD
            piece = pattern[start : start + upper - lower]
            pieces.append(piece)
            lower += len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def stands_at(self, data, lower):
        """Whether these are the bytes from `lower` on."""
        return data == self.part(lower, lower + len(data))
