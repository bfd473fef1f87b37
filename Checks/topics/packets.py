# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Packets of real audio files: equal to ffprobe's, and as long as their sources."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import packets
from board import equal, expect
from stage import sounds
from stage.stage import Stage


def run(board):
    with Stage("packets") as stage:
        made = sounds.made(board.is_long)
        for maker in ("lame", "ffmpeg", "oggenc", "opusenc", "flac"):
            compare(board, stage, f"files made by {maker}", [sound for sound in made if sound.maker == maker])
        names = sounds.SMALL_PACKAGES + (sounds.LARGE_PACKAGES if board.is_long else ())
        for name in names:
            compare(board, stage, f"the files of Debian's {name}", sounds.packages([name]))
        gapless(board, stage, [sound for sound in made if sound.samples is not None])


def compare(board, stage, what, found):
    with board.check(f"{what}: packets, sizes, times and hashes are ffprobe's") as check:
        expect(found, "there are none")
        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda sound: compared(sound, stage.environment), found))
        bad = [f"{path.name}: {sentences[0]}" for path, sentences, _, _ in results if sentences]
        expect(not bad, f"{len(bad)} of {len(found)} differ: {'; '.join(bad[:6])}")
        explained = Counter(reason for _, _, reasons, _ in results for reason in reasons)
        check.figure = f"{len(found)} files, {sum(count for *_, count in results)} packets"
        for reason, count in explained.items():
            check.figure += f"; {count} {reason}"


def compared(sound, environment):
    """The path, the sentences on what differs for no reason, the reasons for the rest, and how many packets there are."""
    try:
        lines = packets.by_weir(sound.path, environment)
        expected = packets.by_ffprobe(sound.path)
    except Exception as failure:  # One file that cannot be read must not hide the others.
        return sound.path, [str(failure)], set(), 0
    left, reasons = [], set()
    for difference in packets.differences(packets.ours(lines), expected):
        reason = explained(sound, lines, expected, *difference[:2])
        if reason:
            reasons.add(reason)
        else:
            left.append(difference[2])
    return sound.path, left, reasons, len(lines)


def explained(sound, lines, expected, what, index):
    """Why a difference is as it should be; None if there is no reason."""
    return None


def gapless(board, stage, found):
    for ending in sorted({sound.path.suffix for sound in found}):
        some = [sound for sound in found if sound.path.suffix == ending]
        with board.check(f"what is heard of *{ending} has exactly the samples of the source") as check:
            with ThreadPoolExecutor(2) as pool:
                heard = list(pool.map(lambda sound: heard_samples(sound, stage.environment), some))
            bad = [
                f"{sound.path.name}: {count} of {sound.samples}"
                for sound, count in zip(some, heard)
                if count != sound.samples
            ]
            equal(bad, [], "what differs")
            check.figure = f"{len(some)} files"


def heard_samples(sound, environment):
    try:
        return packets.summary_by_weir(sound.path, environment)["packets"]["heardSamples"]
    except Exception as failure:  # Told with the file's name.
        return str(failure)
