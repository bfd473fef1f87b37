# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""`weir play` beside mpv: the wait for the first sound, and the cost of playing."""

import os
import select
import subprocess
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "Checks"))

import samples  # noqa: E402
from results import FEWEST_ROUNDS, SOME_ROUNDS  # noqa: E402
from servers.icecast import FFmpegSource, Icecast  # noqa: E402
from servers.relay import Relay  # noqa: E402
from stage import place, sounds, waiting  # noqa: E402
from stage.nginx import Nginx  # noqa: E402
from stage.program import Program, end_with_parent  # noqa: E402
from stage.stage import Stage  # noqa: E402

# How long a station is on air before a client listens, so that its burst is full.
AHEAD = 6
UNMAPPED = "of it without pages mapped from programs on the disk"
MPV = ["mpv", "--no-config", "--no-video", "--msg-level=all=error"]


def first_sound(results):
    """From the start of the process to the first decoded sample in a pipe, on a line of twice the bit rate."""
    with Stage("bench") as stage:
        wav = samples.programme(60)
        icecast = Icecast(stage)
        bare = ["-write_xing", 0, "-id3v2_version", 0]
        FFmpegSource(icecast, "/live.mp3", wav, ["-c:a", "libmp3lame", "-b:a", "128k", *bare], "mp3", "audio/mpeg")
        FFmpegSource(icecast, "/live.aac", wav, ["-c:a", "aac", "-b:a", "128k"], "adts", "audio/aac")
        opus = ["-c:a", "libopus", "-b:a", "96k", "-page_duration", 200_000]
        FFmpegSource(icecast, "/live.opus", wav, opus, "ogg", "application/ogg")
        start = time.monotonic()
        for mount in ("/live.mp3", "/live.aac", "/live.opus"):
            icecast.wait_for(mount)
        folder = stage.new_folder("files")
        sounds.run(["lame", "--quiet", "-b", 128, wav, folder / "song.mp3"])
        sounds.run(["flac", "--silent", "-o", folder / "song.flac", wav])
        nginx = Nginx(stage, folder)
        flac_rate = (folder / "song.flac").stat().st_size / 60
        cases = [
            ("station, MP3 of 128 kbit/s", icecast.port, "/live.mp3", 2 * 16000),
            ("station, AAC of 128 kbit/s", icecast.port, "/live.aac", 2 * 16000),
            ("station, Opus of 96 kbit/s", icecast.port, "/live.opus", 2 * 12000),
            ("file, MP3 of 128 kbit/s", nginx.port, "/song.mp3", 2 * 16000),
            ("file, FLAC", nginx.port, "/song.flac", 2 * flac_rate),
        ]
        waiting.until(lambda: time.monotonic() > start + AHEAD, AHEAD + 1, "a full burst", pause=0.1)
        for name, port, path, rate in cases:
            measure = f"first sound, {name}, on a line of twice that"
            url = Relay(stage, port, rate).base + path
            players = {"mpv": mpv_into_pipe, "weir": weir_into_pipe}
            for number, subject in results.turns(players, SOME_ROUNDS):
                value = first_byte(stage, players[subject], url) * 1000
                results.sample(measure, subject, number, value, "ms")
            results.compare(measure, "mpv")


def mpv_into_pipe(_, url, pipe):
    return [*MPV, "--ao=pcm", f"--ao-pcm-file=/dev/fd/{pipe}", "--ao-pcm-waveheader=no", "--", url], None


def weir_into_pipe(stage, url, pipe):
    cache = stage.new_folder("cache")
    return [place.weir_program(), "play", url, "--sink", "-", "--cache", cache, "--quiet"], pipe


def first_byte(stage, words, url):
    """Seconds until a sample is in the pipe."""
    read, write = os.pipe()
    command, output = words(stage, url, write)
    try:
        with open(stage.folder / f"{stage.name('player')}.err", "wb") as error:
            start = time.monotonic()
            process = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=output if output is not None else subprocess.DEVNULL,
                stderr=error,
                env=stage.environment,
                pass_fds=(write,),
                preexec_fn=end_with_parent,
            )
        os.close(write)
        write = None
        try:
            if not select.select([read], [], [], 30)[0] or not os.read(read, 1):
                raise RuntimeError(f"{command[0]} played nothing: {Path(error.name).read_text()[-300:]}")
            return time.monotonic() - start
        finally:
            process.kill()
            process.wait()
    finally:
        os.close(read)
        if write is not None:
            os.close(write)


def cost(results):
    """Processor time and memory for some seconds of MP3 in real time with a null sink, in parallel."""
    seconds = 8 if results.is_quick else 15
    with Stage("bench") as stage:
        song = stage.folder / "song.mp3"
        sounds.run(["lame", "--quiet", "-b", 128, samples.programme(60), song])
        measure = f"playing {seconds} s of MP3 at null"
        # Both players run at the same time; only the order of their starts is random.
        for number in range(results.rounds(FEWEST_ROUNDS)):
            cache = stage.new_folder("cache")
            commands = {
                "mpv": [*MPV, "--ao=null", f"--length={seconds}", "--", song],
                "weir": [place.weir_program(), "play", song, "--sink", "null", "--length", f"{seconds}s",
                         "--cache", cache, "--quiet"],
            }
            names = results.drawn(commands)
            players = {
                name: stage.put(Program(commands[name], stage.folder, stage.name(name), stage.environment))
                for name in names
            }
            start = time.monotonic()
            waiting.until(lambda: time.monotonic() > start + seconds - 1, seconds, "the end of the song", pause=0.1)
            for name, player in players.items():
                value = player.memory("VmHWM") / (1 << 20)
                results.sample(f"{measure}: peak of memory", name, number, value, "MiB")
                # Without pages mapped from programs and libraries on the disk.
                value = player.memory("RssAnon") / (1 << 20)
                results.sample(f"{measure}: {UNMAPPED}", name, number, value, "MiB")
            for name, player in players.items():
                status = player.wait(15)
                if status != 0:
                    raise RuntimeError(f"{name} ended with {status}: {player.error[-300:]}")
                value = player.processor_seconds() * 1000
                results.sample(f"{measure}: processor time", name, number, value, "ms")
        results.compare(f"{measure}: processor time", "mpv")
        results.compare(f"{measure}: peak of memory", "mpv", digits=1)
        results.compare(f"{measure}: {UNMAPPED}", "mpv", digits=1, title=UNMAPPED)


def playing(results):
    results.uses("mpv")
    first_sound(results)
    cost(results)
