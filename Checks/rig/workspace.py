# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A player's folder and environment, which also ends every process that the player starts."""

import contextlib
import os
import pwd
import shutil
import signal
import tempfile
from pathlib import Path

from stage import place, waiting

MARK = "WEIR_CHECKS_WORKSPACE"


class Workspace(contextlib.ExitStack):
    """Acts like a stage for the programs started in it; one stage may have several workspaces at the same time."""

    def __init__(self, stage, kind, is_humble=False):
        """A humble workspace is for programs that refuse to run as root: as root, it runs them as the user nobody."""
        super().__init__()
        self.nobody = pwd.getpwnam("nobody") if is_humble and os.geteuid() == 0 else None
        # The user nobody may not look into the stage's folder.
        self.folder = Path(tempfile.mkdtemp(prefix=f"weir-{kind}-", dir=None if self.nobody else stage.folder))
        if self.nobody:
            os.chown(self.folder, self.nobody.pw_uid, self.nobody.pw_gid)
        # Processes that a player starts inherit the mark, so the workspace can find them.
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
        """Waits for the processes that outlive the player, then kills them by their numbers."""
        try:
            waiting.until(lambda: not self.left(), 5, "the end of a player's own processes", pause=0.05)
        except waiting.TookTooLong:
            for pid in self.left():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            waiting.until(lambda: not self.left(), 5, "the end of a player's own processes, killed,")

    def left(self):
        """The processes that were started in this workspace and still run."""
        mark = f"{MARK}={self.folder}".encode()
        found = []
        for path in Path("/proc").iterdir():
            if not path.name.isdecimal():
                continue
            # A process may end during this check. A process that has ended but was not waited for has no
            # environment.
            with contextlib.suppress(OSError):
                if mark in (path / "environ").read_bytes().split(b"\0"):
                    found.append(int(path.name))
        return found
