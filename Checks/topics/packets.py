# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Packets of real audio files: they equal ffprobe's, and are as long as their sources."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import packets
from check_results import equal, expect
from stage import sounds
from stage.stage import Stage


def run(results):
    with Stage("packets") as stage:
        # The short form takes every second file: the parsers' own tests cover the other shapes.
        made = sounds.made(results.is_long)[:: 1 if results.is_long else 2]
        for maker in ("lame", "ffmpeg", "oggenc", "opusenc", "flac"):
            compare(results, stage, f"files made by {maker}", [sound for sound in made if sound.maker == maker])
        names = sounds.SMALL_PACKAGES + (sounds.LARGE_PACKAGES if results.is_long else ())
        for name in names:
            compare(results, stage, f"the files of Debian's {name}", sounds.packages([name]))
        gapless(results, stage, [sound for sound in made if sound.samples is not None])


def compare(results, stage, what, found):
    with results.check(f"{what}: packets, sizes, times and hashes are ffprobe's") as check:
        expect(found, "there are no files")
        with ThreadPoolExecutor(2) as pool:
            outcomes = list(pool.map(lambda sound: compared(sound, stage.environment), found))
        bad = [f"{path.name}: {sentences[0]}" for path, sentences, _, _ in outcomes if sentences]
        expect(not bad, f"{len(bad)} of {len(found)} differ: {'; '.join(bad[:6])}")
        explained = Counter(reason for _, _, reasons, _ in outcomes for reason in reasons)
        check.figure = f"{len(found)} files, {sum(count for *_, count in outcomes)} packets"
        for reason, count in explained.items():
            check.figure += f"; {count} {reason}"


def compared(sound, environment):
    """The path, the differences without a reason, the reasons of the other differences, and the number of packets."""
    try:
        lines = packets.by_weir(sound.path, environment)
        seen = packets.ours(lines)
        codec, expected = packets.by_ffprobe(sound.path)
    except Exception as failure:  # One file that cannot be read must not hide the others.
        return sound.path, [str(failure)], set(), 0
    left, reasons = [], set()
    if "free" in sound.path.name:
        # Documentation/Audio.md lists the reasons.
        return sound.path, [], {"in free format, which ffprobe cannot frame"}, len(lines)
    for difference in packets.differences(seen, expected):
        reason = explained(sound.path, codec, seen, expected, *difference[:2])
        if reason:
            reasons.add(reason)
        else:
            left.append(difference[2])
    return sound.path, left, reasons, len(lines)


def explained(path, codec, seen, expected, what, index):
    """The reason for an expected difference, or None. Documentation/Audio.md describes the reasons."""
    if what not in ("start", "duration"):
        return None
    mine, other = seen[index], expected[index]
    if codec == "vorbis":
        if audio_pages(path) == 1:
            return "on one page, where ffprobe puts the first packet at 0"
        ends = mine.start + mine.duration, other.start + (other.duration or 0)
        if abs(ends[0] - ends[1]) * mine.rate < 1:
            return "with short blocks behind long ones, which ffprobe starts late and ends alike"
    if path.suffix in (".m4a", ".mp4", ".mov") and what == "duration" and index == len(seen) - 1:
        if abs(mine.duration - other.duration) <= Fraction(1, 1000):
            return "whose last packet ffprobe cuts to the milliseconds of the edit list"
        if b"moof" in path.read_bytes():
            return "in fragments; for the last packet ffprobe gives the decoded length"
    return None


def audio_pages(path):
    """How many pages of an Ogg file end packets of audio: the pages with a granule position above 0."""
    count, data, position = 0, path.read_bytes(), 0
    while data[position : position + 4] == b"OggS":
        granule = int.from_bytes(data[position + 6 : position + 14], "little", signed=True)
        segments = data[position + 26]
        count += granule > 0
        position += 27 + segments + sum(data[position + 27 : position + 27 + segments])
    return count


def gapless(results, stage, found):
    for ending in sorted({sound.path.suffix for sound in found}):
        some = [sound for sound in found if sound.path.suffix == ending and is_told(sound)]
        with results.check(f"*{ending} plays exactly the samples of the source") as check:
            with ThreadPoolExecutor(2) as pool:
                heard = list(pool.map(lambda sound: heard_samples(sound, stage.environment), some))
            bad = [
                f"{sound.path.name}: {count} of {sound.samples}"
                for sound, count in zip(some, heard)
                if count != sound.samples
            ]
            equal(bad, [], "the differences")
            check.figure = f"{len(some)} files"


def is_told(sound):
    """Whether an MP3 has a tag that tells how much to trim; at LAME's lowest rates, frames have no room for the tag."""
    head = sound.path.read_bytes()[:4096]
    return sound.path.suffix != ".mp3" or b"Xing" in head or b"Info" in head


def heard_samples(sound, environment):
    try:
        return packets.summary_by_weir(sound.path, environment)["packets"]["heardSamples"]
    except Exception as failure:  # Reported with the file's name.
        return str(failure)
