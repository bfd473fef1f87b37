# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Where a player sits: a folder and an environment of its own, and an end to every process that it starts."""

import contextlib
import os
import pwd
import shutil
import signal
import tempfile
from pathlib import Path

from stage import place, waiting

MARK = "WEIR_CHECKS_SEAT"


class Seat(contextlib.ExitStack):
    """Looks like a stage to what is started on it; several may be taken on one stage at the same time."""

    def __init__(self, stage, kind, is_humble=False):
        """A humble seat is for programs that refuse to run as root: there, they run as nobody."""
        super().__init__()
        self.nobody = pwd.getpwnam("nobody") if is_humble and os.geteuid() == 0 else None
        # Nobody may not look into the folder of the stage.
        self.folder = Path(tempfile.mkdtemp(prefix=f"weir-{kind}-", dir=None if self.nobody else stage.folder))
        if self.nobody:
            os.chown(self.folder, self.nobody.pw_uid, self.nobody.pw_gid)
        # What a player starts in its turn inherits the mark, and is found by it.
        self.environment = place.clean_environment(self.folder, **{MARK: str(self.folder)})
        self.count = 0
        self.callback(shutil.rmtree, self.folder, ignore_errors=True)
        self.callback(self.clear)

    def name(self, kind):
        self.count += 1
        return f"{kind}-{self.count}"

    def put(self, program):
        self.callback(program.stop)
        return program

    def clear(self):
        """Ends what is left after the player itself has ended, by its number."""
        try:
            waiting.until(lambda: not self.left(), 5, "the end of a player's own processes", pause=0.05)
        except waiting.TookTooLong:
            for pid in self.left():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            waiting.until(lambda: not self.left(), 5, "the end of a player's own processes, killed,")

    def left(self):
        """The processes that were started on this seat and still run."""
        mark = f"{MARK}={self.folder}".encode()
        found = []
        for path in Path("/proc").iterdir():
            if not path.name.isdecimal():
                continue
            # A process may end while it is looked at; one that has ended and was not waited for has no environment.
            with contextlib.suppress(OSError):
                if mark in (path / "environ").read_bytes().split(b"\0"):
                    found.append(int(path.name))
        return found
