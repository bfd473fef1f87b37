# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The same file by each way: from the disk, over HTTP with ranges, without ranges, and without a length."""

import json

from board import equal, expect
from listening import Play
from stage import origin, sounds
from stage.origin import Origin
from stage.stage import Stage
from stage.weir import command
from topics.truth import BASE, NEAR, PACKET, RATE, SLOPE, heard, shown

# The parts of a joined file: seconds, and how each is encoded.
JOINED = {
    "two-rates.mp3": [(40, "-b:a 128k"), (40, "-b:a 64k")],
    "untagged-first.mp3": [(10, "-b:a 64k -write_xing 0"), (70, "-b:a 128k -write_xing 0")],
    "varying-first.mp3": [(40, "-q:a 4"), (40, "-b:a 64k")],
}
CUT = {"index.m4a": "-c:a aac -movflags faststart", "table.mp3": "-q:a 4", "whole.flac": "-c:a flac",
       "vorbis.ogg": "-c:a libvorbis", "pcm.wav": "-c:a pcm_s16le"}
WAYS = ("disk", "ranges", "no ranges", "no length")


def run(board):
    with Stage("ways") as stage:
        folder = stage.new_folder("files")
        for name, parts in JOINED.items():
            joined(board, stage, folder, name, parts)
        for name, words in CUT.items():
            cut(board, stage, folder, name, words)
        titles(board, stage, folder)


def encode(path, start, seconds, words, *more):
    """A part of a tone that climbs, so that what is heard tells when it is."""
    tone = f"0.4*sin(2*PI*({BASE}*(t+{start})+{SLOPE}/2*(t+{start})*(t+{start})))"
    source = ["-f", "lavfi", "-i", f"aevalsrc='{tone}':s={RATE}:c=mono:d={seconds}"]
    sounds.run(["ffmpeg", "-v", "error", "-y", *source, "-ac", 2, *words.split(), *more, path])
    return path.read_bytes()


def ways(stage, name, data):
    """The file on the disk, and an address for each other way."""
    path = stage.new_folder("way") / name
    path.write_bytes(data)
    kind = "audio/mpeg" if name.endswith(".mp3") else "application/octet-stream"

    def closing(handler):
        handler.send_response(200)
        handler.send_header("Content-Type", kind)
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write(data)
        handler.close_connection = True

    server = Origin(stage, {
        f"/ranges/{name}": origin.content(data),
        f"/plain/{name}": lambda handler: handler.answer(200, data, Content_Type=kind),
        f"/unknown/{name}": closing,
    })
    return dict(zip(WAYS, [path, *(f"{server.base}{way}/{name}" for way in ("ranges", "plain", "unknown"))]))


def inspected(stage, where):
    done = command(stage, "inspect", where, "--json", "--cache", stage.new_folder("cache"))
    return done.returncode, json.loads(done.stdout) if done.stdout.startswith(b"{") else None


def joined(board, stage, folder, name, parts):
    with board.check(f"{name}: a start in the second part is heard where it is said, by every way that can go there") as check:
        data, at = b"", 0
        for number, (seconds, words) in enumerate(parts):
            data += encode(folder / f"{number}-{name}", at, seconds, words)
            at += seconds
        rows = []
        for way, where in ways(stage, name, data).items():
            start = 60.0
            played = Play(stage, where, "--start", start, "--length", "1s")
            equal(played.wait(60), 0, f"the exit status by {way}, with {played.explain()},")
            last, wave = played.of("state")[-1], played.wave
            seconds = len(wave.data) / (wave.rate * wave.channels * wave.bits // 8)
            found, claimed = heard(wave), last["position"] - seconds
            expect(found is not None, f"nothing is heard by {way}")
            rows.append(f"{way}: {shown(found)} said {claimed:.2f} {last['positionPrecision']}")
            # Each encoder delays its part, and no tag takes that away where there is none.
            slack = PACKET + 0.06 * len(parts)
            exact = last["positionPrecision"] == "exact"
            expect(abs(found - claimed) < (slack if exact else NEAR), f"second {found:.3f} is heard at {claimed:.3f} s by {way}")
            expect_length(last.get("duration"), last.get("durationCertainty"), at, f"play by {way}")
            status, report = inspected(stage, where)
            equal(status, 0, f"the exit status of inspect by {way}")
            first = report["formats"][0].get("duration")
            # Of a stream without a length only the beginning is looked at: its tag is all that is known.
            if first and report["formats"][-1]["section"] == 0 and (way != "no length" or report["isComplete"]):
                expect_length(first["seconds"], first["certainty"], at, f"inspect by {way}")
        check.figure = "; ".join(rows)


def expect_length(length, certainty, right, what):
    """A length is right as far as it is said to be; none may be told."""
    if length is not None:
        off = abs(length - right)
        expect(off < (0.3 if certainty == "exact" else 0.25 * right), f"{what}: {certainty} {length} s, where the file has {right}")


def cut(board, stage, folder, name, words):
    with board.check(f"two thirds of {name}: plays to its cut and says so, with 6, by every way") as check:
        whole = encode(folder / name, 0, 12, words)
        data = whole[: 2 * len(whole) // 3]
        rows = []
        for way, where in ways(stage, name, data).items():
            played = Play(stage, where)
            equal(played.wait(60), 6, f"the exit status by {way}, with {played.explain()},")
            expect(played.seconds > 4, f"{played.seconds:.1f} s are heard by {way}")
            expect("cut short" in json.dumps(played.events), f"it is not said by {way}: {played.explain()}")
            status, report = inspected(stage, where)
            equal(status, 0, f"the exit status of inspect by {way}")
            expect(report["isCutShort"] or not report["isComplete"], f"inspect does not say it by {way}")
            lengths = [found["duration"]["certainty"] for found in report["formats"] if found.get("duration")]
            # Where the end is not known, an index in front is believed until it is.
            is_open = way == "no length" and not report["isComplete"]
            expect("exact" not in lengths or is_open, f"inspect calls the length exact by {way}")
            rows.append(f"{way}: {played.seconds:.1f} s")
        check.figure = "; ".join(rows)


def titles(board, stage, folder):
    with board.check("a title ends with the part that it titled, by every way") as check:
        first = encode(folder / "titled.mp3", 0, 5, "-b:a 128k", "-metadata", "title=First", "-id3v2_version", "3")
        second = encode(folder / "untitled.mp3", 5, 5, "-b:a 128k -write_id3v2 0 -id3v2_version 0")
        for way, where in ways(stage, "joined-titles.mp3", first + second).items():
            played = Play(stage, where)
            equal(played.wait(60), 0, f"the exit status by {way}, with {played.explain()},")
            names = [title for title, _ in played.titles]
            equal(names[:1], ["First"], f"the first title by {way}")
            expect(len(names) > 1 and not names[-1], f"the titles by {way} are {names}")
        check.figure = "First, then none"
