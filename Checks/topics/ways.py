# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The same file from the disk, over HTTP with ranges, without ranges or without a length, and from a station."""

import json
import time

from check_results import equal, expect
from listening import Play
from stage import origin, sounds
from stage.origin import Origin
from stage.stage import Stage
from stage.weir import command
from topics.truth import BASE, NEAR, PACKET, RATE, SLOPE, heard, second, shown

# The parts of a joined file: seconds, and how each is encoded.
JOINED = {
    "two-rates.mp3": [(40, "-b:a 128k"), (40, "-b:a 64k")],
    "untagged-first.mp3": [(10, "-b:a 64k -write_xing 0"), (70, "-b:a 128k -write_xing 0")],
    "varying-first.mp3": [(40, "-q:a 4"), (40, "-b:a 64k")],
}
CUT = {"index.m4a": "-c:a aac -movflags faststart", "table.mp3": "-q:a 4", "whole.flac": "-c:a flac",
       "vorbis.ogg": "-c:a libvorbis", "pcm.wav": "-c:a pcm_s16le"}
# Lengths that no file has, and no length.
LENGTHS = (None, 2**63 - 1, 2**64 - 1, -1)
WAYS = ("disk", "ranges", "no ranges", "no length")


def run(results):
    with Stage("ways") as stage:
        folder = stage.new_folder("files")
        for name, parts in JOINED.items():
            joined(results, stage, folder, name, parts)
        for name, words in CUT.items():
            cut(results, stage, folder, name, words)
        titles(results, stage, folder)
        stations(results, stage, folder)


def encode(path, start, seconds, words, *more):
    """A part of a rising tone, whose frequency tells the time."""
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


def joined(results, stage, folder, name, parts):
    with results.check(f"{name}: a start in the second part plays at the reported position, by every way that can seek") as check:
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
            expect(found is not None, f"no sound by {way}")
            rows.append(f"{way}: {shown(found)} said {claimed:.2f} {last['positionPrecision']}")
            # Each encoder delays its part; without a tag, the decoder cannot remove the delay.
            slack = PACKET + 0.06 * len(parts)
            exact = last["positionPrecision"] == "exact"
            expect(abs(found - claimed) < (slack if exact else NEAR), f"second {found:.3f} is heard at {claimed:.3f} s by {way}")
            expect_length(last.get("duration"), last.get("durationCertainty"), at, f"play by {way}")
            status, report = inspected(stage, where)
            equal(status, 0, f"the exit status of inspect by {way}")
            first = report["formats"][0].get("duration")
            # Of a stream without a length, inspect reads only the beginning, so it knows only the length in the tag.
            if first and report["formats"][-1]["section"] == 0 and (way != "no length" or report["isComplete"]):
                expect_length(first["seconds"], first["certainty"], at, f"inspect by {way}")
        check.figure = "; ".join(rows)


def expect_length(length, certainty, right, what):
    """Expects that a length is right within its stated certainty; a missing length is allowed."""
    if length is not None:
        off = abs(length - right)
        expect(off < (0.3 if certainty == "exact" else 0.25 * right), f"{what}: {certainty} {length} s, where the file has {right}")


def cut(results, stage, folder, name, words):
    with results.check(f"two thirds of {name}: plays to its cut and ends with 6 and a message, by every way") as check:
        whole = encode(folder / name, 0, 12, words)
        data = whole[: 2 * len(whole) // 3]
        rows = []
        for way, where in ways(stage, name, data).items():
            played = Play(stage, where)
            equal(played.wait(60), 6, f"the exit status by {way}, with {played.explain()},")
            expect(played.seconds > 4, f"{played.seconds:.1f} s play by {way}")
            expect("cut short" in json.dumps(played.events), f"no message by {way}: {played.explain()}")
            status, report = inspected(stage, where)
            equal(status, 0, f"the exit status of inspect by {way}")
            expect(report["isCutShort"] or not report["isComplete"], f"inspect does not say it by {way}")
            lengths = [found["duration"]["certainty"] for found in report["formats"] if found.get("duration")]
            expect("exact" not in lengths, f"inspect calls the length exact by {way}")
            rows.append(f"{way}: {played.seconds:.1f} s")
        check.figure = "; ".join(rows)


def titles(results, stage, folder):
    with results.check("a title ends with its part, by every way") as check:
        for name, data in titled(folder).items():
            for way, where in ways(stage, name, data).items():
                played = Play(stage, where)
                equal(played.wait(60), 0, f"the exit status by {way}, with {played.explain()},")
                expect_titles(played, f"{name} by {way}")
        check.figure = "First, then none"


def titled(folder):
    """Files of two parts; the first part has a title."""
    title = ("-metadata", "title=First")
    return {
        "titles.mp3": encode(folder / "1.mp3", 0, 3, "-b:a 128k -id3v2_version 3", *title)
        + encode(folder / "2.mp3", 3, 3, "-b:a 128k -write_id3v2 0 -id3v2_version 0"),
        "titles.ogg": encode(folder / "1.ogg", 0, 3, "-c:a libvorbis", *title)
        + encode(folder / "2.ogg", 3, 3, "-c:a libvorbis"),
    }


def expect_titles(played, what):
    names = [title for title, _ in played.titles]
    equal(names[:1], ["First"], f"the first title of {what}")
    expect(len(names) > 1 and not names[-1], f"the titles of {what} are {names}")


def station(stage, name, data, length=None, ends=False):
    """The address of a station that sends all its data repeatedly, or ends the connection."""

    def answer(handler):
        handler.send_response(200)
        kind = "audio/mpeg" if name.endswith(".mp3") else "application/ogg"
        for field, value in (("Content-Type", kind), ("icy-name", "Ways"), ("Connection", "close")):
            handler.send_header(field, value)
        if length is not None:
            handler.send_header("Content-Length", str(length))
        handler.end_headers()
        handler.wfile.write(data)
        handler.close_connection = True
        # Sends the data again every second, until the listener leaves.
        while not ends:
            time.sleep(1)
            handler.wfile.write(data)

    return f"{Origin(stage, {f'/{name}': answer}).base}{name}"


def stations(results, stage, folder):
    with results.check("a station has no length, whatever a tag or a header field claims") as check:
        for name, parts in JOINED.items():
            data, at = b"", 0
            for number, (_, words) in enumerate(parts):
                data += encode(folder / f"{number}-{name}", at, 2, words)
                at += 2
            for length in LENGTHS if name == "two-rates.mp3" else (None,):
                where = station(stage, name, data, length)
                played = Play(stage, where, "--length", "3s")
                equal(played.wait(60), 0, f"the exit status of {name}, with {played.explain()},")
                equal([state.get("duration") for state in played.of("state") if "duration" in state], [], f"the lengths of {name}")
                wave = played.wave
                found = second(wave.data, wave.channels, wave.rate, 2.5)
                expect(found and abs(found - 2.5) < PACKET + 0.06 * len(parts), f"second {found} is heard at 2.5 s of {name}")
                expect_endless(stage, where, name)
        check.figure = f"{len(JOINED)} joined streams, {len(LENGTHS)} lengths"
    with results.check("a playlist of a station, as audio/mpeg and without a suffix, is followed") as check:
        where = station(stage, "joined.mp3", data)
        lists = {"m3u": f"#EXTM3U\n{where}\n", "pls": f"[playlist]\nFile1={where}\nNumberOfEntries=1\n"}
        for kind, text in lists.items():
            leads = listed(stage, kind, text)
            played = Play(stage, leads, "--length", "2s")
            equal(played.wait(60), 0, f"the exit status of {kind}, with {played.explain()},")
            equal([event.get("name") for event in played.of("station")][-1:], ["Ways"], f"the station of {kind}")
            status, report = inspected(stage, leads)
            equal((status, report["playlist"]["entries"][0]["location"]), (0, where), f"inspect's result for {kind}")
        check.figure = ", ".join(lists)
    with results.check("a playlist within a playlist, without the usual names and types, leads to its file") as check:
        song = encode(folder / "song.mp3", 0, 2, "-b:a 64k")
        where = Origin(stage, {"/song": origin.content(song)}).base + "song"
        inner = {
            "an address": f"{where}\n",
            "M3U": f"#EXTM3U\n#EXTINF:2,Песня и музыка песни\n{where}\n",
            "ASX": f'<asx version="3.0"><title>A</title><entry><ref href="{where}"/></entry></asx>',
            "XSPF": '<?xml version="1.0"?><playlist><title>A</title><trackList><track>'
                    f"<location>{where}</location></track></trackList></playlist>",
        }
        for kind, text in inner.items():
            for type in ("audio/mpeg", "text/html", "application/octet-stream"):
                played = Play(stage, listed(stage, "outer", f"{listed(stage, 'inner', text, type)}\n", type))
                equal(played.wait(60), 0, f"the exit status of {kind} as {type}, with {played.explain()},")
                expect(1.9 < played.seconds < 2.2, f"{played.seconds} s of {kind} as {type} play")
        check.figure = f"{len(inner)} forms, 3 types"
    with results.check("a station's title ends with its part") as check:
        for name, data in titled(folder).items():
            played = Play(stage, station(stage, name, data), "--length", "4s")
            equal(played.wait(60), 0, f"the exit status of {name}, with {played.explain()},")
            expect_titles(played, name)
        check.figure = "First, then none"
    with results.check("weir reconnects to a station that ends within a part, and does not report it as cut short") as check:
        for name in ("table.mp3", "vorbis.ogg"):
            whole = encode(folder / name, 0, 6, CUT[name])
            where = station(stage, name, whole[: 2 * len(whole) // 3], ends=True)
            played = Play(stage, where, "--length", "3s")
            equal(played.wait(60), 0, f"the exit status of {name}, with {played.explain()},")
            expect("cut short" not in json.dumps(played.events), f"{name} is reported as cut short")
            equal(set(played.losses), {"ended"}, f"why {name} was lost")
            expect_endless(stage, where, name)
        check.figure = "table.mp3, vorbis.ogg"


def listed(stage, name, text, kind="audio/mpeg"):
    """The address of a playlist that is sent with another media type."""
    server = Origin(stage, {f"/{name}": lambda handler: handler.answer(200, text.encode(), Content_Type=kind)})
    return server.base + name


def expect_endless(stage, where, what):
    """Expects that inspect reports a station's name, and no length."""
    status, report = inspected(stage, where)
    equal(status, 0, f"the exit status of inspect for {what}")
    equal(report["station"]["name"], "Ways", f"the station that inspect finds for {what}")
    lengths = [found["duration"] for found in report["formats"] if found.get("duration")]
    expect(not lengths and not report["isCutShort"], f"inspect says of {what}: {lengths}, {report['isCutShort']}")
