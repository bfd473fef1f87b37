# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Files of other programs: Weir names each by its bytes, whatever its name, and plays the sound that ffmpeg decodes.

The files are those of Scripts/stage/foreign.py. `weir inspect` examines each under its own name and under a foreign
name or none; in the long form, under all names.
"""

import json
import os
import random
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

import samples
import speech
from check_results import Failed, Skipped, expect
from stage import foreign, place, web
from stage.stage import Stage
from stage.weir import Weir

NAMES = ("", ".mp3", ".wav", ".m4a", ".flac", ".ogg", ".aac", ".aiff", ".mkv")

# Files of which ffmpeg and Weir play different numbers of frames, by a pattern for the name. The first number: how many
# more frames Weir plays than the source has. The second number: how many of ffmpeg's frames come before Weir's first
# frame; if it is negative, that many of Weir's come before ffmpeg's first. The text is the reason.
LENGTHS = (
    (r"faac\.aac", 1817, -1024, "the first frame holds no sound, which ffmpeg leaves out; its time passes in Weir"),
    (r"(fragments|flash|smooth)\..*", 1024, 0, "no edit list: the priming plays, the last packet has its declared length"),
    (r"dash\.mp4", 0, 1024, "an edit list in front of fragments, which ffmpeg does not follow"),
    (r"he2?-.*\.m4a", 1, 0, "its tag counts pairs of samples, as the core does, rounded up"),
    (r".*\.(m4a|mp4|mov|3gp|3g2|psp)", 0, 0, "ffmpeg also decodes the end that the edit list leaves out"),
)
# The largest difference from ffmpeg's 16-bit samples: decoders that compute with fractions round differently.
NEAR = 2


def run(results):
    with Stage("foreign") as stage:
        made = foreign.made()
        try:
            made += foreign.made_by_others()
        except foreign.encoders.Missing as failure:
            with results.check("HE-AAC of a real encoder"):
                raise Skipped(str(failure))
        served(results, stage, made)
        inspected(results, stage, made)
        played(results, stage, made)
        damaged(results, stage, made)


def names(index, each, is_long):
    """The names for a file: its own name, and one foreign name or all of them."""
    others = [name for name in NAMES if name != each.ending]
    return [each.ending, *(others if is_long else [others[index % len(others)]])]


def beside(function, things):
    with ThreadPoolExecutor(2) as pool:
        return [*pool.map(function, things)]


def judge(faults, count, check, what="files"):
    faults = [fault for fault in faults if fault]
    expect(not faults, f"{len(faults)} of {count}: {'; '.join(faults[: int(os.environ.get('WEIR_FAULTS', 8))])}")
    check.figure = f"{count} {what}"


def named(folder, made, is_long):
    """Makes a hard link for each name of each file; returns pairs of a link and its file."""
    found = []
    for index, each in enumerate(made):
        for name in names(index, each, is_long):
            path = folder / f"{index}{'own' if name == each.ending else ''}{name}"
            os.link(each.path, path)
            found.append((path, each))
    return found


def served(results, stage, made):
    """Checks the media types that `weir serve` sends, always under every name, since this costs little."""
    folder = stage.new_folder("served")
    links = named(folder, [each for each in made if each.types], True)
    weir = Weir(stage, folder)
    with results.check("a player gets the media type of the bytes, under every name") as check:

        def faults(some):
            found = []
            with web.Line(weir.base) as line:
                for path, each in some:
                    answer = line.ask(path.name, method="HEAD")
                    type = answer.headers.get("content-type")
                    if type not in each.types:
                        found.append(f"{each.path.name} as *{path.suffix} is {answer.status} {type}")
            return found

        judge(sum(beside(faults, (links[::2], links[1::2])), []), len(links), check, "names")
    weir.stop()


def inspected(results, stage, made):
    folder = stage.new_folder("inspected")
    links = named(folder, made, results.is_long)
    for what, some in (
        ("own name", [link for link in links if "own" in link[0].name]),
        ("foreign name, or none", [link for link in links if "own" not in link[0].name]),
    ):
        with results.check(f"inspect names the format of the bytes, under their {what}, or says why not") as check:
            judge(beside(lambda link: inspection_fault(stage, *link), some), len(some), check, "names")


def weir(stage, *words, timeout=60):
    words = [str(word) for word in (place.weir_program(), *words)]
    return subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL, env=stage.environment, timeout=timeout)


def inspection_fault(stage, path, each):
    """The fault in the output of `weir inspect`, or None."""
    whose = f"{each.path.name} as {path.suffix or 'nothing'}"
    done = weir(stage, "inspect", path, "--json", "--quiet")
    if each.codec is None:
        # Weir parses and names some formats that it cannot decode in this build.
        if done.returncode == 0 and each.says:
            codecs = {form["codec"] for form in json.loads(done.stdout)["formats"]}
            return None if codecs == {each.says.lower()} else f"{whose} is {codecs}, not {each.says}"
        return refusal_fault(done, each, path, whose)
    if done.returncode != 0:
        return f"{whose} is refused: {done.stderr.decode().strip()[-160:]}"
    said = json.loads(done.stdout)
    codecs = {form["codec"] for form in said["formats"]}
    if codecs != {each.codec}:
        return f"{whose} is {codecs}, not {each.codec}"
    if each.types and said.get("mediaType") not in each.types:
        return f"{whose} is {said.get('mediaType')}"
    return None


def refusal_fault(done, each, path, whose):
    if done.returncode != 6:
        return f"{whose} ends with {done.returncode}, {done.stdout[:80]!r}"
    try:
        said = speech.sentence(done.stderr.decode()).replace(str(path), "").replace(path.name, "")
    except Failed as failure:
        return f"{whose}: {failure}"
    # The pattern matches only the whole word: E-AC-3 is not AC-3.
    if each.says and not re.search(rf"(?<![\w-]){re.escape(each.says)}", said):
        return f"{whose} is not called {each.says}: {said[:160]!r}"
    return None


def played(results, stage, made):
    with results.check("a file that Weir cannot play ends with 6 and a message, without sound") as check:
        some = [each for each in made if each.codec is None]
        judge(beside(lambda each: silence_fault(stage, each), some), len(some), check)
    for codec in sorted({each.codec for each in made if each.codec}):
        some = [each for each in made if each.codec == codec]
        with results.check(f"{codec} sounds as ffmpeg decodes it, from the first sample to the last") as check:
            judge(beside(lambda each: sound_fault(stage, each), some), len(some), check)


def play(stage, path):
    """The result of a play, and its WAV if there is one."""
    target = stage.folder / f"{stage.name('played')}-{path.name}.wav"
    done = weir(stage, "play", path, "--sink", f"wav:{target}", "--quiet", "--cache", stage.folder / "cache")
    wave = samples.read_wave(target) if target.exists() else None
    target.unlink(missing_ok=True)
    return done, wave


def silence_fault(stage, each):
    done, wave = play(stage, each.path)
    if wave and wave.data:
        return f"{each.path.name} is played, {len(wave.data)} bytes, status {done.returncode}"
    return refusal_fault(done, each, each.path, each.path.name)


def decoded(path, wave):
    """ffmpeg's samples, stored beside the file."""
    kept = path.with_name(f"{path.name}.{wave.bits}.decoded")
    if not kept.exists():
        new = kept.with_name(f"new-{kept.name}")
        new.write_bytes(samples.decoded(path, wave.bits))
        new.rename(kept)
    return kept.read_bytes()


def sound_fault(stage, each):
    done, wave = play(stage, each.path)
    name = each.path.name
    if done.returncode != 0 or not wave or not wave.data:
        return f"{name} ends with {done.returncode}: {done.stderr.decode().strip()[-160:]}"
    theirs = decoded(each.path, wave)
    width = wave.channels * wave.bits // 8
    frames, expected = len(wave.data) // width, len(theirs) // width
    shift = 0
    if frames != expected:
        beside, shift = next((row[1:3] for row in LENGTHS if re.fullmatch(row[0], name)), (None, 0))
        if beside is None or frames != (each.frames or frames) + beside:
            return f"{name} has {frames} frames, ffmpeg {expected}, the source {each.frames}"
    ours = wave._replace(data=wave.data[max(0, -shift) * width :])
    return difference(name, ours, theirs[max(0, shift) * width :])


def difference(name, wave, theirs, tolerance=NEAR):
    """A text about the first difference between samples, or None if they are equal."""
    count = min(len(wave.data), len(theirs))
    if wave.data[:count] == theirs[:count]:
        return None
    left, right = samples.numbers(wave.data[:count], wave.bits), samples.numbers(theirs[:count], wave.bits)
    differences = [abs(a - b) for a, b in zip(left, right)]
    largest = max(differences) // (256 if wave.bits == 24 else 1)
    if largest <= tolerance:
        return None
    far = sum(value > tolerance for value in differences)
    first = next(at for at, value in enumerate(differences) if value > tolerance) // wave.channels
    try:
        shift = samples.found_shift(wave.data, theirs, wave.channels, 6000, 5000, wave.bits)
    except Failed:
        shift = "no"
    return f"{name} differs by {largest}, in {far} of {len(left)} samples, first at frame {first}; {shift} frames off"


def damaged(results, stage, made):
    """Plays pieces, damaged and joined files: nothing crashes, and a play without sound is never a success."""
    whole = [each for each in made if each.codec]
    some = whole if results.is_long else whole[::7]
    folder = stage.new_folder("damaged")
    for what, break_it in DAMAGES.items():
        with results.check(f"{what}: it plays, or ends with a message; never with 0 and no sound") as check:
            heard = beside(lambda each: damage_fault(stage, folder, what, break_it, each), some)
            judge(heard, len(some), check)


def flipped(data, other):
    generator, broken = random.Random(len(data)), bytearray(data)
    for _ in range(24):
        broken[generator.randrange(len(data) // 8, len(data))] ^= 1 << generator.randrange(8)
    return bytes(broken)


DAMAGES = {
    "the first half": lambda data, other: data[: len(data) // 2],
    "all but the last byte": lambda data, other: data[:-1],
    "the first 40 bytes": lambda data, other: data[:40],
    "without its first third": lambda data, other: data[len(data) // 3 :],
    "with broken bytes": flipped,
    "twice": lambda data, other: data + data,
    "before a file of another kind": lambda data, other: data + other,
}


# In a truncated file, the last packets may sound different, and the end is not trimmed.
CUT = ("the first half", "all but the last byte")
SLACK = 5000


def damage_fault(stage, folder, what, break_it, each):
    other = (foreign.FOLDER / ("lame.mp3" if each.codec == "flac" else "lavc.flac")).read_bytes()
    path = folder / f"{what.replace(' ', '-')}-{each.path.name}"
    path.write_bytes(break_it(each.path.read_bytes(), other))
    done, wave = play(stage, path)
    said = done.stderr.decode().strip()[-160:]
    path.unlink()
    if done.returncode not in (0, 6):
        return f"{each.path.name} ends with {done.returncode}: {said}"
    if done.returncode == 6:
        try:
            speech.sentence(done.stderr.decode())
        except Failed as failure:
            return f"{each.path.name}: {failure}"
        return None
    if not wave or not any(wave.data):
        return f"{each.path.name} ends with 0 and no sound: {said}"
    return damaged_sound_fault(what, each, wave)


def damaged_sound_fault(what, each, wave):
    """Expects that a truncated file sounds like the whole one until shortly before its end.

    Damage adds at most SLACK frames to the sound. A file that is there twice may sound twice as long, and a file of
    another kind may add 4 s.
    """
    theirs = decoded(each.path, wave)
    width = wave.channels * wave.bits // 8
    frames, longest = len(wave.data) // width, len(theirs) // width + SLACK
    if what == "twice":
        longest *= 2
    if "another" in what:
        longest += 4 * wave.rate
    if frames > longest:
        return f"{each.path.name} has {frames} frames, {longest} at most were expected"
    kept = max(0, frames - SLACK) * width
    if what in CUT and kept and not any(re.fullmatch(row[0], each.path.name) and row[2] for row in LENGTHS):
        return difference(each.path.name, wave._replace(data=wave.data[:kept]), theirs)
    return None
