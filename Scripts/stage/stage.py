# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A folder and the processes of one run; both go when the run ends."""

import contextlib
import os
import shutil
import socket
import tempfile
from pathlib import Path

from . import place


def free_port():
    """A port at which no program listens at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Stage(contextlib.ExitStack):
    """Ends the programs started on it, in reverse order, and removes its folder."""

    def __init__(self, name):
        super().__init__()
        runs = place.BUILD / "runs"
        runs.mkdir(parents=True, exist_ok=True)
        self.folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=runs))
        self.environment = place.clean_environment(self.folder / "home")
        self.callback(shutil.rmtree, self.folder, ignore_errors=True)
        self.count = 0

    def name(self, kind):
        """An unused name on this stage."""
        self.count += 1
        return f"{kind}-{self.count}"

    def new_folder(self, kind):
        path = self.folder / self.name(kind)
        path.mkdir()
        return path

    def put(self, program):
        """Makes the stage end a program that still runs when the stage ends."""
        self.callback(program.stop)
        return program

    def logs(self):
        """Every file that a program of this stage has written its output to."""
        return [path for path in self.folder.rglob("*") if path.suffix in (".out", ".err") and path.is_file()]

    def files(self, folder):
        """Every file below a folder."""
        return [Path(top) / name for top, _, names in os.walk(folder) for name in names]
