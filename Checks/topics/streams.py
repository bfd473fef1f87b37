# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The audio parsers on real files: cut, joined, corrupted and searched in thousands of ways."""

import json
import os
import subprocess

from check_results import equal, expect
from stage import place, sounds
from stage.stage import Stage

# A file of each format and container.
FILES = (
    "lame-44100-j-id3.mp3", "lame-44100-j-vbr2.mp3", "lame-22050-j-vbr4.mp3", "lame-44100-j-untagged-vbr.mp3",
    "layer2-44100-2.mp2", "adts-44100-2.aac", "oggenc-44100-2-q3.ogg", "opusenc-48000-2-20-64.opus", "lavc.oga",
    "flac-44100-2-16-5.flac", "flac-bare.flac", "pcm_s16le-2.wav", "aac-fast.m4a", "aac-44100-2.m4a",
    "aac-fragmented.m4a", "alac-44100.m4a",
)
# In these formats an index gives the places of packets, so bytes inserted between packets also count as packets.
UNTOLD = (".wav", ".m4a")


def run(results):
    with Stage("streams") as stage:
        folder = sounds.made(False)[0].path.parent
        paths = [folder / name for name in FILES]
        splits, joins, runs, seeks = (65536, 1000, 10000, 10000) if results.is_long else (4096, 1000, 1000, 2000)
        with results.check("the result does not depend on how a stream is split") as check:
            lines = trial("chunks", splits, paths)
            check.figure = f"{len(lines)} files; whole, byte by byte, at every split of {splits} bytes, in random pieces"
        with results.check("a stream joined anywhere continues as the whole stream does") as check:
            lines = trial("joins", joins, paths)
            lost = max(line["mostPacketsLost"] for line in lines)
            check.figure = f"{len(lines)} files, {joins} joins each, at most {lost} packets before certainty"
        with results.check("no bytes between packets are mistaken for a packet") as check:
            lines = trial("garbage", runs, [path for path in paths if path.suffix not in UNTOLD])
            check.figure = f"{len(lines)} files, {runs} runs each"
        with results.check("seeks take few requests and find their packet") as check:
            lines = trial("seeks", seeks, paths + long_files(stage, folder))
            check.figure = "; ".join(
                f"{line['file']} {line['precision']}, at most {line['mostRequests']}" for line in lines
            )
            for line in lines:
                # This counts only the requests of the search. A play then needs one more request, for the found point.
                most = 20 if line["file"].endswith((".ogg", ".opus", ".oga", ".flac")) else 1
                expect(line["mostRequests"] <= most, f"{line['file']} took {line['mostRequests']} requests")


def long_files(stage, folder):
    """Files of several minutes without a seek table, made by repeating a source."""
    many = stage.folder / "list.txt"
    many.write_text(f"file '{sounds.source(48000, 2)}'\n" * 120)
    made = []
    for name, words in {
        "long.ogg": ["-c:a", "libvorbis"], "long.opus": ["-c:a", "libopus"], "long.flac": ["-c:a", "flac"],
        "long.mp3": ["-c:a", "libmp3lame", "-q:a", "4"],
    }.items():
        path = stage.folder / name
        sounds.run(["ffmpeg", "-v", "error", "-y", "-f", "concat", "-safe", 0, "-i", many, *words, path])
        made.append(path)
    return made


def trial(kind, number, paths):
    program = os.environ.get("WEIR_AUDIO_TRIAL") or place.BUILD / "release" / "AudioTrial"
    expect(paths, "there are no files")
    done = subprocess.run([program, kind, str(number), *paths], capture_output=True, timeout=1500)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    bad = [f"{line['file']}: {line['failure']}" for line in lines if "failure" in line]
    equal(bad, [], "the faults")
    equal((done.returncode, len(lines)), (0, len(paths)), f"exit status and lines, with {done.stderr.decode()[-300:]!r},")
    return lines
