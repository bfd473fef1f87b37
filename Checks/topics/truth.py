# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Where `weir play` lands: the audible second, the reported position, and the seconds where ffmpeg and mpv land."""

import random
import re
import shlex
import shutil
import subprocess
from collections import namedtuple

import samples
from check_results import equal, expect
from listening import Play
from stage import once, place, sounds
from stage.origin import Origin, slow_line
from stage.stage import Stage
from terminal import Terminal
from topics.terminal import elapsed

SECONDS = 75
RATE = 44100
# The programme's tone starts at BASE hertz and rises by SLOPE hertz a second, so the frequency tells the second.
BASE, SLOPE = 300, 20
# How far behind the landing a check measures the frequency, and over which span.
BEHIND, SPAN = 0.1, 0.2
# The tolerance: the longest frame at the programme's sample rate, and the precision of the measurement.
PACKET = 1152 / RATE + 0.01
# How far the position at a stop may be from the written samples: a packet of FLAC, and a tick.
STOPPED = 0.2
# The error that a seek in a remote file may have if the position reports it as imprecise.
NEAR = 4.0

# How a file is made from the programme, and whether its first 4 s are silent.
Recipe = namedtuple("Recipe", "name words silent")

RECIPES = [
    Recipe("cbr.mp3", "-b:a 128k", False),
    Recipe("cbr-untagged.mp3", "-b:a 128k -write_xing 0", False),
    Recipe("vbr.mp3", "-q:a 4", False),
    Recipe("vbr-untagged.mp3", "-q:a 4 -write_xing 0", False),
    Recipe("silent-vbr-untagged.mp3", "-q:a 4 -write_xing 0", True),
    Recipe("layer2.mp2", "-b:a 128k", False),
    Recipe("adts.aac", "-b:a 128k", False),
    Recipe("silent.aac", "-b:a 128k", True),
    Recipe("vorbis.ogg", "-c:a libvorbis -q:a 4", False),
    Recipe("opus.opus", "-c:a libopus -b:a 96k", False),
    Recipe("flac.ogg", "-c:a flac", False),
    Recipe("untabled.flac", "-c:a flac", False),
    Recipe("pcm.wav", "-c:a pcm_s16le", False),
    Recipe("behind.m4a", "-b:a 128k", False),
    Recipe("front.m4a", "-b:a 128k -movflags faststart", False),
    Recipe("fragments.mp4", "-b:a 128k -movflags frag_keyframe+empty_moov -frag_duration 2000000", False),
    Recipe("unindexed.mp4", "-b:a 128k -movflags frag_keyframe+empty_moov+skip_trailer -frag_duration 2000000", False),
]
# Files made from others: with bytes in the middle or in front that are not audio, with missing bytes, or with wrong
# bytes.
DERIVED = ("junk.mp3", "junk.aac", "picture.mp3", "edited.m4a", "short.mp3", "short.aac", "short.ogg",
           "damaged.mp3", "damaged.aac", "damaged.flac", "damaged.ogg")
# Formats in which a remote reader cannot know the time of a byte offset.
UNCERTAIN = ("cbr-untagged.mp3", "vbr.mp3", "vbr-untagged.mp3", "silent-vbr-untagged.mp3", "layer2.mp2", "adts.aac",
             "silent.aac")
CERTAIN = ("cbr.mp3", "opus.opus", "untabled.flac", "pcm.wav", "front.m4a")

# How a file with several loudspeakers is made: ffmpeg's layout name, the number of channels, and the coding.
LAYOUTS = {
    "low.wav": ("2.1", 3, "-c:a pcm_s16le"),
    "low.flac": ("2.1", 3, "-c:a flac -sample_fmt s16"),
    "behind.aac": ("4.0", 4, "-c:a aac -b:a 500k"),
    "behind.m4a": ("4.0", 4, "-c:a alac -sample_fmt s16p"),
    "sides.wav": ("5.1(side)", 6, "-c:a pcm_s16le"),
    "surround.aac": ("5.1", 6, "-c:a aac -b:a 600k"),
    "surround.ogg": ("5.1", 6, "-c:a libvorbis -q:a 8"),
    "seven.opus": ("6.1", 7, "-c:a libopus -b:a 600k"),
    "eight.flac": ("7.1", 8, "-c:a flac -sample_fmt s16"),
}


def run(results):
    with Stage("truth") as stage:
        folder = files()
        starts = places(results)
        for path in sorted(folder.iterdir()):
            held(results, stage, path, starts)
        for name in UNCERTAIN + CERTAIN:
            remote(results, stage, folder / name, starts if results.is_long else starts[-1:])
        cached(results, stage, folder / "silent.aac")
        by_keys(results, stage, folder / "silent.aac")
        unknown(results, stage, folder / "cbr-untagged.mp3")
        ends(results, stage, folder)
        for name, recipe in LAYOUTS.items():
            loudspeakers(results, stage, name, *recipe)


def places(results):
    """Start positions in seconds, none of them round: three, or many in a long run."""
    dice = random.Random(20)
    return [round(dice.uniform(low, high), 3) for low, high in
            ([(6, 12), (28, 45), (60, 73)] if not results.is_long else [(at, at + 5) for at in range(0, 70, 5)])]


# --- The files

def programme(silent):
    """The path of the tone, with or without silence in front."""
    tone = f"0.4*sin(2*PI*({BASE}*t+{SLOPE}/2*t*t))"
    tone = f"if(lt(t,4),0,{tone})" if silent else tone
    path = sounds.FOLDER / "sources" / f"climbing-{SECONDS}-{'silent' if silent else 'whole'}.wav"
    words = ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"aevalsrc='{tone}':s={RATE}:c=mono:d={SECONDS}"]
    return once.made(path, lambda new: sounds.run([*words, "-ac", 2, new]))


def files():
    return once.made(sounds.FOLDER / "truth-2", make)


def make(folder):
    folder.mkdir(exist_ok=True)
    for recipe in RECIPES:
        source = programme(recipe.silent)
        sounds.run(["ffmpeg", "-v", "error", "-y", "-i", source, *recipe.words.split(), folder / recipe.name])
    sounds.run(["flac", "--silent", "-f", "-o", folder / "tabled.flac", programme(False)])
    for name, source in (("junk.mp3", "vbr-untagged.mp3"), ("junk.aac", "adts.aac")):
        data = (folder / source).read_bytes()
        middle = len(data) // 3
        junk = bytes(index * 31 % 250 for index in range(50_000))
        (folder / name).write_bytes(data[:middle] + junk + data[middle:])
    tag = b"ID3\x04\x00\x00" + bytes([0, 40, 0, 0]) + bytes(40 << 14)
    (folder / "picture.mp3").write_bytes(tag + (folder / "silent-vbr-untagged.mp3").read_bytes())
    words = ["-ss", 3.5, "-i", folder / "behind.m4a", "-c", "copy", folder / "edited.m4a"]
    sounds.run(["ffmpeg", "-v", "error", "-y", *words])
    for name, source in (("short.mp3", "vbr-untagged.mp3"), ("short.aac", "adts.aac"), ("short.ogg", "vorbis.ogg")):
        data = (folder / source).read_bytes()
        middle = len(data) // 3
        (folder / name).write_bytes(data[:middle] + data[middle + len(data) // 20 :])
    for name, source in (("damaged.mp3", "cbr-untagged.mp3"), ("damaged.aac", "adts.aac"),
                         ("damaged.flac", "untabled.flac"), ("damaged.ogg", "vorbis.ogg")):
        data = bytearray((folder / source).read_bytes())
        middle = len(data) // 3
        data[middle : middle + 5000] = bytes(index * 31 % 250 for index in range(5000))
        (folder / name).write_bytes(data)


# --- Sound

def second(data, channels, rate, at):
    """The second of the programme that is audible at time `at` of 16-bit samples; None if none is."""
    width = 2 * channels
    values = samples.numbers(data[int(at * rate) * width : int((at + SPAN) * rate) * width])[::channels]
    crossings = [
        index + before / (before - after)
        for index, (before, after) in enumerate(zip(values, values[1:]))
        if before < 0 <= after
    ]
    if len(values) < SPAN * rate * 0.9 or len(crossings) < 10 or max(values) < 2000:
        return None
    hertz = (len(crossings) - 1) / (crossings[-1] - crossings[0]) * rate
    return (hertz - BASE) / SLOPE - (crossings[0] + crossings[-1]) / 2 / rate


def heard(wave):
    found = second(wave.data, wave.channels, wave.rate, BEHIND)
    return found and found - BEHIND


Landing = namedtuple("Landing", "heard claimed precision")


def landing(stage, *words, length=1.0, **more):
    """The second that is audible first, and the position that Weir reports."""
    played = Play(stage, *words, "--length", f"{length}s", **more)
    equal(played.wait(60), 0, f"the exit status, with {played.explain()},")
    last = played.of("state")[-1]
    if not played.file.exists():
        return Landing(None, last["position"], last["positionPrecision"])
    wave = played.wave
    seconds = len(wave.data) / (wave.rate * wave.channels * wave.bits // 8)
    return Landing(heard(wave), last["position"] - seconds, last["positionPrecision"])


class Truth:
    """Which second of the programme belongs to a position of a file.

    In a format with timestamps, two positions are as far apart as their seconds. In any other format, the second is
    the one that is audible at that time of a play from the beginning.
    """

    def __init__(self, stage, path):
        self.tells = path.suffix not in (".mp3", ".mp2", ".aac")
        played = Play(stage, path, *(["--length", "8s"] if self.tells else []))
        equal(played.wait(60), 0, f"the exit status of {path.name}, with {played.explain()},")
        self.wave = played.wave

    def at(self, position):
        if self.tells and position > 5:
            return self.at(5) + position - 5
        found = second(self.wave.data, self.wave.channels, self.wave.rate, position + BEHIND)
        return found and found - BEHIND


def shown(value):
    return "nothing" if value is None else f"{value:.2f}"


def by_mpv(stage, path, start):
    """The second that mpv plays at a start position; None if mpv is missing or plays nothing."""
    if not shutil.which("mpv"):
        return None
    wav = stage.folder / f"{stage.name('mpv')}.wav"
    words = ["mpv", "--no-config", "--really-quiet", "--no-video", "--ao=pcm", f"--ao-pcm-file={wav}"]
    words += ["--audio-format=s16", "--audio-channels=stereo", f"--start={start}", "--length=1", path]
    for attempt in (1, 2):
        try:
            subprocess.run([str(word) for word in words], capture_output=True, timeout=30, env=stage.environment)
            break
        except subprocess.TimeoutExpired:
            # mpv sometimes hangs, even without Weir. This check compares only the sound, so it starts mpv again.
            if attempt == 2:
                raise
    return heard(samples.read_wave(wav)) if wav.exists() and wav.stat().st_size > 1000 else None


def by_ffmpeg(path, start):
    words = ["ffmpeg", "-nostdin", "-v", "quiet", "-ss", start, "-i", path, "-t", 1, "-ac", 2, "-ar", RATE]
    done = subprocess.run([str(word) for word in [*words, "-f", "s16le", "-"]], capture_output=True, timeout=60)
    found = second(done.stdout, 2, RATE, BEHIND)
    return found and found - BEHIND


# --- The checks

def held(results, stage, path, starts):
    """Seeks in a local file: Weir lands exactly, and mpv or ffmpeg lands within 1.5 s of Weir."""
    with results.check(f"{path.name}: the sound after a seek matches its position") as check:
        truth = Truth(stage, path)
        rows, found = [], None
        for start in starts:
            right = truth.at(start)
            if right is None or right > SECONDS - 1:
                # The position is behind the end of a shorter file, or bytes are missing there and no second is
                # audible.
                continue
            found = landing(stage, path, "--start", start)
            rows.append(f"{start:.1f}: {shown(found.heard)}")
            expect(found.heard is not None, f"{path.name} gives no sound from {start} s on")
            if path.name != "fragments.mp4":
                equal(found.precision, "exact", f"the position's precision at {start} s")
            expect(abs(found.claimed - start) < STOPPED, f"the position is {found.claimed:.3f} s for {start} s")
            expect(abs(found.heard - right) < PACKET,
                   f"second {found.heard:.3f} is heard at {start} s, where the file has second {right:.3f}")
        others = {"mpv": by_mpv(stage, path, start), "ffmpeg": by_ffmpeg(path, start)}
        rows += [f"{name} {shown(other)}" for name, other in others.items()]
        if found and path.name not in DERIVED:
            distances = [abs(found.heard - other) for other in others.values() if other]
            # mpv and ffmpeg may land by the table of a Xing tag, whose 100 steps take 0.75 s each in this file.
            expect(distances and min(distances) < 1.5, f"{found.heard:.2f} is heard at {start} s, but {others}")
        check.figure = ", ".join(rows)


class Counted:
    """Bytes at an origin, and the number of bytes that it sent."""

    def __init__(self, data):
        self.data, self.length, self.count = data, len(data), 0

    def bytes(self, lower, upper):
        self.count += upper - lower
        return self.data[lower:upper]


def remote(results, stage, path, starts):
    """Seeks in a remote file over a slow line."""
    with results.check(f"{path.name} on a slow line: a seek lands near with few bytes, and the position says how precisely") as check:
        truth = Truth(stage, path)
        rows = []
        for start in starts:
            content = Counted(path.read_bytes())
            origin = Origin(stage, {"/" + path.name: slow_line(content, 0.02, 400_000, piece=8 << 10)})
            found, right = landing(stage, origin.base + path.name, "--start", start), truth.at(start)
            expect(found.heard is not None, f"no sound from {start} s on")
            wrong = abs(found.heard - right)
            rows.append(f"{start:.1f}: {found.heard:.2f}, {found.precision}, {100 * content.count // content.length} %")
            expect(wrong < PACKET or found.precision == "approximate",
                   f"the position of second {found.heard:.3f} is reported as exactly {found.claimed:.3f} s")
            expect(abs(found.claimed - start) < STOPPED, f"the position is {found.claimed:.3f} s for {start} s")
            expect(wrong < NEAR, f"second {found.heard:.3f} is heard at {start} s")
            if path.name in CERTAIN:
                expect(wrong < PACKET, f"second {found.heard:.3f} is heard at {start} s")
            if content.length > 1_000_000:
                expect(content.count < content.length / 2, f"{content.count} of {content.length} bytes were fetched")
            requests = len(origin.asked_for("/" + path.name))
            expect(requests <= 20, f"{requests} requests")
            origin.stop()
        check.figure = ", ".join(rows)


def cached(results, stage, path):
    with results.check(f"{path.name}, cached by an earlier play: exact, without the origin") as check:
        content = Counted(path.read_bytes())
        origin = Origin(stage, {"/" + path.name: slow_line(content, 0.02, 20_000_000)})
        cache = stage.new_folder("cache")
        truth = Truth(stage, path)
        played = Play(stage, origin.base + path.name, cache=cache)
        equal(played.wait(60), 0, f"the exit status, with {played.explain()},")
        before = content.count
        found = landing(stage, origin.base + path.name, "--start", 60, cache=cache)
        equal(found.precision, "exact", "the position's precision")
        expect(abs(found.heard - truth.at(60)) < PACKET, f"second {found.heard:.3f} is heard at 60 s")
        expect(content.count - before < 4096, f"{content.count - before} bytes were fetched again")
        check.figure = f"second {found.heard:.2f} at 60 s"


def by_keys(results, stage, path):
    """Seeks with arrow keys. The sink accepts sound at once, and the line sends it three times as fast as real time."""
    with results.check(f"{path.name}, on a slow line: an arrow seeks back over played sound to the exact second") as check:
        content = Counted(path.read_bytes())
        origin = Origin(stage, {"/song": slow_line(content, 0.02, 3 * content.length / SECONDS, piece=2 << 10)})
        wav = stage.folder / "keys.wav"
        words = [place.weir_program(), "play", origin.base + "song", "--sink", f"wav:{wav}"]
        words += ["--cache", stage.new_folder("cache")]
        terminal = Terminal(stage, 80, 24)
        terminal.type("clear; " + shlex.join(str(word) for word in words))
        shown = elapsed(terminal.wait_for(lambda screen: (elapsed(screen) or 0) >= 25, 30))
        terminal.keys("Left")
        # The recording shows the jump. The screen may show it for less time than this machine needs for a look.
        shown_last = terminal.wait_for(lambda screen: (elapsed(screen) or 0) >= shown + 12, 30)
        expect(not re.search(r"^  ~", shown_last, re.MULTILINE), f"the position is not exact:\n{shown_last}")
        terminal.keys("q")
        terminal.wait_for("prompt$")
        wave = samples.read_wave(wav)
        steps = [at / 10 for at in range(50, int(len(wave.data) / wave.rate / 4) * 10 - 3)]
        # The audible second of the programme minus the second of the recording: only a seek changes it.
        shifts = [(at, found - at) for at in steps if (found := second(wave.data, 2, wave.rate, at)) is not None]
        back = shifts[0][1] - shifts[-1][1]
        jumps = [at for (at, one), (_, other) in zip(shifts, shifts[1:]) if abs(one - other) > 0.1]
        expect(jumps and jumps[-1] - jumps[0] < 0.5, f"the sound jumps at {jumps}")
        expect(9.5 < back < 11.5, f"it seeked back by {back:.2f} s")
        check.figure = f"back by {back:.2f} s"


def unknown(results, stage, path):
    with results.check(f"{path.name} in chunks, without a length: the sound matches the position") as check:
        data = path.read_bytes()

        def chunked(handler):
            handler.send_response(200)
            handler.send_header("Content-Type", "audio/mpeg")
            handler.send_header("Transfer-Encoding", "chunked")
            handler.end_headers()
            for at in range(0, len(data), 32 << 10):
                piece = data[at : at + (32 << 10)]
                handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            handler.wfile.write(b"0\r\n\r\n")

        origin = Origin(stage, {"/song": chunked})
        truth = Truth(stage, path)
        for start in (0, 30):
            found = landing(stage, origin.base + "song", "--start", start)
            right = truth.at(max(0, found.claimed))
            expect(abs(found.heard - right) < STOPPED, f"second {found.heard:.3f} is heard at {found.claimed:.3f} s")
            check.figure += f"second {found.heard:.2f} at {found.claimed:.2f} s; "


def ends(results, stage, folder):
    for name in ("silent.aac", "vbr-untagged.mp3", "vorbis.ogg", "untabled.flac", "front.m4a"):
        with results.check(f"{name}: a start behind the end ends the play without an error") as check:
            found = landing(stage, folder / name, "--start", 1000)
            equal(found.heard, None, "the sound")
            expect(abs(found.claimed - SECONDS) < 1.2, f"the position is {found.claimed}")
            check.figure = f"position {found.claimed:.2f} s, no sound"


# --- Loudspeakers

def loudspeakers(results, stage, name, layout, count, words):
    """Expects the same channels in the same order as ffmpeg's decoder; each channel has its own tone."""
    with results.check(f"{name}, {layout}: each channel goes to the same loudspeaker as with ffmpeg") as check:
        folder = stage.new_folder("loudspeakers")
        tones = "|".join(f"0.3*sin(2*PI*{300 + 150 * channel}*t)" for channel in range(count))
        source = f"aevalsrc={tones}:c={layout}:s=48000:d=0.4"
        sounds.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", source, *words.split(), folder / name])
        theirs = folder / "theirs.wav"
        sounds.run(["ffmpeg", "-v", "error", "-i", folder / name, "-c:a", "pcm_s16le", theirs])
        played = Play(stage, folder / name)
        equal(played.wait(60), 0, f"the exit status, with {played.explain()},")
        ours, wanted = played.wave, samples.read_wave(theirs)
        equal(ours.channels, wanted.channels, "the number of channels")
        equal(mask(played.file), mask(theirs), "the loudspeakers")
        lists = [samples.numbers(wave.data[: 10_000 * 2 * count]) for wave in (ours, wanted)]
        worst = max(abs(our - their) for our, their in zip(*lists))
        expect(worst <= 3, f"a sample differs by {worst} of 32,768")
        check.figure = f"{mask(played.file):#x}"


def mask(path):
    """The loudspeaker mask of a WAV file with the extensible format."""
    data = path.read_bytes()
    place = data.index(b"fmt ")
    return int.from_bytes(data[place + 28 : place + 32], "little")
