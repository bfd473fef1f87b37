# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The files that origins offer."""

import hashlib
import random
import subprocess

from . import once, place

# The name, and the media type that the bytes show.
MEDIA = {
    "song.mp3": "audio/mpeg",
    "variable.mp3": "audio/mpeg",
    "song.m4a": "audio/mp4",
    "film.mp4": "video/mp4",
    "song.flac": "audio/flac",
    "song.ogg": "audio/ogg",
    "song.opus": "audio/ogg",
    "song.wav": "audio/wav",
}

# A file that is larger than all buffers.
BIG = "big.bin"
BIG_SIZE = 256 << 20


def folder():
    """The folder with the files of MEDIA; makes it if it is missing."""
    with once.alone_in(place.BUILD):
        subprocess.run([place.ROOT / "Scripts" / "fixtures"], check=True)
    return place.FIXTURES


def big_folder():
    """A folder with the big file, in which no two pieces are equal."""
    return once.made(place.BUILD / "big" / BIG, make_big).parent


def make_big(path):
    generator = random.Random(7)
    with open(path, "wb") as file:
        for _ in range(BIG_SIZE >> 20):
            file.write(generator.randbytes(1 << 20))


def digest(path):
    """The SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() if hasattr(hashlib, "file_digest") else _digest(file)


def _digest(file):
    sum256 = hashlib.sha256()
    while piece := file.read(1 << 20):
        sum256.update(piece)
    return sum256.hexdigest()


def part(path, lower, upper):
    """The bytes lower..<upper of a file."""
    with open(path, "rb") as file:
        file.seek(lower)
        return file.read(upper - lower)
