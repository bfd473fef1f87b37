# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""`weir play` at a real Icecast: the sound and titles equal those that ffmpeg decodes from the server's bytes."""

import time
from dataclasses import dataclass, field

import captures
import samples
from check_results import equal, expect
from listening import Play
from servers.icecast import FFmpegSource, Icecast, OggSource
from servers.relay import Relay
from stage import sounds, waiting
from stage.stage import Stage

# How long the sources run before a client listens, so that the burst begins in the middle of the stream.
AHEAD = 6.0
# The titles set while Weir listens: some that ISO 8859-1 can encode, and some that it cannot.
LATIN = ("Don't; stop='x', Zoë", "Ça va: naïve")
UNICODE = ("Песня 歌 𝄞 Zoë", "Don't; stop='x'")
# How many seconds of sound a listener receives before the first title, including the burst of up to 4 s, and between
# two titles.
FIRST, APART = 5.0, 2.0
BEFORE = "The first"

MP3, AAC = captures.mp3_frame, captures.adts_frame
# After a join in the middle of a stream, the first packets need earlier packets that did not arrive. Up to nine MP3
# packets use earlier bits (511 bytes of main data). Each MP3 or AAC packet also overlaps with half of the packet
# before it. Players conceal these gaps differently. Ogg packets are all comparable from the first sample on.
UNSURE = {MP3: 12 * 1152, AAC: 3 * 1024, None: 0}
PACKET = {MP3: 1152, AAC: 1024}
BARE = ["-write_xing", 0, "-id3v2_version", 0]


@dataclass
class Station:
    """A mount, and the sound that its source sends."""

    name: str
    mount: str
    words: list = field(default_factory=list)
    muxer: str = "ogg"
    content_type: str = "application/ogg"
    # The function that parses the head of its packets; None for Ogg.
    frame: object = None
    # The titles to set, and the charset in which the server sends them.
    titles: tuple = ()
    charset: str = "cp1252"
    # The files of a chained stream.
    links: list = field(default_factory=list)
    # Whether its rate changes between files.
    is_mixed: bool = False


STATIONS = [
    Station("MP3", "/live.mp3", ["-c:a", "libmp3lame", "-b:a", "128k", *BARE], "mp3", "audio/mpeg", MP3, LATIN),
    Station("MP3 of variable rate, titles in UTF-8", "/utf8.mp3", ["-c:a", "libmp3lame", "-q:a", 2, *BARE], "mp3",
            "audio/mpeg", MP3, UNICODE, "utf-8"),
    Station("AAC", "/live.aac", ["-c:a", "aac", "-b:a", "128k"], "adts", "audio/aac", AAC, LATIN),
    Station("Ogg Opus", "/live.opus", ["-c:a", "libopus", "-b:a", "96k"]),
    Station("Ogg FLAC", "/live.flac", ["-c:a", "flac"]),
]


def run(results):
    seconds = 60 if results.is_long else 10
    with Stage("radio") as stage:
        icecast = Icecast(stage, utf8=("/utf8.mp3",))
        stations = STATIONS + chained(stage, seconds)
        start = time.monotonic()
        for station in stations:
            feed(icecast, station)
        # The burst fills in real time, and no event tells that it is full.
        waiting.until(lambda: time.monotonic() > start + AHEAD, AHEAD + 1, "a full burst", pause=0.1)
        listened = [Listened(stage, icecast, station, seconds) for station in stations]
        set_titles(icecast, listened)
        for each in listened:
            name = each.station.name
            with results.check(f"{name}: {seconds} s are {each.claim}") as check:
                check.figure = each.compare_sound()
            with results.check(f"{name}: titles come with the sample that they belong to, within a packet") as check:
                check.figure = each.compare_titles()
        with results.check("each station got at most two requests, and no connection to the server remains") as check:
            for each in listened:
                waiting.until(lambda: not each.relay.open_connections, 5, "the end of the connections")
                count = len(each.relay.connections)
                expect(count <= 2, f"{each.station.mount} was asked {count} times")
                waiting.until(lambda: icecast.listeners(each.station.mount) == 0, 5, "the end of the listeners")
            check.figure = f"{len(listened)} stations"


def feed(icecast, station):
    """Gives a mount its source and its first title."""
    if station.links:
        OggSource(icecast, station.mount, station.links)
    else:
        wav = samples.programme(60)
        FFmpegSource(icecast, station.mount, wav, station.words, station.muxer, station.content_type)
    icecast.wait_for(station.mount)
    if station.titles:
        icecast.set_title(station.mount, BEFORE)


def set_titles(icecast, listened):
    """Sets each mount's titles according to the seconds of sound that its own listener has received."""
    due = {each: (FIRST, each.station.titles) for each in listened if each.station.titles}

    def are_set():
        for each, (seconds, (title, *others)) in list(due.items()):
            sent = each.seconds_sent()
            if not each.play.program.is_alive():
                # The checks of this listener report the reason.
                del due[each]
            elif sent >= seconds:
                icecast.set_title(each.station.mount, title)
                due[each] = (sent + APART, others)
                if not others:
                    del due[each]
        return not due

    waiting.until(are_set, 60, "the sound before the last title", pause=0.05)


def chained(stage, seconds):
    """Stations of many files, each with its own title: Vorbis, Opus, and Vorbis with changing rates."""
    vorbis, opus, mixed = [], [], []
    for number in range((seconds + 22) // 3):
        # Links with odd lengths, so that no packet ends at the end of a link.
        begin, length = 997 * number, 3 * 44100 + 7919 * (number % 5) + 13
        piece = stage.folder / f"piece-{number}.wav"
        cut = f"atrim=start_sample={begin}:end_sample={begin + length}"
        sounds.run(["ffmpeg", "-v", "error", "-y", "-i", samples.programme(60), "-af", cut, piece])
        for folder, suffix in ((vorbis, "ogg"), (opus, "opus"), (mixed, "mixed.ogg")):
            folder.append(stage.folder / f"link-{number}.{suffix}")
        title = f"Song {number} of Zoë"
        oggenc = ["oggenc", "-Q", "-q", 3, "-t", title, "--serial"]
        sounds.run([*oggenc, 1000 + number, "-o", vorbis[-1], piece])
        sounds.run([*oggenc, 2000 + number, "--resample", (44100, 22050)[number % 2], "-o", mixed[-1], piece])
        opusenc = ["opusenc", "--quiet", "--bitrate", 96, "--title", title, "--serial"]
        sounds.run([*opusenc, 3000 + number, piece, opus[-1]])
    return [
        Station("chained Ogg Vorbis", "/chain.ogg", links=vorbis),
        Station("chained Ogg Opus", "/chain.opus", links=opus),
        Station("chained Ogg Vorbis whose rate changes", "/mixed.ogg", links=mixed, is_mixed=True),
    ]


class Listened:
    """Plays a station through a relay that records the bytes that Weir receives."""

    def __init__(self, stage, icecast, station, seconds):
        self.station = station
        self.seconds = seconds
        self.relay = Relay(stage, icecast.port)
        self.play = Play(stage, f"{self.relay.base}{station.mount}", "--length", f"{seconds}s")
        self.theirs = None

    @property
    def claim(self):
        if self.station.is_mixed:
            return "heard without a gap, at one rate"
        return "sample for sample what ffmpeg decodes of the same bytes"

    def seconds_sent(self):
        """How many seconds of sound the station has sent; 0 until Weir plays."""
        # A title that was set before the client listens is the client's first title.
        received = bytes(self.relay.connections[-1].received) if "playing" in self.play.states else b""
        if not captures.HEAD_END.search(received):
            return 0.0
        sound = captures.stream(received).sound
        return sum(packet.samples for packet in captures.frames(sound, self.station.frame)) / 44100

    def compare_sound(self):
        equal(self.play.wait(self.seconds + 30), 0, f"the exit status, with {self.play.explain()},")
        # If the name looks like a file, Weir first requested it as a file; the last connection is the station's.
        connection = self.relay.connections[-1]
        self.stream = captures.stream(bytes(connection.received))
        self.wave = self.play.wave
        rate = self.expected_rate()
        equal((self.wave.rate, self.wave.channels, self.wave.bits), (rate, 2, 16), "rate, channels and bits")
        self.length = len(self.wave.data) // 4
        expect(abs(self.length - self.seconds * rate) <= 4096, f"{self.length} frames are not {self.seconds} s")
        self.pieces = self.decode()
        self.shift = 0
        if self.station.is_mixed:
            return self.compare_mixed()
        self.theirs = b"".join(data for _, data in self.pieces)
        skip = UNSURE[self.station.frame]
        # The comparison must cover nearly all of the sound.
        least = self.length - skip - 5000
        found = samples.expect_equal(self.wave.data, self.theirs, 2, "the sound", skip, least=least)
        self.shift = found.shift
        return f"{found.frames} frames; the first {skip} left out, ffmpeg begins {found.shift} earlier"

    def expected_rate(self):
        if self.station.frame:
            return 44100
        return captures.link_rate(captures.links(self.stream.sound)[0])

    def decode(self):
        """ffmpeg's samples of the whole stream, or of each link: pairs of the received bytes and their samples."""
        sound = self.stream.sound
        if self.station.frame:
            self.packets = captures.frames(sound, self.station.frame)
            # Skips the rest of a frame before the first packet, in which ffmpeg may find bytes like a header.
            begin, end = self.packets[0].offset, self.packets[-1].offset + self.packets[-1].size
            data = samples.decoded("the capture", data=sound[begin:end])
            equal(len(data) // 4, sum(packet.samples for packet in self.packets), "the count of frames of ffmpeg's")
            return [(sound, data)]
        pieces = []
        for link in captures.links(sound):
            try:
                pieces.append((link, samples.decoded("a link", data=link)))
            except samples.Nothing:
                # The capture ends before this link's sound.
                pieces.append((link, b""))
        return pieces

    def compare_mixed(self):
        """If the rate changes, Weir converts to the first rate: there is no silence, and lengths are right."""
        levels = samples.levels(self.wave.data, 2, self.wave.rate // 20)
        quiet = [index for index, level in enumerate(levels) if level < 300]
        equal(quiet, [], "the twentieths of a second that are silent")
        return f"{len(self.pieces)} links, all of it at {self.wave.rate} Hz, nothing silent"

    def compare_titles(self):
        if self.station.frame:
            expected, tolerance = self.expected_of_icy(), PACKET[self.station.frame]
        else:
            # The start of a link is known exactly, unless its samples are converted: the converter looks ahead.
            expected, tolerance = self.expected_of_links(), 256 if self.station.is_mixed else 0
        seen = [pair for pair in self.play.titles if pair[0]]
        # A title at the very end may or may not have been reported.
        expected, seen = ([pair for pair in pairs if pair[1] < self.length - 4096] for pairs in (expected, seen))
        equal([title for title, _ in seen], [title for title, _ in expected], "the titles")
        if not self.station.titles and not self.station.links:
            return "none, as it has none"
        expect(len(expected) >= 3, f"there are only {len(expected)} titles to compare")
        worst = max(abs(mine - other) for (_, mine), (_, other) in zip(seen, expected))
        expect(worst <= tolerance, f"a title is {worst} samples off: seen {seen}, expected {expected}")
        return f"{len(seen)} titles, at most {worst} samples off"

    def expected_of_icy(self):
        """Each title, and the first sample of the first packet that begins at or behind it."""
        found = []
        for offset, block in self.stream.titles:
            text = block.rstrip(b"\0").decode(self.station.charset)
            title = text.removeprefix("StreamTitle='").removesuffix("';")
            sample = sum(packet.samples for packet in self.packets if packet.offset < offset)
            found.append((title, max(0, sample - self.shift)))
        return found

    def expected_of_links(self):
        """Each link's title, and where its sound begins."""
        found, seconds = [], 0.0
        for link, data in self.pieces:
            sample = round(seconds * self.wave.rate) - self.shift
            found.append((captures.comment(link, "TITLE"), max(0, sample)))
            seconds += len(data) / 4 / captures.link_rate(link)
        return [(title, sample) for title, sample in found if title]
