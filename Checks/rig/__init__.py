# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Five real players without a window and without sound, each controlled in the same way with any URL.

    played = rig.PLAYERS["vlc"](stage).play(url, rig.Plan(start=2, seeks=(70, 12)))

plays from the start, seeks, and returns the observations: the duration, the reached positions, and digests of the
pictures and samples. ``rig.faults(played, plan, duration)`` lists the deviations from the plan, and
``played.same_as(other)`` compares with a play of the same file elsewhere. The processes of a play end with it.

`Scripts/set-up players` installs the players.
"""

import ctypes
import shutil

from .chromium import Chromium
from .ffmpeg import FFmpeg
from .gstreamer import GStreamer
from .link import Link
from .mpv import Mpv
from .plan import Plan, Played, Step, faults
from .vlc import VLC

PLAYERS = {"mpv": Mpv, "ffmpeg": FFmpeg, "vlc": VLC, "gstreamer": GStreamer, "chromium": Chromium}

# The programs that each player needs.
PROGRAMS = {"mpv": ["mpv"], "ffmpeg": ["ffmpeg", "ffprobe"], "vlc": ["vlc"], "gstreamer": [], "chromium": ["chromium"]}

__all__ = ["PLAYERS", "Link", "Plan", "Played", "Step", "absence", "faults"]


def absence(name):
    """A sentence that names a missing program of a player; None if the player can play on this machine."""
    missing = [program for program in PROGRAMS[name] if shutil.which(program) is None]
    if name == "gstreamer":
        try:
            ctypes.CDLL("libgstreamer-1.0.so.0")
        except OSError:
            missing = ["GStreamer"]
    return f"there is no {missing[0]}; Scripts/set-up players installs it" if missing else None
