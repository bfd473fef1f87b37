# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The process of a player; most players receive commands on standard input and answer on standard output."""

import contextlib
import os
import select
import signal
import subprocess
import time

from stage.players import PlayerFailed
from stage.program import end_with_parent


class Child:
    """A process in its own process group, in a workspace."""

    def __init__(self, workspace, words, pass_fds=()):
        self.name = words[0]
        self.heard = b""
        self.error_file = workspace.folder / f"{workspace.name('child')}.err"
        nobody = workspace.nobody

        def prepare():
            if nobody:
                os.setgroups([])
                os.setgid(nobody.pw_gid)
                os.setuid(nobody.pw_uid)
            end_with_parent()

        with open(self.error_file, "wb") as error:
            self.process = subprocess.Popen(
                [str(word) for word in words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=error,
                env=workspace.environment,
                cwd=workspace.folder,
                start_new_session=True,
                preexec_fn=prepare,
                pass_fds=pass_fds,
            )
        workspace.callback(self.end)

    @property
    def error(self):
        return self.error_file.read_text(errors="replace")

    def explain(self, what):
        return PlayerFailed(f"{self.name} {what}: {self.error.strip()[-400:]}")

    def is_alive(self):
        return self.process.poll() is None

    def say(self, line):
        try:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        except OSError as error:
            raise self.explain(f"ended ({error})") from error

    def hear(self, mark, limit):
        """The player's output up to a mark."""
        line = self.process.stdout.fileno()
        end = time.monotonic() + limit
        while mark not in self.heard:
            if not select.select([line], [], [], max(0, end - time.monotonic()))[0]:
                raise self.explain(f"did not answer within {limit:.0f} s")
            piece = os.read(line, 65536)
            if not piece:
                raise self.explain("ended")
            self.heard += piece
        text, _, self.heard = self.heard.partition(mark)
        return text.decode(errors="replace")

    def lines(self, limit):
        """Yields the player's output line by line; fails if the output does not end within the limit."""
        line, end = self.process.stdout.fileno(), time.monotonic() + limit
        while True:
            while b"\n" in self.heard:
                text, _, self.heard = self.heard.partition(b"\n")
                yield text.decode(errors="replace")
            if not select.select([line], [], [], max(0, end - time.monotonic()))[0]:
                raise self.explain(f"did not end within {limit:.0f} s")
            piece = os.read(line, 65536)
            if not piece:
                return
            self.heard += piece

    def end(self):
        """Ends the process; if it does not end by itself, signals its group."""
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        for number, limit in ((None, 3), (signal.SIGTERM, 5), (signal.SIGKILL, 5)):
            # The system cannot reuse the group's number until its leader has been waited for.
            if number is not None and self.process.returncode is None:
                os.killpg(self.process.pid, number)
            if self.has_ended(limit):
                break
        self.process.stdout.close()

    def has_ended(self, limit):
        try:
            self.process.wait(limit)
            return True
        except subprocess.TimeoutExpired:
            return False
