# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Streams cut into packets, from memory on one thread, beside ffmpeg that copies the same file without output."""

import json
import os
import subprocess
import time

from results import FEWEST_ROUNDS
from stage import media, place, sounds
from stage.stage import Stage

TRIAL = place.BUILD / "release" / "AudioTrial"
# The size of the files.
SIZE = 256 << 20

FFMPEG = "ffmpeg -c copy"

COUNTER = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_long count;

void *malloc(size_t size) {
    static void *(*next)(size_t);
    if (!next) next = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    atomic_fetch_add(&count, 1);
    return next(size);
}

__attribute__((destructor)) static void tell(void) { fprintf(stderr, "allocations %ld\\n", atomic_load(&count)); }
"""


def speed(results):
    """The rates of Weir and of ffmpeg for a large file of each format, and the allocations of Weir's trial program."""
    results.uses("ffmpeg")
    with Stage("bench") as stage:
        counter = counting_library(stage)
        for name, words in sources().items():
            short, path = large(stage, name, words)
            size = path.stat().st_size
            measure = f"{name}, cut into packets from memory"
            # Without a warm-up: the new file is in memory, and the ratio is far from 1.
            for number, subject in results.turns((FFMPEG, "weir"), FEWEST_ROUNDS, warm_up=0):
                value = rate_of_trial(path) if subject == "weir" else rate_of_ffmpeg(path, size)
                results.sample(measure, subject, number, value, "MB/s")
            results.compare(measure, FFMPEG)
            few, many = (allocations(counter, file) for file in (short, path))
            results.row(
                f"{name}, allocations of the process for {few[0]:,} and for {many[0]:,} packets",
                "", f"{few[1]:,} and {many[1]:,}", "",
            )
            path.unlink()


def sources():
    """For each title, the file that `large` repeats: its name, its encoder's options, and its muxer."""
    return {
        "MP3 of 128 kbit/s": ("song.mp3", ["-c:a", "libmp3lame", "-b:a", "128k"], "mp3"),
        "ADTS of 128 kbit/s": ("song.aac", ["-c:a", "aac", "-b:a", "128k"], "adts"),
        "Ogg Vorbis": ("song.ogg", ["-c:a", "libvorbis", "-q:a", "4"], "ogg"),
        "Ogg Opus of 96 kbit/s": ("song.opus", ["-c:a", "libopus", "-b:a", "96k"], "opus"),
        "FLAC": ("song.flac", ["-c:a", "flac"], "flac"),
        "WAV": ("song.wav", ["-c:a", "pcm_s16le"], "wav"),
        "M4A": ("song.m4a", ["-c:a", "aac", "-b:a", "128k", "-movflags", "+faststart"], "ipod"),
    }


def large(stage, name, made):
    """A file of some seconds, and the same music repeated as one stream."""
    file, words, muxer = made
    short, path = stage.folder / file, stage.folder / f"large-{file}"
    sounds.run(["ffmpeg", "-v", "error", "-y", "-i", media.folder() / "song.wav", "-map_metadata", -1, *words, short])
    times = SIZE // short.stat().st_size
    faststart = ["-movflags", "+faststart"] if muxer == "ipod" else []
    command = ["ffmpeg", "-v", "error", "-y", "-stream_loop", times, "-i", short, "-c", "copy", *faststart, "-f", muxer, path]
    sounds.run(command)
    return short, path


def rate_of_ffmpeg(path, size):
    start = time.monotonic()
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-i", path, "-c", "copy", "-f", "null", "-"], check=True)
    return size / (time.monotonic() - start) / 1e6


def rate_of_trial(path):
    said = subprocess.run([TRIAL, "speed", "1", path], capture_output=True, check=True, timeout=120).stdout
    return json.loads(said)["megabytesPerSecond"]


def counting_library(stage):
    source = stage.folder / "allocations.c"
    source.write_text(COUNTER)
    library = stage.folder / "allocations.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return library


def allocations(library, path):
    """How many packets a file has, and how many allocations a process makes that cuts the file once."""
    environment = dict(os.environ, LD_PRELOAD=str(library))
    done = subprocess.run([TRIAL, "once", path], capture_output=True, check=True, env=environment, timeout=120)
    return json.loads(done.stdout)["packets"], int(done.stderr.decode().split("allocations ")[1].split()[0])
