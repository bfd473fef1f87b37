# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""`weir play` at stations that behave badly: its messages, the lost sound, and no leaks."""

import random
import re
import time
from dataclasses import dataclass, field

import captures
import samples
import speech
from check_results import equal, expect
from listening import Holding, Play, grown
from servers.hostile_radio import HostileRadio
from servers.relay import Relay
from stage import sounds, waiting
from stage.origin import closed_port
from stage.stage import Stage
from stage.weir import command

# Sound of 128 kbit/s; a new listener gets the first BURST bytes at once.
RATE = 16000
BURST = 2 * RATE
SKIP = 12 * 1152
PACKET = 1152

# Patterns of the player's states, with a sink that plays in real time. SMOOTH: nothing goes wrong.
BEGIN = "starting waitingForData (waitingForQueueToStart )?playing"
END = " stopping stopped"
SMOOTH = BEGIN + END
# DRY: the sound runs out once while the connection is open. LOST: it runs out during a reconnection.
DRY = BEGIN + " buffering playing" + END
LOST = BEGIN + "( buffering)? buffering/temporary( buffering)? playing" + END
CLOSING = BEGIN + "( buffering| buffering/temporary| playing)*" + END
# A reconnection comes before the first sound.
LATE = "starting( starting/temporary starting)? waitingForData (waitingForQueueToStart )?playing" + END


@dataclass
class Case:
    """A behaviour of the station, and the expected results."""

    name: str
    behaviours: list
    # The states, as a pattern.
    states: str = SMOOTH
    # The reasons for the lost connections in order, as a pattern of codes.
    losses: str = ""
    # How long Weir plays, in seconds.
    length: float = 6
    # How much of the programme may be missing between two connections, in seconds.
    lost: float = 0.0
    # The least number of connections with sound.
    connections: int = 1
    titles: list = field(default_factory=list)
    # The exit status, and the number of requests if it is certain.
    status: int = 0
    asked: int | None = None
    # Whether Weir plays it by a station name: a URL that answers with a page has no known type.
    is_named: bool = False
    # The files of the programme, the path that Weir plays, and the entries of a playlist there.
    files: tuple = ("song.mp3",)
    address: str = "/stream"
    entries: tuple = ()
    # Whether the samples are compared with ffmpeg's.
    is_compared: bool = True


NAMES = ["Zoë Don't; stop", "Ça va", "x='y';z"]
TITLES = [(0, NAMES[0]), (3 * RATE + 77, NAMES[1]), (4 * RATE + 5, NAMES[2])]

CASES = [
    Case("ICY 200 OK", ["icy"], titles=TITLES),
    Case("ICY 200 OK and bare line feeds", ["icy+lf+tight"], titles=TITLES),
    Case("HTTP/1.1 with blanks before its colons", ["http11+loose"], titles=TITLES),
    # A slow machine may fall behind, because the pieces are small and many.
    Case("a title behind every byte", ["metaint=1"], BEGIN + "( buffering playing)*" + END, titles=TITLES),
    Case("a title behind every 255 bytes, in ISO 8859-1", ["metaint=255+latin1"], titles=TITLES),
    Case("titles 64 KiB apart", ["icy+metaint=65536"], titles=TITLES, length=8),
    Case("titles across the borders of chunks", ["chunked+metaint=255+portions=1/7/100/3"], titles=TITLES),
    Case("no titles at all", ["metaint=0"]),
    # Weir does not play repeated sound again, so each close leaves it with less buffered sound.
    Case("a redirect to a token that works once, and a close every 3 s", ["redirect=2/1+close=3"], CLOSING, length=10,
         losses="(ended )+", connections=2),
    Case("a close every 3 s", ["close=3"], CLOSING, length=10, losses="(ended )+", connections=2),
    Case("silence for 5 s", ["stall=80000/5"], DRY, length=12),
    Case("silence for 15 s", ["stall=80000/15", "plain"], LOST, length=12, losses="silent ", lost=10.5, connections=2),
    Case("a page, twice, from the start", ["page*2", "plain"], LATE, losses="notAudio notAudio ", is_named=True),
    Case("a page, twice, after a while", ["close=3", "page*2", "plain"], SMOOTH + "|" + LOST, length=12,
         losses="ended notAudio notAudio ", lost=2.5, connections=2),
    Case("half a head, twice, from the start", ["half-head*2", "plain"], LATE, losses="unreachable unreachable ",
         is_named=True),
    Case("half a head, twice, after a while", ["close=3", "half-head*2", "plain"], SMOOTH + "|" + LOST, length=12,
         losses="ended unreachable unreachable ", lost=2.5, connections=2),
    Case("garbage for 100 KiB", ["garbage=102400"]),
    Case("a change from MP3 to AAC", ["change=64000"], files=("song.mp3", "song.aac"), length=10, is_compared=False),
    Case("503 with Retry-After, twice", ["status=503/1*2", "plain"], LATE, losses="failing failing ", is_named=True),
    # One more request may succeed just before the station refuses connections.
    Case("no server for 4 s after each close", ["close=3+refuse=4*3", "plain"],
         CLOSING, length=12,
         losses="(ended |unreachable )*unreachable (ended |unreachable )*", lost=10.5, connections=2),
    Case("404 always", ["status=404"], "starting( starting/temporary)* stopping/error stopped/error", is_named=True,
         losses="(refused )+", status=3, asked=2),
    Case("a playlist whose first entry is gone", ["plain"], ".*" + SMOOTH, address="/listen.m3u",
         entries=("/missing", "/stream"), losses=".*"),
    Case("a playlist with relative entries", ["icy"], address="/listen.m3u"),
]

LONG = [
    Case("silence for 60 s", ["stall=160000/60", "plain"], SMOOTH + "|" + LOST, length=90, losses="silent ", lost=10.5,
         connections=2),
]


def run(results):
    cases = CASES + (LONG if results.is_long else [])
    with Stage("hostile") as stage:
        folder = stage.new_folder("programme")
        wav = samples.programme(60)
        sounds.run(["lame", "--quiet", "-t", "-b", 128, "--cbr", wav, folder / "song.mp3"])
        sounds.run(["ffmpeg", "-v", "error", "-i", wav, "-c:a", "aac", "-b:a", "128k", folder / "song.aac"])
        # All visits run at the same time, because each one mostly waits.
        visits = [Visit(stage, folder, case) for case in cases]
        for visit in visits:
            sentence = "right states, reasons and titles, and no received sound lost"
            with results.check(f"{visit.case.name}: {sentence}") as check:
                check.figure = visit.judge()
        with results.check("no connection to the servers remains") as check:
            relays = [relay for visit in visits for relay in visit.relays]
            for relay in relays:
                waiting.until(lambda: not relay.open_connections, 5, "the end of the connections")
            check.figure = f"{sum(len(relay.connections) for relay in relays)} connections"
        forever(results, stage, folder)
        leaks(results, stage, folder)
        if results.is_long:
            soak(results, stage, folder)


def once(sounds_sent):
    """The sound of the connections in pieces; a connection that repeats the previous one's end continues its piece."""
    pieces = []
    for sound in sounds_sent:
        frames = captures.frames(sound)
        if not frames:
            continue
        sound = sound[frames[0].offset : frames[-1].offset + frames[-1].size]
        before = pieces[-1] if pieces else b""
        at = before.find(sound[:2000])
        if at >= 0 and sound.startswith(before[at:]):
            pieces[-1] = before[:at] + sound
        else:
            pieces.append(sound)
    return pieces


class Visit:
    """Plays a case's station twice: in real time, and into a file as fast as the sound arrives."""

    def __init__(self, stage, folder, case):
        self.case = case
        self.stage = stage
        self.files = [folder / name for name in case.files]
        self.radios, self.relays = [], []
        self.heard = self.listen("null")
        self.written = self.listen(None)

    def listen(self, sink):
        case = self.case
        radio = HostileRadio(self.stage, self.files, RATE, BURST, case.behaviours, case.titles, entries=case.entries)
        relay = Relay(self.stage, radio.port)
        self.radios.append(radio)
        self.relays.append(relay)
        thing = relay.base + case.address
        if case.is_named:
            name = self.stage.name("station")
            equal(command(self.stage, "radio", "add", name, thing).returncode, 0, "the exit status of weir radio add")
            thing = name
        return Play(self.stage, thing, "--length", f"{case.length}s", sink=sink)

    @property
    def connections(self):
        """The connections of the play into the file."""
        return self.relays[1].connections

    def judge(self):
        case = self.case
        for play in (self.heard, self.written):
            status = play.wait(case.length + 40)
            equal(status, case.status, f"the exit status, with {play.explain()},")
        states = " ".join(self.heard.states).replace("stopping/length", "stopping").replace("stopped/length", "stopped")
        expect(re.fullmatch(case.states, states), f"the states are {states}")
        losses = "".join(f"{loss} " for loss in self.heard.losses)
        expect(re.fullmatch(case.losses, losses), f"the losses are {losses!r}, not {case.losses!r}")
        if case.asked is not None:
            equal([len(relay.connections) for relay in self.relays], [case.asked] * 2, "the number of requests")
        if case.status != 0:
            return f"{states}; {self.heard.program.error.strip()}"
        wave = self.written.wave
        seconds = len(wave.data) / 4 / wave.rate
        expect(abs(seconds - case.length) < 0.1, f"{seconds:.2f} s were played of {case.length} s")
        figures = [f"{seconds:.1f} s", f"losses: {losses.strip() or 'none'}"]
        if case.is_compared:
            figures.append(self.compare(wave))
        else:
            quiet = [at for at, level in enumerate(samples.levels(wave.data, 2, wave.rate // 20)) if level < 300]
            equal(quiet, [], "the twentieths of a second that are silent")
        if case.titles:
            figures.append(self.compare_titles(wave))
        figures.append(f"at most {max(self.most_lost(radio) for radio in self.radios):.1f} s missing")
        return ", ".join(figures)

    def streams(self):
        """The bytes that the connections with sound carried."""
        found = []
        for connection in self.connections:
            data = bytes(connection.received)
            if captures.HEAD_END.search(data):
                stream = captures.stream(data)
                if " 200" in stream.status and "audio/mpeg" in stream.fields.get("content-type", "") and stream.sound:
                    found.append(stream)
        return found

    def compare(self, wave):
        """Expects that the play contains all sound of each connection, as ffmpeg decodes it."""
        if "redirect" in self.case.behaviours[0]:
            # A redirect bypasses the relay.
            radio = self.radios[1]
            sounds_sent = [radio.sound(entry["number"]) for entry in radio.record if entry["audioBytesSent"]]
        else:
            sounds_sent = [stream.sound for stream in self.streams()]
        expect(len(sounds_sent) >= self.case.connections, f"only {len(sounds_sent)} connections gave sound")
        pieces = [samples.decoded("a connection", data=sound) for sound in once(sounds_sent)]
        found = samples.places(wave.data, pieces, 2, SKIP, 2 * PACKET)
        heard = sum(frames for _, _, frames in found)
        # The packets at the seams and pieces that are too short are not compared.
        least = len(wave.data) // 4 - (len(found) + 1) * (SKIP + 4 * PACKET) - PACKET
        expect(heard >= least, f"only {heard} of {len(wave.data) // 4} frames match the received sound")
        return f"{heard} samples of {len(sounds_sent)} connections equal, in {len(found)} pieces"

    def compare_titles(self, wave):
        """Expects each title at the packet that it precedes."""
        (stream,) = self.streams()
        frames = captures.frames(stream.sound)
        charset = "cp1252" if "latin1" in self.case.behaviours[0] else "utf-8"
        end = frames[-1].offset + frames[-1].size
        data = samples.decoded("a connection", data=stream.sound[frames[0].offset : end])
        shift = samples.agreement(wave.data, data, 2, SKIP).shift
        expected = []
        for offset, block in stream.titles:
            found = re.match(r"StreamTitle='(.*?)';StreamUrl=", block.rstrip(b"\0").decode(charset), re.DOTALL)
            sample = sum(frame.samples for frame in frames if frame.offset < offset) - shift
            if not expected or expected[-1][0] != found[1]:
                expected.append((found[1], max(0, sample)))
        length = len(wave.data) // 4
        expected = [pair for pair in expected if pair[1] < length - 4 * PACKET]
        seen = [(title, sample) for title, sample in self.written.titles if title and sample < length - 4 * PACKET]
        equal([title for title, _ in seen], [title for title, _ in expected], "the titles")
        expect(len(expected) >= (1 if "65536" in self.case.behaviours[0] else 3), f"there are only {expected}")
        worst = max(abs(mine - other) for (_, mine), (_, other) in zip(seen, expected))
        expect(worst <= PACKET, f"a title is {worst} samples off: seen {seen}, expected {expected}")
        return f"{len(seen)} titles at most {worst} samples off"

    def most_lost(self, radio):
        """The longest part of the programme that no connection carried, by the station's own record."""
        sent = [entry for entry in radio.record if entry["status"] == 200 and entry["audioBytesSent"] > 0]
        worst = 0.0
        for before, after in zip(sent, sent[1:]):
            gap = after["audioStart"] - before["audioStart"] - before["audioBytesSent"]
            worst = max(worst, gap / RATE)
        expect(worst <= self.case.lost + 0.2, f"{worst:.2f} s of the programme are missing between two connections")
        return worst


def forever(results, stage, folder):
    """Plays addresses that never yield sound."""
    cases = {"an endless page": (["page"], 6), "no server from the start": (None, 4)}
    for name, (behaviours, status) in cases.items():
        with results.check(f"{name}, at a URL: weir ends with {status} and a message") as check:
            url = f"http://127.0.0.1:{closed_port(stage)}/stream"
            if behaviours:
                url = HostileRadio(stage, [folder / "song.mp3"], RATE, BURST, behaviours).url
            words = ("play", url, "--sink", "null", "--quiet", "--cache", stage.new_folder("cache"))
            done = command(stage, *words, timeout=30)
            said = done.stderr.decode(errors="replace")
            equal(done.returncode, status, f"the exit status, with {said.strip()[-300:]!r},")
            check.figure = speech.sentence(said, status)
    with results.check("endless garbage: weir retries with growing delays, and its resources do not grow") as check:
        radio = HostileRadio(stage, [folder / "song.mp3"], 4_000_000, 0, ["garbage=1000000000000"])
        relay = Relay(stage, radio.port)
        play = Play(stage, relay.base + "/stream", sink="null")
        play.until(lambda: len(relay.connections) >= 2, 20, "the second connection")
        before = Holding(play.program.pid)
        play.until(lambda: len(relay.connections) >= 4, 20, "the fourth connection")
        after = Holding(play.program.pid)
        equal(grown(before, after), [], "the growth")
        equal(set(play.losses), {"notAudio"}, "the losses")
        expect("playing" not in play.states, f"it played: {play.states}")
        delays = [event["delay"] for event in play.of("station") if "delay" in event]
        expect(delays == sorted(delays) and delays, f"the delays are {delays}")
        most = max(len(connection.received) for connection in relay.connections)
        expect(most < 4 << 20, f"{most} bytes were read of one connection")
        equal(play.stop(), 130, "the exit status")
        check.figure = f"delays {delays}, at most {most} bytes of one connection; {after}"


def leaks(results, stage, folder):
    """Many connections, one after another, do not increase threads, files or memory."""
    seconds = 120 if results.is_long else 20
    with results.check(f"{seconds} s with a close every 3 s: no thread, file or memory leaks") as check:
        radio = HostileRadio(stage, [folder / "song.mp3"], RATE, BURST, ["close=3"])
        relay = Relay(stage, radio.port)
        play = Play(stage, relay.base + "/stream", sink="null")
        play.until(lambda: len(relay.connections) > 1, 20, "the second connection")
        before, count = Holding(play.program.pid), len(relay.connections)
        start = time.monotonic()
        play.until(lambda: time.monotonic() > start + seconds, seconds + 5, "the end of the time")
        after = Holding(play.program.pid)
        made = len(relay.connections) - count
        expect(made >= seconds / 5, f"only {made} connections were made")
        equal(grown(before, after), [], "the growth")
        expect(len(relay.open_connections) <= 1, f"{len(relay.open_connections)} connections are open at once")
        play.until(lambda: play.states[-1] == "playing", 30, "playing again")
        equal(play.stop(), 130, "the exit status")
        waiting.until(lambda: not relay.open_connections, 5, "the end of the last connection")
        check.figure = f"{made} connections; {before}, then {after}"


def soak(results, stage, folder):
    """Plays for ten minutes, with random outages from a seed."""
    seed = random.randrange(1 << 32)
    with results.check("ten minutes with outages: the play always resumes, and its resources do not grow") as check:
        generator = random.Random(seed)
        radio = HostileRadio(stage, [folder / "song.mp3"], RATE, BURST, ["plain"])
        relay = Relay(stage, radio.port)
        play = Play(stage, relay.base + "/stream", sink="null")
        play.until_playing()
        start, before, cuts = time.monotonic(), None, 0
        while time.monotonic() < start + 600:
            pause = generator.uniform(5, 40)
            due = time.monotonic() + pause
            play.until(lambda: time.monotonic() > due, pause + 5, "the next outage")
            cuts += 1
            count = len(relay.connections)
            relay.cut()
            play.until(lambda: len(relay.connections) > count and play.states[-1] == "playing", 60, "playing again")
            before = before or Holding(play.program.pid)
        after = Holding(play.program.pid)
        equal(grown(before, after), [], f"the growth, seed {seed},")
        positions = [event["position"] for event in play.of("state") if "position" in event]
        equal(positions, sorted(positions), f"the positions, seed {seed},")
        play.stop()
        check.figure = f"seed {seed}, {cuts} outages; {before}, then {after}"
