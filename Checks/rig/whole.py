# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Plays a URL from its start to its end with a real player, as fast as the player can.

    facts = whole.PLAYERS["vlc"](stage, url, page)

returns what the player decoded: the same values for the same bytes, wherever they come from. A player that reports an
error, even one that it survives, raises PlayerFailed. `page` is the URL of any page of the same server: Chromium reads
byte ranges of a list only for a page of that server.
"""

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

from check_results import Skipped
from stage import players
from stage.players import PlayerFailed

from .chromium import Browser
from .child import Child
from .vlc import OWN
from .workspace import Workspace

LIMIT = 60

# How much faster than in real time Chromium plays.
RATE = 8

CHROMIUM = """
    new Promise(done => {
        const video = document.createElement("video");
        window.video = video;
        video.crossOrigin = "anonymous";
        video.muted = true;
        video.onended = () => done({seconds: Math.round(video.currentTime), error: null});
        video.onerror = () => done({error: video.error.message || "error " + video.error.code});
        video.onloadedmetadata = () => { video.playbackRate = %d; video.play(); };
        video.src = %s;
        document.body.append(video);
    })
"""


def run(workspace, words, name):
    """The output of a player; its standard error must be empty."""
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True,
                          env=workspace.environment, cwd=workspace.folder, timeout=LIMIT)
    said = done.stderr.decode(errors="replace").strip()
    if done.returncode != 0 or said:
        raise PlayerFailed(f"{name} ended with {done.returncode} and said {said[-400:]!r}")
    return done.stdout


def by_ffmpeg(stage, url, page=None):
    with Workspace(stage, "ffmpeg") as workspace:
        return run(workspace, ["ffmpeg", "-nostdin", "-v", "error", "-xerror", "-i", url, "-f", "md5", "-"], "ffmpeg").decode().strip()


def by_mpv(stage, url, page=None):
    with Workspace(stage, "mpv") as workspace:
        target = workspace.folder / "mpv.pcm"
        run(workspace, ["mpv", "--no-config", "--vo=null", "--untimed", "--ao=pcm", f"--ao-pcm-file={target}",
                        "--ao-pcm-waveheader=no", "--really-quiet", "--msg-level=all=error,ao/null=no", "--", url], "mpv")
        data = target.read_bytes() if target.exists() else b""
        if not data:
            raise PlayerFailed("mpv played nothing")
        return f"{len(data)} bytes, {hashlib.md5(data).hexdigest()}"


def by_vlc(stage, url, page=None):
    """VLC writes the packets to a file, which ffprobe counts."""
    with Workspace(stage, "vlc", is_humble=True) as workspace:
        target = workspace.folder / "vlc.ts"
        words = ["vlc", "-I", "dummy", "--no-interact", "--ignore-config", "--no-media-library", "--no-color", "--play-and-exit",
                 "--no-metadata-network-access", "--sout", f"#std{{access=file,mux=ts,dst={target}}}", url]
        child = Child(workspace, words)
        list(child.lines(LIMIT))
        child.has_ended(10)
        errors = [line for line in OWN.findall(child.error) if re.search(r"(adaptive|http|access|stream|main input) .*error", line)]
        if errors:
            raise PlayerFailed(f"vlc said {errors[0].strip()!r}")
        if not target.exists() or not target.stat().st_size:
            raise PlayerFailed(f"vlc played nothing: {child.error[-300:]!r}")
        probe = ["ffprobe", "-v", "quiet", "-count_packets", "-show_entries", "stream=codec_type,nb_read_packets", "-of", "csv=p=0", target]
        counts = players.run(probe, workspace.environment).decode().split()
        return " ".join(sorted({line for line in counts if line}))


def by_gstreamer(stage, url, page=None):
    with Workspace(stage, "gstreamer") as workspace:
        workspace.environment["GST_REGISTRY"] = str(stage.folder / "gstreamer.registry")
        words = [sys.executable, "-B", Path(__file__).with_name("playbin.py"), url, "whole"]
        found = json.loads(players.run(words, workspace.environment, LIMIT))
        if "missing" in found:
            raise Skipped(f"there is no {found['missing']} of GStreamer; Scripts/set-up players installs it")
        if found["error"] or found["warnings"]:
            raise PlayerFailed(f"gstreamer said {found['error'] or found['warnings']}")
        return f"{found['pictures']} pictures, {found['sounds']} pieces of sound"


def by_chromium(stage, url, page=None):
    with Workspace(stage, "chromium") as workspace:
        browser = Browser(workspace, LIMIT)
        browser.open(page)
        found = browser.evaluate(CHROMIUM % (RATE, json.dumps(url)))
        if found["error"]:
            raise PlayerFailed(f"chromium: {found['error']}")
        return f"{found['seconds']} s"


PLAYERS = {"ffmpeg": by_ffmpeg, "mpv": by_mpv, "vlc": by_vlc, "gstreamer": by_gstreamer, "chromium": by_chromium}
NATIVE = ("ffmpeg", "mpv", "vlc", "gstreamer")
