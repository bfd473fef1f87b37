# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A terminal without a person: tmux, with its own server and socket and without a configuration."""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from check_results import Skipped
from stage import waiting


class Terminal:
    """A shell in a window of a given size; `screen` is the shown text."""

    def __init__(self, stage, columns=80, lines=24, environment=None):
        self.program = shutil.which("tmux", path=stage.environment["PATH"])
        if self.program is None:
            raise Skipped("there is no tmux; Scripts/set-up radio installs it")
        self.count = 0
        # The path of a socket must be short.
        self.folder = Path(tempfile.mkdtemp(prefix="weir-tmux-"))
        stage.callback(shutil.rmtree, self.folder, ignore_errors=True)
        self.socket = self.folder / "socket"
        self.environment = dict(environment or stage.environment, TERM="xterm-256color")
        size = ["-x", columns, "-y", lines]
        shell = "exec env TERM=screen-256color PS1='prompt$ ' HISTFILE= bash --norc --noprofile"
        self.tmux("new-session", "-d", *size, "-s", "weir", "-c", stage.folder, shell)
        stage.callback(self.close)
        self.wait_for("prompt$")

    def tmux(self, *words):
        command = [self.program, "-S", self.socket, "-f", "/dev/null", *words]
        done = subprocess.run([str(word) for word in command], capture_output=True, env=self.environment, timeout=20)
        if done.returncode != 0:
            raise RuntimeError(f"tmux {words[0]} ended with {done.returncode}: {done.stderr.decode().strip()}")
        return done.stdout.decode()

    @property
    def screen(self):
        """The shown lines, without trailing blanks."""
        return "\n".join(line.rstrip() for line in self.tmux("capture-pane", "-p", "-t", "weir").splitlines()).rstrip()

    @property
    def colours(self):
        """The screen with its colours and weights."""
        return self.tmux("capture-pane", "-p", "-e", "-t", "weir")

    def look(self, form):
        """A fact about the pane from tmux, such as `#{cursor_flag}` or `#{alternate_on}`."""
        return self.tmux("display-message", "-p", "-t", "weir", form).strip()

    def keys(self, *names):
        """Presses keys, by their tmux names: Space, Left, Enter, q."""
        self.tmux("send-keys", "-t", "weir", *names)

    def type(self, line):
        """Types a line and Enter."""
        self.tmux("send-keys", "-t", "weir", "-l", line)
        self.keys("Enter")

    def resize(self, columns, lines):
        self.tmux("resize-window", "-t", "weir", "-x", columns, "-y", lines)

    def wait_for(self, what, seconds=20):
        """Waits until the screen has a text, or a function of the screen is true; returns the screen."""
        last = ""

        def is_there():
            nonlocal last
            last = self.screen
            return last if (what(last) if callable(what) else what in last) else None

        try:
            return waiting.until(is_there, seconds, f"{what!r} on the screen", pause=0.05)
        except waiting.TookTooLong as failure:
            raise waiting.TookTooLong(f"{failure}; it shows:\n{last}") from failure

    def run(self, line, seconds=20):
        """Runs a command at the prompt to its end; returns its output on the screen."""
        self.tmux("clear-history", "-t", "weir")
        # The number tells this command's end from that of an earlier command on the screen.
        self.count += 1
        self.type(f"clear; {line}; echo over-$?-{self.count}")
        end = re.compile(rf"^over-\d+-{self.count}$", re.MULTILINE)
        return self.wait_for(end.search, seconds)

    def close(self):
        subprocess.run([self.program, "-S", str(self.socket), "kill-server"], capture_output=True, timeout=20)
