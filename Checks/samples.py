# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Decoded sound: WAV files that Weir writes, samples that ffmpeg decodes, and the places where they agree."""

import struct
import subprocess
import sys
from array import array
from collections import namedtuple

from check_results import Failed, expect
from stage import once, sounds

# Samples are little-endian and interleaved; `declared` is the byte count of the samples according to the header.
Wave = namedtuple("Wave", "rate channels bits data declared")

# The agreement of two streams of frames: theirs begins `shift` frames before ours. `frames` frames were compared, and
# `largest` is their largest difference. `where` is the first of our frames with it, or None if all are equal.
Agreement = namedtuple("Agreement", "shift frames largest where")


class Nothing(Failed):
    """ffmpeg decodes no sound from a file."""


CODECS = {16: "pcm_s16le", 24: "pcm_s24le", 32: "pcm_s32le"}


def programme(seconds, rate=44100, channels=2, bits=16):
    """A WAV of a rising tone with noise: no two moments of it are alike."""
    tones = "|".join(f"0.3*sin(2*PI*({200 + 90 * index}*t+12*t*t))" for index in range(channels))
    layout = {1: "mono", 2: "stereo"}[channels]
    noise = f"anoisesrc=color=pink:amplitude=0.4:seed=11:sample_rate={rate}:duration={seconds}"
    mix = f"aevalsrc='{tones}':s={rate}:c={layout}:d={seconds}[a];{noise},aformat=channel_layouts={layout}[b]"
    mix += f";[a][b]amix=inputs=2:normalize=0,atrim=end_sample={seconds * rate}[out]"
    words = ["ffmpeg", "-v", "error", "-y", "-filter_complex", mix, "-map", "[out]", "-c:a", CODECS[bits]]
    path = sounds.FOLDER / "sources" / f"programme-{seconds}-{rate}-{channels}-{bits}.wav"
    return once.made(path, lambda new: sounds.run([*words, new]))


def read_wave(path):
    """Reads a WAV, also one that is still being written or whose writer was killed."""
    data = path.read_bytes()
    expect(data[:4] == b"RIFF" and data[8:12] == b"WAVE", f"{path.name} begins with {data[:12]!r}")
    at, form = 12, None
    while at + 8 <= len(data):
        name, size = struct.unpack_from("<4sI", data, at)
        if name == b"fmt ":
            form = struct.unpack_from("<HHIIHH", data, at + 8)
        if name == b"data":
            expect(form, f"{path.name} has data before its format")
            return Wave(form[2], form[1], form[5], data[at + 8 : at + 8 + size], size)
        at += 8 + size + (size & 1)
    raise Failed(f"{path.name} has no data")


def decoded(thing, bits=16, more=(), data=None):
    """ffmpeg's samples of a file or of the given bytes, without a header."""
    words = ["ffmpeg", "-nostdin", "-v", "quiet"] if data is None else ["ffmpeg", "-v", "quiet"]
    words += [*more, "-i", thing if data is None else "pipe:0", "-map", "0:a:0", "-c:a", CODECS[bits]]
    words += ["-f", CODECS[bits].removeprefix("pcm_"), "-"]
    done = subprocess.run([str(word) for word in words], input=data, capture_output=True, timeout=120)
    if not done.stdout:
        raise Nothing(f"ffmpeg decodes no sound of {thing}")
    return done.stdout


def numbers(data, bits=16):
    """Samples as numbers."""
    if bits == 24:
        # Widens each sample from three bytes to four.
        wide = bytearray(len(data) // 3 * 4)
        for place in range(3):
            wide[place + 1 :: 4] = data[place::3]
        data, bits = bytes(wide), 32
    found = array({16: "h", 32: "i"}[bits])
    found.frombytes(data[: len(data) // found.itemsize * found.itemsize])
    if sys.byteorder == "big":
        found.byteswap()
    return found


def levels(data, channels, step):
    """The largest magnitude in each group of `step` frames; the samples have 16 bits."""
    found = numbers(data)
    width = step * channels
    return [max(map(abs, found[at : at + width])) for at in range(0, len(found) - width + 1, width)]


def agreement(ours, theirs, channels, skip=0, reach=30000, bits=16):
    """Finds the place of our samples in their samples, and compares the frames from our frame `skip` on.

    It compares the frames until ours or theirs ends. It finds the shift by a few frames after `skip`: 64 frames that
    are equal in both, or else 400 that are almost equal.
    """
    shift = found_shift(ours, theirs, channels, skip, reach, bits)
    width = channels * bits // 8
    first = max(skip, -shift)
    left, right = ours[first * width :], theirs[(first + shift) * width :]
    count = min(len(left), len(right)) // width * width
    left, right = left[:count], right[:count]
    if left == right:
        return Agreement(shift, count // width, 0, None)
    left, right = numbers(left, bits), numbers(right, bits)
    unit = 256 if bits == 24 else 1
    differences = [abs(a - b) for a, b in zip(left, right)]
    largest = max(differences)
    where = next(index for index, difference in enumerate(differences) if difference == largest) // channels
    return Agreement(shift, count // width, largest // unit, first + where)


def found_shift(ours, theirs, channels, skip, reach, bits):
    width = channels * bits // 8
    probe = 64
    for begin in (skip + 100, skip + 2000, skip + 9000):
        needle = ours[begin * width : (begin + probe) * width]
        if len(needle) < probe * width or len(set(needle)) < 20:
            continue
        low = max(0, begin - reach) * width
        at = theirs.find(needle, low, (begin + reach + probe) * width)
        while at >= 0 and (at - low) % width:
            at = theirs.find(needle, at + 1, (begin + reach + probe) * width)
        if at >= 0:
            return at // width - begin
    return nearly_found_shift(numbers(ours, bits), numbers(theirs, bits), channels, skip + 2000, reach)


def nearly_found_shift(ours, theirs, channels, begin, reach, probe=400, tolerance=3):
    """Finds the shift although samples differ by up to `tolerance`, as by rounding; fails if there is none."""
    part = ours[begin * channels : (begin + probe) * channels]
    expect(
        len(part) == probe * channels,
        f"there are only {len(ours) // channels} frames to compare, and the search needs {begin + probe}",
    )
    for at in range(max(0, begin - reach), begin + reach):
        there = theirs[at * channels : (at + probe) * channels]
        if len(there) == len(part) and all(abs(a - b) <= tolerance for a, b in zip(part, there)):
            return at - begin
    raise Failed(f"weir's sound {begin} frames after its start is not in ffmpeg's decoded sound")


def expect_equal(ours, theirs, channels, what, skip=0, tolerance=0, least=0, bits=16, reach=30000):
    """Fails unless the frames agree from `skip` on; returns the agreement."""
    found = agreement(ours, theirs, channels, skip, reach, bits)
    expect(found.frames >= least, f"{what}: only {found.frames} frames could be compared, {least} are needed")
    expect(
        found.largest <= tolerance,
        f"{what} differs from ffmpeg's decoded sound by {found.largest} at frame {found.where} (shift {found.shift})",
    )
    return found


def standing(ours, piece, width, cursor, skip, end, needle):
    """Finds a piece in ours from frame `cursor` on, by its needle: 64 of its frames, from frame `skip` + 100 on.

    Returns the byte offset of the needle in ours, and how many frames to compare.

    A live connection may first repeat sound that the previous connection sent ahead of time. So the first place with
    the needle may not be the piece's place. The function returns the first place where all frames to compare are
    equal. If no place is equal, it returns the first place with the needle. If ours does not contain the needle, the
    offset is -1.
    """
    frames, best, at = len(piece) // width, (-1, 0), cursor * width - 1
    while (at := ours.find(needle, at + 1)) >= 0:
        if at % width:
            continue
        first = at // width - 100
        count = min(frames - skip - end, len(ours) // width - first)
        if best[0] < 0:
            best = (at, count)
        if ours[first * width : (first + count) * width] == piece[skip * width : (skip + count) * width]:
            return at, count
    return best


def places(ours, pieces, channels, skip, end=0):
    """The place of each piece in ours, in order: (our frame, the piece's frame, the number of equal frames).

    The search for each piece begins at the end of the previous one. The first `skip` frames and the last `end` frames
    of each piece may be absent, and ours may end within a piece. Pieces of fewer than `skip` + `end` + 300 frames are
    ignored. If a later piece is missing with fewer than `skip` + 20000 frames of ours left, the search ends without
    it and the pieces after it. Any other difference is a failure.
    """
    width = channels * 2
    found, cursor = [], 0
    for number, piece in enumerate(pieces):
        frames = len(piece) // width
        if frames < skip + end + 300:
            # Too short for a reliable match.
            continue
        needle = piece[(skip + 100) * width : (skip + 164) * width]
        at, count = standing(ours, piece, width, cursor, skip, end, needle)
        if at < 0:
            expect(found, f"the sound of connection {number} is not in the played sound")
            reached = found[-1][0] + found[-1][2]
            expect(
                len(ours) // width - reached < skip + 20000,
                f"the sound of connection {number} is not after frame {reached} of {len(ours) // width}",
            )
            break
        first = at // width - 100
        left, right = ours[first * width : (first + count) * width], piece[skip * width : (skip + count) * width]
        if left != right:
            steps = range(0, len(left), width)
            where = next(at for at in steps if left[at : at + width] != right[at : at + width])
            # Tells whether frames are missing, inserted, or only different.
            later = where + 5000 * width
            there = ours.find(right[later : later + 64 * width])
            moved = f"{there // width - first - later // width} frames off" if there >= 0 else "missing"
            raise Failed(
                f"the sound of connection {number} differs from frame {skip + where // width} of {frames} on;"
                f" the sound 5000 frames later is {moved}"
            )
        found.append((first, skip, count))
        cursor = first + count
    return found
