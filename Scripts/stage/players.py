# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Real players: mpv, ffmpeg and curl, and digests of their output."""

import hashlib
import json
import os
import socket
import subprocess

from . import waiting
from .program import Program


class PlayerFailed(Exception):
    """A player failed; the message is its own."""


def run(words, environment, timeout=90):
    done = subprocess.run(
        [str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, env=environment, timeout=timeout
    )
    if done.returncode != 0:
        text = (done.stderr or done.stdout).decode(errors="replace").strip()
        raise PlayerFailed(f"{words[0]} ended with {done.returncode}: {text[-400:]}")
    return done.stdout


def decoded_by_ffmpeg(thing, environment, start=None, seconds=None):
    """A digest of every decoded picture and sample, from `start` and for `seconds` if given."""
    words = ["ffmpeg", "-nostdin", "-v", "error", "-xerror"]
    words += ["-ss", start] if start is not None else []
    words += ["-i", thing]
    words += ["-t", seconds] if seconds is not None else []
    return run([*words, "-f", "md5", "-"], environment).decode().strip()


def decoded_by_mpv(thing, environment, folder, start=None, seconds=None):
    """A digest of the samples that mpv plays."""
    target = folder / "mpv.pcm"
    target.unlink(missing_ok=True)
    words = ["mpv", "--no-config", "--no-video", "--ao=pcm", f"--ao-pcm-file={target}", "--ao-pcm-waveheader=no"]
    words += [f"--start={start}"] if start is not None else []
    words += [f"--length={seconds}"] if seconds is not None else []
    run([*words, "--msg-level=all=error", "--", thing], environment)
    data = target.read_bytes()
    target.unlink()
    if not data:
        raise PlayerFailed("mpv played nothing")
    return f"{len(data)} bytes, {hashlib.md5(data).hexdigest()}"


def read_by_curl(url, environment, *options):
    """The SHA-256 of the bytes that curl reads."""
    return hashlib.sha256(run(["curl", "-sS", "--fail", "--max-time", "60", *options, url], environment)).hexdigest()


class Mpv:
    """An mpv that plays in real time and is controlled over its socket; `options` are more options."""

    def __init__(self, stage, thing, *options):
        # The path of a socket must be short.
        self.path = f"{stage.folder}/mpv.sock" if len(str(stage.folder)) < 80 else f"/tmp/mpv-{os.getpid()}.sock"
        words = ["mpv", "--no-config", "--ao=null", "--vo=null", "--msg-level=all=warn", "--cache=yes", "--idle=no"]
        self.program = stage.put(
            Program([*words, *options, f"--input-ipc-server={self.path}", "--", thing], stage.folder, stage.name("mpv"),
                    stage.environment)
        )
        self.replies = b""
        self.number = 0
        waiting.until(self.connect, 15, "mpv's start", pause=0.05)

    def connect(self):
        if not self.program.is_alive():
            raise PlayerFailed(f"mpv ended with {self.program.poll()}: {self.said()}")
        self.line = socket.socket(socket.AF_UNIX)
        self.line.settimeout(10)
        try:
            self.line.connect(self.path)
            return True
        except OSError:
            self.line.close()
            return False

    def said(self):
        return (self.program.error + self.program.output).strip()[-400:]

    def ask(self, *words):
        """Sends a command; returns the data of mpv's answer, or None if mpv reports an error."""
        self.number += 1
        try:
            self.line.sendall(json.dumps({"command": words, "request_id": self.number}).encode() + b"\n")
            while True:
                while b"\n" not in self.replies:
                    piece = self.line.recv(65536)
                    if not piece:
                        raise PlayerFailed(f"mpv ended: {self.said()}")
                    self.replies += piece
                line, _, self.replies = self.replies.partition(b"\n")
                reply = json.loads(line)
                if reply.get("request_id") == self.number and "error" in reply:
                    return reply.get("data") if reply["error"] == "success" else None
        except OSError as error:
            raise PlayerFailed(f"mpv ended ({error}): {self.said()}") from error

    def position(self):
        """Seconds into the file; 0 before it plays."""
        return self.ask("get_property", "time-pos") or 0.0

    def reach(self, position, limit=45):
        """Waits until playback has passed a position."""
        waiting.until(lambda: self.position() >= position, limit, f"playing past {position:.0f} s", pause=0.05)
        return self.position()

    def seek(self, position):
        self.ask("seek", position, "absolute", "exact")

    def quit(self):
        try:
            self.ask("quit")
        except PlayerFailed:
            # mpv may end before it answers.
            pass
        self.line.close()
        return self.program.wait()
