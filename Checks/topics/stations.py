# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""`weir radio`, stations by name, through the proxy, recordings, and remembered positions."""

import json
import os
import signal
import time

import captures
import samples
import speech
from check_results import equal, expect
from listening import Play
from servers.hostile_radio import HostileRadio
from servers.icecast import with_ogg
from servers.relay import Relay
from stage import sounds
from stage.stage import Stage
from stage.weir import command

RATE = 16000


def run(results):
    with Stage("stations") as stage:
        song = stage.folder / "song.mp3"
        sounds.run(["lame", "--quiet", "-t", "-b", 128, "--cbr", samples.programme(60), song])
        titles = [(RATE * 4 * number, f"Song {number} / of Zoë: \"{number}\"?") for number in range(30)]
        radio = HostileRadio(stage, [song], RATE, 2 * RATE, ["plain"], titles)
        # These stations are on air for longer than their burst before a client listens.
        closing = {
            seconds: HostileRadio(stage, [song], RATE, 5 * RATE, [f"close={seconds}"]) for seconds in (3, 8)
        }
        names(results, stage, radio)
        recordings(results, stage, radio)
        chained_recording(results, stage)
        returning(results, stage, song, closing)
        remembered(results, stage)
        proxied(results, stage, radio)


def names(results, stage, radio):
    relay = Relay(stage, radio.port)
    url = relay.base + "/stream"
    with results.check("radio add, list, and play by its name") as check:
        done = command(stage, "radio", "add", "checks", url)
        equal(done.returncode, 0, f"the exit status, with {done.stderr.decode()!r},")
        text = command(stage, "radio", "list").stdout.decode()
        expect("checks" in text and url in text, f"the list says {text!r}")
        lines = [json.loads(line) for line in command(stage, "radio", "list", "--json").stdout.splitlines()]
        equal([line["name"] for line in lines], ["checks"], "the names")
        play = Play(stage, "checks", "--length", "2s")
        equal(play.wait(), 0, f"the exit status of play, with {play.explain()},")
        expect(abs(play.seconds - 2) < 0.1, f"{play.seconds} s were played")
        equal(len(relay.connections), 1, "the count of connections")
        check.figure = text.strip()
    with results.check("a name in use, an invalid name and an invalid URL end with 2 and a message") as check:
        said = []
        for words in (("checks", url), ("a:b/c", url), ("other", "no URL at all"), ("other", "ftp://127.0.0.1/x")):
            done = command(stage, "radio", "add", *words)
            equal(done.returncode, 2, f"the exit status of {words}, with {done.stderr.decode()!r},")
            said.append(speech.sentence(done.stderr.decode(), 2))
        check.figure = said[0]
    with results.check("radio remove removes the station; an unknown name ends with 2 and a message") as check:
        equal(command(stage, "radio", "remove", "checks").returncode, 0, "the exit status")
        equal(command(stage, "radio", "list").stdout.count(b"checks"), 0, "the remaining entries in the list")
        done = command(stage, "radio", "remove", "checks")
        equal(done.returncode, 2, f"the exit status, with {done.stderr.decode()!r},")
        check.figure = speech.sentence(done.stderr.decode())


def recorded(play):
    """The finished files, in the order of the sound: (path, title)."""
    return [(event["file"], event.get("title")) for event in play.of("recording") if event["state"] == "ended"]


def recordings(results, stage, radio):
    with results.check("--record splits at titles without re-encoding: the files have the received bytes") as check:
        relay = Relay(stage, radio.port)
        folder = stage.new_folder("recordings")
        play = Play(stage, relay.base + "/stream", "--record", folder, "--length", "14s")
        equal(play.wait(), 0, f"the exit status, with {play.explain()},")
        (connection,) = relay.connections
        stream = captures.stream(bytes(connection.received))
        files = recorded(play)
        expect(len(files) >= 3, f"there are only {files}, with {play.explain()}")
        bare = [name.rpartition("/")[2] for name, _ in files]
        equal(sorted(os.listdir(folder)), sorted(bare), "the files in the folder")
        pieces = [(folder / name.rpartition("/")[2]).read_bytes() for name, _ in files]
        whole = b"".join(pieces)
        at = stream.sound.find(whole[:2000])
        expect(at >= 0 and at < 2 * 417 + 1, f"the recording begins at byte {at} of the sound")
        expect(stream.sound[at : at + len(whole)] == whole, "the recording does not have the received bytes")
        expect(len(whole) > 12 * RATE, f"only {len(whole)} bytes were recorded")
        # The recording begins and ends with the audible sound.
        heard, kept = play.seconds, len(whole) / RATE
        expect(abs(kept - heard) < 0.3, f"{kept:.2f} s were recorded of {heard:.2f} played s")
        # The recorder cuts each file at the packet where its title begins.
        frames = {frame.offset for frame in captures.frames(stream.sound)}
        begin, cuts = at, []
        for piece in pieces[:-1]:
            begin += len(piece)
            expect(begin in frames, f"a file begins at byte {begin}, inside of a packet")
            cuts.append(begin)
        told = [offset for offset, _ in stream.titles if offset > at]
        for begin in cuts:
            nearest = min(abs(begin - offset) for offset in told)
            expect(nearest <= 418, f"the cut at {begin} is at none of the titles {told}")
        for piece in pieces:
            samples.decoded("a recording", data=piece)
        for name, title in files:
            expect("/" not in name.rpartition("/")[2] and title, f"the file {name!r} has the title {title!r}")
        check.figure = f"{len(files)} files, {kept:.2f} s of {heard:.2f} s heard: {', '.join(bare)}"


def chained_recording(results, stage):
    with results.check("--record at a chained Ogg Vorbis station: each file is a complete stream") as check:
        links = []
        for number in range(8):
            links.append(stage.folder / f"link-{number}.ogg")
            words = ["oggenc", "-Q", "-t", f"Link {number}", "--serial", 10 + number, "-o", links[-1]]
            sounds.run([*words, samples.programme(4)])
        icecast = with_ogg(stage, "/chain.ogg", links)
        relay = Relay(stage, icecast.port)
        folder = stage.new_folder("recordings")
        play = Play(stage, relay.base + "/chain.ogg", "--record", folder, "--length", "10s")
        equal(play.wait(), 0, f"the exit status, with {play.explain()},")
        stream = captures.stream(bytes(relay.connections[-1].received))
        theirs = captures.links(stream.sound)
        files = recorded(play)
        expect(len(files) >= 3, f"there are only {files}")
        for number, (name, title) in enumerate(files):
            data = (folder / name.rpartition("/")[2]).read_bytes()
            equal(title, captures.comment(theirs[number], "TITLE"), "a title")
            ours, expected = samples.decoded(name, data=data), samples.decoded("a link", data=theirs[number])
            # The first file begins where the recording does, inside the burst; no other seam loses packets.
            found = samples.expect_equal(ours, expected, 2, name, least=len(ours) // 4 - 10_000, reach=200_000)
            if number == 0:
                check.figure = f"the first begins {found.shift} frames after the received sound; "
            else:
                equal(found.shift, 0, f"where {name} begins")
            if number < len(files) - 1:
                equal(len(ours) // 4 + found.shift, len(expected) // 4, f"the count of frames of {name}")
        check.figure += f"{len(files)} files: {', '.join(str(title) for _, title in files)}"


def returning(results, stage, song, radios):
    """Plays stations that soon close, and that send the last five seconds again after a reconnection."""
    seconds = {3: 14, 8: 20}
    plays = {}
    for closing, length in seconds.items():
        radio = radios[closing]
        folder = stage.new_folder("recordings")
        plays[closing] = (radio, folder, Play(stage, radio.url, "--record", folder, "--length", f"{length}s"))
    programme = song.read_bytes()
    for closing, (radio, folder, play) in plays.items():
        with results.check(f"closing every {closing} s with a burst of 5 s: no sound plays or is recorded twice") as check:
            equal(play.wait(), 0, f"the exit status, with {play.explain()},")
            connections = len(radio.record)
            expect(connections >= seconds[closing] // (closing + 2), f"there were only {connections} connections")
            whole = b"".join((folder / name.rpartition("/")[2]).read_bytes() for name, _ in recorded(play))
            at = programme.find(whole[:2000])
            expect(at >= 0, "the recording does not begin with sent bytes")
            expect(programme[at : at + len(whole)] == whole, "the recording is not the programme without a gap")
            theirs = samples.decoded("the programme", data=whole)
            least = (seconds[closing] - 1) * 44100
            samples.expect_equal(play.wave.data, theirs, 2, "the sound", 12 * 1152, least=least)
            check.figure = f"{connections} connections, {len(whole) / RATE:.1f} s recorded, byte for byte"


def remembered(results, stage):
    with results.check("weir remembers the position in a long file") as check:
        long = stage.folder / "talk.mp3"
        many = stage.folder / "many.txt"
        many.write_text(f"file '{samples.programme(60)}'\n" * 25)
        sounds.run(["ffmpeg", "-v", "error", "-f", "concat", "-safe", 0, "-i", many, "-ac", 1, "-b:a", "32k", long])
        # Weir remembers no position in the first ten seconds.
        play = Play(stage, long, "--start", "60", sink="null")
        play.until_playing()
        begin = time.monotonic()
        play.until(lambda: time.monotonic() > begin + 8, 30, "some seconds of it")
        equal(play.stop(signal.SIGINT), 130, "the exit status")
        last = play.of("state")[-1]["position"]
        again = Play(stage, long, sink="null", cache=play.cache)
        again.until_playing()
        first = next(event["position"] for event in again.of("state") if event["state"] == "playing")
        expect(first > 62 and abs(first - last) <= 2, f"it begins at {first} s after {last} s, with {again.explain()}")
        again.stop(signal.SIGINT)
        check.figure = f"it stopped at {last:.1f} s, and continues at {first:.1f} s"


def proxied(results, stage, radio):
    with results.check("weir exec NAME -- mpv plays a station through the proxy") as check:
        done = command(stage, "radio", "add", "checks", radio.url)
        equal(done.returncode, 0, f"the exit status of add, with {done.stderr.decode()!r},")
        target = stage.folder / "through.pcm"
        words = ("mpv", "--no-config", "--no-video", "--ao=pcm", f"--ao-pcm-file={target}", "--ao-pcm-waveheader=no",
                 "--audio-format=s16", "--length=3", "--really-quiet", "{}")
        done = command(stage, "exec", "checks", "--cache", stage.new_folder("cache"), "--", *words)
        equal(done.returncode, 0, f"the exit status, with {done.stderr.decode()[-300:]!r},")
        seconds = target.stat().st_size / 4 / 44100
        expect(2.5 < seconds < 3.5, f"{seconds:.2f} s were played")
        check.figure = f"{seconds:.2f} s"
