# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Stations at a real Icecast that leave and come back; and files without a length, which are not stations."""

import socket
import subprocess
import threading
import time

import samples
from check_results import equal, expect
from listening import Play
from servers.icecast import FFmpegSource, Icecast
from servers.relay import Relay
from stage import sounds
from stage.stage import Stage
from stage.weir import Weir

MOUNT, OTHER = "/live.mp3", "/other.mp3"
WORDS = ["-c:a", "libmp3lame", "-b:a", "128k", "-write_xing", 0, "-id3v2_version", 0]


def run(results):
    with Stage("leaving") as stage:
        icecast = Icecast(
            stage,
            more=f"<mount><mount-name>{MOUNT}</mount-name><fallback-mount>{OTHER}</fallback-mount></mount>"
            "<mount><mount-name>/small</mount-name><max-listeners>1</max-listeners></mount>",
        )
        lengths(results, stage)
        cases = {
            f"the source is away for {seconds} s: the station plays again, and ends with 0": (away, seconds)
            for seconds in ((1, 6, 60) if results.is_long else (1, 6))
        }
        cases["the mount is full when the station returns: weir waits for a place"] = (full,)
        cases["the mount falls back to another, and returns: the sound continues"] = (fallback,)
        side_by_side(results, stage, icecast, cases)
        with results.check("Icecast restarts: the station plays again, and ends with 0") as check:
            check.figure = restarted(stage, icecast)


def side_by_side(results, stage, icecast, cases):
    """Runs cases at the same time, since each mostly waits, and then reports each."""
    figures, failures = {}, {}

    def run_one(name, function, *words):
        try:
            figures[name] = function(stage, icecast, *words)
        except Exception as failure:  # It is raised again below.
            failures[name] = failure

    threads = [threading.Thread(target=run_one, args=(name, *case), daemon=True) for name, case in cases.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name in cases:
        with results.check(name) as check:
            if name in failures:
                raise failures[name]
            check.figure = figures[name]


def feed(icecast, mount):
    source = FFmpegSource(icecast, mount, samples.programme(60), WORDS, "mp3", "audio/mpeg")
    icecast.wait_for(mount)
    return source


def listen(stage, icecast, mount, seconds):
    """A play of a mount that has begun to play."""
    play = Play(stage, f"{icecast.base}{mount}", "--length", f"{seconds}s")
    play.until_playing()
    return play


def finish(play, seconds, least=1):
    """Expects at least `least` reconnections and the right length of sound; returns the figure."""
    equal(play.wait(seconds + 90), 0, f"the exit status, with {play.explain()},")
    expect(abs(play.seconds - seconds) < 0.1, f"{play.seconds:.2f} s were played of {seconds} s")
    back = max((event["reconnects"] for event in play.of("station")), default=0)
    expect(back >= least, f"it reconnected {back} times: {play.losses}, {play.explain()}")
    return f"{play.seconds:.1f} s, back {back} times, losses: {' '.join(play.losses)}"


def away(stage, icecast, seconds):
    mount = f"/away-{seconds}.mp3"
    source = feed(icecast, mount)
    play = listen(stage, icecast, mount, 9)
    source.stop()
    gone = time.monotonic()
    play.until(lambda: time.monotonic() > gone + seconds, seconds + 5, "the source's return")
    feed(icecast, mount)
    return finish(play, 9)


def full(stage, icecast):
    feed(icecast, "/small")
    relay = Relay(stage, icecast.port)
    play = Play(stage, f"{relay.base}/small", "--length", "9s")
    play.until_playing()
    # Another listener must take the free place before Weir does. Weir may be faster once or twice, so the loop repeats.
    taken = None
    while taken is None:
        for connection in relay.open_connections:
            connection.leave("server")
        other = socket.create_connection(("127.0.0.1", icecast.port), timeout=30)
        other.sendall(b"GET /small HTTP/1.0\r\n\r\n")
        if b" 200 " in other.recv(200):
            taken = other
        else:
            other.close()
    with taken:
        play.until(lambda: "refused" in play.losses, 20, "a refusal of the full mount")
    said = [event.get("message") for event in play.of("station") if event.get("reason") == "refused"]
    return f"{finish(play, 9)}; {said[0]}"


def fallback(stage, icecast):
    feed(icecast, OTHER)
    source = feed(icecast, MOUNT)
    play = listen(stage, icecast, MOUNT, 9)
    source.stop()
    gone = time.monotonic()
    play.until(lambda: time.monotonic() > gone + 2, 5, "two seconds of the other mount")
    feed(icecast, MOUNT)
    return finish(play, 9, least=0)


def restarted(stage, icecast):
    source = feed(icecast, "/again.mp3")
    play = listen(stage, icecast, "/again.mp3", 9)
    icecast.restart()
    source.stop()
    feed(icecast, "/again.mp3")
    return finish(play, 9)


class Unmeasured:
    """Sends a file without its length, in chunks or until the connection's end; records the requests' first lines."""

    def __init__(self, stage, data):
        self.data, self.asked = data, []
        self.line = socket.create_server(("127.0.0.1", 0))
        stage.callback(self.line.close)
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def base(self):
        return f"http://127.0.0.1:{self.line.getsockname()[1]}"

    def accept(self):
        while True:
            try:
                near, _ = self.line.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(near,), daemon=True).start()

    def serve(self, near):
        with near:
            try:
                request = b""
                while b"\r\n\r\n" not in request:
                    piece = near.recv(4096)
                    if not piece:
                        return
                    request += piece
                path = request.split()[1].decode()
                self.asked.append(path)
                head = "Content-Type: audio/mpeg\r\n"
                if path.startswith("/chunked"):
                    near.sendall(f"HTTP/1.1 200 OK\r\n{head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n".encode())
                    for at in range(0, len(self.data), 4000):
                        piece = self.data[at : at + 4000]
                        near.sendall(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                    near.sendall(b"0\r\n\r\n")
                else:
                    near.sendall(f"HTTP/1.0 200 OK\r\n{head}\r\n".encode() + self.data)
            except OSError:
                # A client that has read enough of the head leaves.
                return


def lengths(results, stage):
    song = stage.folder / "five.mp3"
    sounds.run(["lame", "--quiet", "-t", "-b", 128, "--cbr", samples.programme(5), song])
    server = Unmeasured(stage, song.read_bytes())
    for path in ("/chunked.mp3", "/chunked", "/closed.mp3", "/closed"):
        with results.check(f"a file without a length plays once, and ends: {path}") as check:
            play = Play(stage, server.base + path)
            equal(play.wait(40), 0, f"the exit status, with {play.explain()},")
            expect(4.9 < play.seconds < 5.2, f"{play.seconds:.2f} s were played of 5 s")
            expect(not play.of("station"), "weir treated it as a station")
            check.figure = f"{play.seconds:.2f} s, asked {server.asked.count(path)} times"
    with results.check("weir serve and curl give the same bytes") as check:
        weir = Weir(stage, server.base + "/")
        for path in ("/chunked.mp3", "/closed"):
            done = subprocess.run(["curl", "-sS", "-m", "20", weir.base.rstrip("/") + path], capture_output=True)
            equal(done.returncode, 0, f"curl's exit status, with {done.stderr!r},")
            expect(done.stdout == server.data, f"{len(done.stdout)} of {len(server.data)} bytes arrived")
        check.figure = f"{len(server.data)} bytes, twice"
        weir.stop()
