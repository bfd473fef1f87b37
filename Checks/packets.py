# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Packets of a file as `weir inspect` and as ffprobe see them."""

import json
import subprocess
from collections import namedtuple
from fractions import Fraction

from stage import place

# Start and duration are exact, in seconds; None if ffprobe reports none.
Packet = namedtuple("Packet", "size start duration md5 rate")


def by_weir(path, environment):
    """The output of `weir inspect --packets --json`, as dictionaries."""
    words = [place.weir_program(), "inspect", str(path), "--packets", "--json", "--quiet"]
    done = subprocess.run(words, capture_output=True, env=environment, timeout=120)
    if done.returncode != 0:
        raise RuntimeError(f"weir inspect {path.name} ended with {done.returncode}: {done.stderr.decode()[-300:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def summary_by_weir(path, environment):
    """The output of `weir inspect --json`."""
    words = [place.weir_program(), "inspect", str(path), "--json", "--quiet"]
    done = subprocess.run(words, capture_output=True, env=environment, timeout=120)
    if done.returncode != 0:
        raise RuntimeError(f"weir inspect {path.name} ended with {done.returncode}: {done.stderr.decode()[-300:]}")
    return json.loads(done.stdout)


def by_ffprobe(path):
    """The codec's name, and the packets."""
    words = ["ffprobe", "-v", "error", "-select_streams", "a:0", "-show_packets", "-show_streams"]
    words += ["-show_data_hash", "md5", "-of", "json", str(path)]
    said = json.loads(subprocess.run(words, capture_output=True, check=True, timeout=120).stdout)
    stream = said["streams"][0]
    base = Fraction(stream["time_base"])
    return stream["codec_name"], [
        Packet(
            int(packet["size"]),
            Fraction(packet["pts"]) * base if "pts" in packet else None,
            Fraction(packet["duration"]) * base if "duration" in packet else None,
            packet["data_hash"].split(":")[1].lower(),
            int(stream["sample_rate"]),
        )
        for packet in said["packets"]
    ]


def ours(lines):
    return [
        Packet(
            line["bytes"],
            Fraction(line["time"], line["sampleRate"]),
            Fraction(line["duration"], line["sampleRate"]),
            line["md5"],
            line["sampleRate"],
        )
        for line in lines
    ]


def differences(seen, expected):
    """The differences, as (what, index, sentence). Times may differ by less than a sample: ffprobe rounds."""
    found = []
    if len(seen) != len(expected):
        found.append(("count", min(len(seen), len(expected)), f"{len(seen)} packets, ffprobe has {len(expected)}"))
    for index, (left, right) in enumerate(zip(seen, expected)):
        if (left.size, left.md5) != (right.size, right.md5):
            found.append(("bytes", index, f"packet {index} has {left.size} bytes, ffprobe's {right.size}"))
        for name in ("start", "duration"):
            mine, other = getattr(left, name), getattr(right, name)
            if other is not None and abs(mine - other) * left.rate >= 1:
                samples = f"{float(mine * left.rate)} samples, ffprobe has {float(other * left.rate)}"
                found.append((name, index, f"packet {index}: {name} {samples}"))
    return found
