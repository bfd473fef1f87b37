# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A process of ours: started with its output in files, and ended by its own number."""

import ctypes
import os
import signal
import subprocess
from pathlib import Path

from . import waiting

TICKS = os.sysconf("SC_CLK_TCK")
LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG = 1


def end_with_parent():
    """Runs in a new child process: the child gets SIGTERM when its parent ends, and SIGHUP ends it, too.

    Otherwise the child would ignore SIGHUP if the checks run under `nohup`.
    """
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Program:
    """A running process."""

    def __init__(self, words, folder, name, environment=None):
        self.words = [str(word) for word in words]
        self.output_file = Path(folder) / f"{name}.out"
        self.error_file = Path(folder) / f"{name}.err"
        self.usage = None
        with open(self.output_file, "ab") as output, open(self.error_file, "ab") as error:
            self.process = subprocess.Popen(
                self.words,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=error,
                env=environment,
                preexec_fn=end_with_parent,
            )

    @property
    def pid(self):
        return self.process.pid

    @property
    def output(self):
        return self.output_file.read_text(errors="replace")

    @property
    def error(self):
        return self.error_file.read_text(errors="replace")

    def is_alive(self):
        return self.poll() is None

    def poll(self):
        """The exit status, negative for a signal, or None while it runs; keeps its resource usage."""
        if self.process.returncode is None:
            pid, status, usage = os.wait4(self.pid, os.WNOHANG)
            if pid:
                self.process.returncode = os.waitstatus_to_exitcode(status)
                self.usage = usage
        return self.process.returncode

    def send(self, number):
        if self.is_alive():
            os.kill(self.pid, number)

    def wait(self, seconds=15):
        """Waits for the end; kills a process that does not end in time."""
        try:
            waiting.until(lambda: self.poll() is not None, seconds, f"the end of {self.words[0]}")
        except waiting.TookTooLong:
            self.send(signal.SIGKILL)
            waiting.until(lambda: self.poll() is not None, 5, f"the end of {self.words[0]}, killed,")
            raise
        return self.process.returncode

    def stop(self, number=signal.SIGTERM, seconds=15):
        self.send(number)
        return self.wait(seconds)

    def memory(self, field="VmHWM"):
        """A field of /proc/PID/status in bytes: VmHWM is the largest resident memory so far."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) * 1024
        raise ValueError(field)

    def processor_seconds(self):
        """User and system time so far."""
        if self.usage is not None:
            return self.usage.ru_utime + self.usage.ru_stime
        return processor_seconds(self.pid)


def processor_seconds(pid):
    """User and system time of any process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS
