# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""`weir play` on files: gapless albums, encrypted and remote files, every sink, and every kind of ending."""

import math
import os
import random
import signal
import subprocess
import time

import samples
import sealed as seals
import speech
from check_results import Failed, equal, expect
from listening import Play
from stage import media, origin, place, sounds
from stage.nginx import Nginx
from stage.origin import Origin
from stage.stage import Stage
from stage.weir import cached, command, is_whole

# The cuts of the album, in samples: no frame of any coder ends there.
CUTS = (0, 44100 * 6 + 17, 44100 * 6 + 3018, 44100 * 13 + 999)
SECONDS = 20
FRAME = 4


def run(results):
    with Stage("playing") as stage:
        albums(results, stage)
        kinds(results, stage)
        remote(results, stage)
        encrypted(results, stage)
        sinks(results, stage)
        endings(results, stage)
        bad_words(results, stage)


def play(stage, *words, sink=None, limit=60, status=0, **more):
    """Plays to the end."""
    played = Play(stage, *words, sink=sink, **more)
    equal(played.wait(limit), status, f"the exit status, with {played.explain()},")
    return played


def cut(stage, rate):
    """The tracks of an album as WAVs, and its samples uncut."""
    whole = samples.read_wave(samples.programme(SECONDS, rate))
    bounds = [cut * rate // 44100 for cut in CUTS] + [len(whole.data) // FRAME]
    tracks = []
    for number, (begin, end) in enumerate(zip(bounds, bounds[1:])):
        path = stage.folder / f"track-{rate}-{number}.wav"
        trim = f"atrim=start_sample={begin}:end_sample={end}"
        sounds.run(["ffmpeg", "-v", "error", "-y", "-i", samples.programme(SECONDS, rate), "-af", trim, path])
        tracks.append(path)
    joined = b"".join(samples.read_wave(track).data for track in tracks)
    expect(joined == whole.data, "the album was not cut where it should be")
    return tracks, whole.data


ENCODERS = {
    "flac": (44100, "flac", lambda wav, path: ["flac", "--silent", "-o", path, wav]),
    "lame": (44100, "mp3", lambda wav, path: ["lame", "--quiet", "-b", 128, wav, path]),
    "lame of variable rate": (44100, "v.mp3", lambda wav, path: ["lame", "--quiet", "-V", 3, wav, path]),
    "opusenc": (48000, "opus", lambda wav, path: ["opusenc", "--quiet", "--bitrate", 96, wav, path]),
    "oggenc": (44100, "ogg", lambda wav, path: ["oggenc", "-Q", "-q", 4, "-o", path, wav]),
}


def albums(results, stage):
    """Plays an album of four tracks in one run; the second track is shorter than any buffer."""
    for name, (rate, suffix, words) in ENCODERS.items():
        result = "equal to the uncut source" if name == "flac" else "exactly as long as it, every sample as ffmpeg's"
        with results.check(f"an album cut into tracks by {name} plays gapless: {result}") as check:
            wavs, source = cut(stage, rate)
            tracks = []
            for wav in wavs:
                tracks.append(wav.with_suffix(f".{suffix}"))
                sounds.run(words(wav, tracks[-1]))
            played = play(stage, *tracks)
            wave = played.wave
            equal((wave.rate, wave.channels, wave.bits), (rate, 2, 16), "rate, channels and bits")
            equal(len(wave.data) // FRAME, len(source) // FRAME, "the count of frames")
            if name == "flac":
                expect(wave.data == source, "the samples differ from the source's")
            else:
                compare_tracks(wave.data, wavs, tracks)
                check_likeness(wave.data, source)
            equal([event["index"] for event in played.of("item")], list(range(len(tracks))), "the items that started")
            check.figure = f"{len(tracks)} tracks, {len(source) // FRAME} frames"


def compare_tracks(ours, wavs, tracks):
    """Compares each track from its first sample on; for short tracks, ffmpeg decodes a few extra samples at the end."""
    at = 0
    for wav, track in zip(wavs, tracks):
        size = len(samples.read_wave(wav).data)
        theirs = samples.decoded(track)
        expect(len(theirs) >= size, f"ffmpeg decodes only {len(theirs)} bytes of {track.name}")
        expect_same(ours[at : at + size], theirs[:size], track.name)
        at += size


def expect_same(ours, theirs, name):
    """Expects equality from the first sample to the last, without a shift."""
    equal(len(ours), len(theirs), f"the count of bytes of {name}")
    if ours != theirs:
        left, right = samples.numbers(ours), samples.numbers(theirs)
        differences = [abs(a - b) for a, b in zip(left, right)]
        first = next(at for at, difference in enumerate(differences) if difference)
        raise Failed(f"{name} differs from ffmpeg's decoded sound by {max(differences)}, first at frame {first // 2}")


def check_likeness(ours, source):
    """Expects that decoded sound resembles the source, not only its length: the error is far below the sound."""
    left, right = samples.numbers(ours)[:: 2 * 97], samples.numbers(source)[:: 2 * 97]
    error = sum((a - b) ** 2 for a, b in zip(left, right)) or 1
    ratio = 10 * math.log10(sum(b * b for b in right) / error)
    expect(ratio > 6, f"the sound is {ratio:.1f} dB above its difference from the source")


def kinds(results, stage):
    """Plays every kind of file, and compares every sample."""
    deep = samples.programme(8, 48000, 2, 24)
    with results.check("FLAC and WAV of 24 bits play with all bits") as check:
        flac = stage.folder / "deep.flac"
        sounds.run(["flac", "--silent", "-o", flac, deep])
        source = samples.read_wave(deep)
        expect(any(source.data[::3]), "the source's lowest bits are empty")
        for path in (flac, deep):
            wave = play(stage, path).wave
            equal((wave.rate, wave.channels, wave.bits), (48000, 2, 24), f"rate, channels and bits of {path.name}")
            expect(wave.data == source.data, f"the samples of {path.name} differ")
        check.figure = f"{len(source.data) // 6} frames each"
    folder = media.folder()
    for name in sorted(set(media.MEDIA) - {"film.mp4"}):
        with results.check(f"{name} plays as ffmpeg decodes it, from the first sample to the last") as check:
            wave = play(stage, folder / name).wave
            frames = len(wave.data) // FRAME
            # Each file lasts 40 s; ffmpeg also decodes the samples that an M4A's edit list omits at the end.
            equal(frames, 40 * wave.rate, "the count of frames")
            expect_same(wave.data, samples.decoded(folder / name)[: len(wave.data)], name)
            check.figure = f"{frames} frames"
    with results.check("a chained Ogg whose rate changes plays at one rate, without a gap") as check:
        links, seconds = [], 0.0
        for number, rate in enumerate((22050, 44100, 22050)):
            path = stage.folder / f"chain-{number}.ogg"
            sounds.run(["oggenc", "-Q", "--resample", rate, "--serial", 50 + number, "-o", path, samples.programme(5)])
            links.append(path.read_bytes())
            seconds += len(samples.decoded(path)) / FRAME / rate
        chain = stage.folder / "chain.ogg"
        chain.write_bytes(b"".join(links))
        wave = play(stage, chain).wave
        frames = len(wave.data) // FRAME
        expect(abs(frames - seconds * wave.rate) <= 64, f"{frames} frames at {wave.rate} Hz for {seconds:.4f} s")
        quiet = [at for at, level in enumerate(samples.levels(wave.data, 2, wave.rate // 20)) if level < 300]
        equal(quiet, [], "the twentieths of a second that are silent")
        check.figure = f"{len(links)} links, {frames} frames at {wave.rate} Hz"


def remote(results, stage):
    folder = stage.new_folder("files")
    song = folder / "song.flac"
    sounds.run(["flac", "--silent", "-o", song, samples.programme(SECONDS)])
    source = samples.read_wave(samples.programme(SECONDS)).data
    nginx = Nginx(stage, folder, rate="500k")
    cache = stage.new_folder("cache")
    with results.check("a file at an origin plays while it is fetched, and is then complete in the cache") as check:
        played = play(stage, nginx.base + "song.flac", cache=cache)
        expect(played.wave.data == source, "the samples differ")
        expect(is_whole(cached(stage, cache).get("song.flac")), f"only {cached(stage, cache)} is cached")
        requests = nginx.settled().requests()
        sent = sum(request.body_bytes for request in requests)
        expect(sent < song.stat().st_size * 1.1, f"{sent} bytes were fetched of {song.stat().st_size}")
        check.figure = f"{len(requests)} requests, {sent} of {song.stat().st_size} bytes"
    with results.check("it plays again without the origin"):
        nginx.stop()
        expect(play(stage, nginx.base + "song.flac", cache=cache).wave.data == source, "the samples differ")
    with results.check("a body that is cut every 100 KiB causes no gap"):
        data = song.read_bytes()
        server = Origin(stage, {"/song.flac": origin.cut(data, 100 << 10, times=3)})
        expect(play(stage, server.base + "song.flac").wave.data == source, "the samples differ")
        expect(len(server.asked_for("/song.flac")) > 3, "it was never cut off")


def encrypted(results, stage):
    folder = stage.folder
    song = folder / "secret.flac"
    sounds.run(["flac", "--silent", "-o", song, samples.programme(SECONDS)])
    source = samples.read_wave(samples.programme(SECONDS)).data
    every = [
        seals.by_openssl(stage, "play-ctr", "ctr", 256, song),
        seals.by_openssl(stage, "play-cbc", "cbc", 128, song, is_prefixed=True),
        seals.by_age(stage, "play-age", song),
    ]
    server = Origin(stage, {f"/{each.name}/song.bin": origin.content(each.data) for each in every})
    for each in every:
        with results.check(f"{each.scheme}: an encrypted file plays to the last sample, and no decrypted byte is cached") as check:
            played = play(stage, f"{server.base}{each.name}/song.bin", *each.words(folder))
            expect(played.wave.data == source, "the samples differ")
            held = seals.held(played.cache)
            pieces = seals.pieces(song.read_bytes())
            equal(sum(piece in held for piece in pieces), 0, "the count of plain pieces in the cache")
            stored = sum(piece in held for piece in seals.pieces(each.data))
            expect(stored > 10, "the cache does not hold the stored file")
            check.figure = f"{len(pieces)} decrypted pieces searched, {stored} encrypted ones found"
    with results.check("a wrong key ends with 6 and a message") as check:
        wrong = every[0].words(folder, os.urandom(32).hex().encode())
        done = command(stage, "play", f"{server.base}{every[0].name}/song.bin", *wrong, "--sink", "null",
                       "--quiet", "--cache", stage.new_folder("cache"))
        check.figure = expect_failure(done, 6)


def expect_failure(done, status):
    """Expects a status and one message; returns the message."""
    said = done.stderr.decode(errors="replace")
    equal(done.returncode, status, f"the exit status, with {said.strip()[:300]!r},")
    return speech.sentence(said, status)


def sinks(results, stage):
    song = media.folder() / "song.flac"
    source = samples.decoded(song)
    words = ("play", song, "--cache", stage.new_folder("cache"))
    with results.check("--sink - writes the samples to standard output, and nothing else") as check:
        done = command(stage, *words, "--sink", "-")
        equal(done.returncode, 0, f"the exit status, with {done.stderr.decode()[-300:]!r},")
        expect(done.stdout == source, f"{len(done.stdout)} bytes arrived for {len(source)}, or other bytes")
        check.figure = f"{len(done.stdout)} bytes"
    with results.check("--sink - into ffmpeg, through a pipe") as check:
        script = '"$0" "$@" --sink - | ffmpeg -v error -f s16le -ar 44100 -ac 2 -i - -f md5 -'
        done = subprocess.run(["bash", "-o", "pipefail", "-c", script, place.weir_program(), *words],
                              capture_output=True, env=stage.environment, timeout=60)
        expected = subprocess.run(["ffmpeg", "-v", "error", "-i", song, "-f", "md5", "-"], capture_output=True).stdout
        equal((done.returncode, done.stdout), (0, expected), f"exit status and digest, with {done.stderr.decode()!r},")
        check.figure = done.stdout.decode().strip()
    with results.check("--sink - ends with a message when the reader closes the pipe") as check:
        done = subprocess.run(["bash", "-c", '"$0" "$@" --sink - | head -c 100000 >/dev/null; exit ${PIPESTATUS[0]}',
                               place.weir_program(), *words], capture_output=True, env=stage.environment, timeout=30)
        expect(done.returncode in (0, 1), f"the exit status is {done.returncode}: {done.stderr.decode()[-300:]!r}")
        check.figure = f"exit status {done.returncode}"
    with results.check("--sink null takes as long as the sound") as check:
        wav = stage.folder / "five.wav"
        sounds.run(["ffmpeg", "-v", "error", "-y", "-i", samples.programme(5), "-t", 4, wav])
        start = time.monotonic()
        play(stage, wav, sink="null")
        seconds = time.monotonic() - start
        expect(3.8 <= seconds < 6.5, f"4 s of sound took {seconds:.2f} s")
        check.figure = f"{seconds:.2f} s for 4 s"
    with results.check("--length ends the play after that time, exact to the sample") as check:
        played = play(stage, song, "--length", "3s")
        wave = played.wave
        equal(len(wave.data) // FRAME, 3 * 44100, "the count of frames")
        expect(wave.data == source[: len(wave.data)], "the samples differ")
        check.figure = f"{len(wave.data) // FRAME} frames"
    with results.check("a WAV in a missing folder ends with a message") as check:
        done = command(stage, *words, "--sink", f"wav:{stage.folder}/none/song.wav", "--quiet")
        expect(done.returncode in (1, 2, 5), f"the exit status is {done.returncode}")
        check.figure = f"{done.returncode}: {speech.sentence(done.stderr.decode(), done.returncode)}"


def endings(results, stage):
    """Interrupts plays in the middle; the line to the origin is slow, so that a play lasts long enough."""
    folder = stage.new_folder("files")
    sounds.run(["flac", "--silent", "-o", folder / "song.flac", samples.programme(SECONDS)])
    source = samples.read_wave(samples.programme(SECONDS)).data
    nginx = Nginx(stage, folder, rate="200k")
    for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -signal.SIGKILL)):
        name = signal.Signals(number).name
        with results.check(f"{name} during a play: the status is {status}, and the WAV is valid") as check:
            played = Play(stage, nginx.base + "song.flac")
            played.until(lambda: played.seconds > 2.0, 30, "two seconds of sound")
            begin = time.monotonic()
            equal(played.stop(number), status, f"the exit status, with {played.explain()},")
            seconds = time.monotonic() - begin
            expect(seconds < 2, f"it took {seconds:.1f} s to end")
            size, wave = played.file.stat().st_size, played.wave
            told = wave.declared
            expect(2 * 44100 * FRAME <= told <= size, f"the header has {told} bytes, the file has {size}")
            expect(size - told <= 2 * 44100 * FRAME, f"the header is {size - told} bytes behind")
            if number != signal.SIGKILL:
                equal(told, len(wave.data), "the header's length")
            expect(source.startswith(wave.data), "the samples differ")
            equal(samples.decoded(played.file)[: len(wave.data)], wave.data, "ffmpeg's reading of it")
            if number == signal.SIGINT:
                states = played.states
                equal(states[-1], "stopped/signal", f"the last of the states {states}")
            check.figure = f"{told / 44100 / FRAME:.2f} s in it, ended in {seconds * 1000:.0f} ms"


def bad_words(results, stage):
    noise = random.Random(5).randbytes(200_000)
    page = (stage.folder / "page.html")
    page.write_text("<!DOCTYPE html><html><body>Please log in.</body></html>")
    server = Origin(stage, {
        "/gone.mp3": origin.status(404), "/page.mp3": origin.page(), "/noise.mp3": origin.content(noise),
        "/forbidden.mp3": origin.status(403), "/broken.mp3": origin.status(503),
    })
    song = media.folder() / "song.mp3"
    cases = {
        "no file or URL": ([], 2),
        "an invalid sink": ([song, "--sink", "loud"], 2),
        "an invalid length": ([song, "--length", "soon"], 2),
        "an unknown option": ([song, "--louder"], 2),
        "a missing file": ([stage.folder / "none.mp3"], 3),
        "a closed port": ([f"http://127.0.0.1:{origin.closed_port(stage)}/song.mp3"], 4),
        "404": ([server.base + "gone.mp3"], 3),
        "403": ([server.base + "forbidden.mp3"], 3),
        "503": ([server.base + "broken.mp3"], 4),
        "an HTML page for media": ([server.base + "page.mp3"], 6),
        "noise for media": ([server.base + "noise.mp3"], 6),
        "a local page": ([page], 6),
    }
    for name, (words, status) in cases.items():
        with results.check(f"{name}: {status} and a message") as check:
            sink = [] if "--sink" in words else ["--sink", "null"]
            done = command(stage, "play", *words, *sink, "--quiet", "--cache", stage.new_folder("cache"), timeout=40)
            check.figure = expect_failure(done, status)
    with results.check("a file without audio is reported, the next one plays, and the status shows the failure") as check:
        damaged, file = stage.folder / "noise.mp3", stage.folder / "after.wav"
        damaged.write_bytes(noise)
        words = (damaged, song, "--sink", f"wav:{file}", "--quiet", "--cache", stage.new_folder("cache"))
        done = command(stage, "play", *words)
        expect(samples.read_wave(file).data == samples.decoded(song), "the second file differs")
        check.figure = expect_failure(done, 6)
    with results.check("an unusable URL is reported before playback starts") as check:
        file = stage.folder / "before.wav"
        words = (song, server.base + "gone.mp3", "--sink", f"wav:{file}", "--quiet")
        done = command(stage, "play", *words, "--cache", stage.new_folder("cache"))
        check.figure = expect_failure(done, 3)
        expect(not file.exists(), "a file was played")
    with results.check("help describes sinks, lengths and keys, and ends with two examples"):
        text = command(stage, "play", "--help").stdout.decode()
        for word in ("--sink", "alsa", "null", "wav:", "--length", "--record", "--decrypt", "space", "EXAMPLES"):
            expect(word in text, f"{word} is not in weir play --help")
        expect(text.partition("EXAMPLES")[2].count("weir play") >= 2, "the help has fewer than two examples")
