# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Weir under valgrind, which counts the cost of a request or of a start: the same on every machine, unlike time."""

import re
import shutil
import socket
import subprocess
import urllib.parse
from collections import namedtuple

from . import place, waiting
from .weir import Weir

# Instructions in user space and calls of the allocator, for one request.
Cost = namedtuple("Cost", "instructions allocations")

ALLOCATORS = {"malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc"}

# Weir's first thread ends while the others run, which valgrind does not survive. This library lets the first thread
# pause instead.
STAY = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
void pthread_exit(void *value) {
    while (syscall(SYS_gettid) == getpid()) pause();
    void (*real)(void *) = (void (*)(void *))dlsym(RTLD_NEXT, "pthread_exit");
    real(value);
    __builtin_unreachable();
}
"""


def absence():
    """The missing program for counting, as a sentence, or None."""
    for program in ("valgrind", "callgrind_control", "strip", "cc"):
        if shutil.which(program) is None:
            return f"there is no {program}; Scripts/set-up costs installs it"
    return None


def counting(folder):
    """The words that count the instructions of a program into a file `callgrind` of a folder, and the program."""
    program = folder / "weir"
    # valgrind cannot read Swift's debug information.
    subprocess.run(["strip", "--strip-debug", "-o", program, place.weir_program()], check=True)
    words = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/callgrind", f"--log-file={folder}/valgrind"]
    return words, program


def cost_of_run(stage, *words):
    """The cost of a command that ends with 0."""
    folder = stage.new_folder("counted")
    before, program = counting(folder)
    subprocess.run([*before, program, *words], check=True, stdout=subprocess.DEVNULL, env=stage.environment)
    return read((folder / "callgrind").read_text(errors="replace"), 1)


class CountedWeir(Weir):
    """A quiet server whose instructions are counted; some fifty times slower than without counting.

    It takes the options of `Weir`, and `cache`: the folder of its cache.
    """

    verbosity = "--quiet"
    patience = 600

    def __init__(self, stage, origin, *options, cache=None):
        folder = stage.new_folder("counted")
        library, source = folder / "stay.so", folder / "stay.c"
        source.write_text(STAY)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
        words, program = counting(folder)
        self.out = folder / "callgrind"
        environment = dict(stage.environment, LD_PRELOAD=str(library))
        with place.other_program(program):
            super().__init__(stage, origin, *options, cache=cache, environment=environment, before=words)
        self.dumps = 0

    def cost(self, requests, ask):
        """The cost of each of the requests that `ask()` sends."""
        self.control("--zero")
        ask()
        return self.counted(requests)

    def counted(self, requests=1):
        """The cost since the start, or since the last count, for each of a number of requests."""
        self.dumps += 1
        self.control(f"--dump={self.dumps}")
        file = self.out.with_name(f"{self.out.name}.{self.dumps}")
        waiting.until(file.exists, self.patience, "valgrind's counts")
        return read(file.read_text(errors="replace"), requests)

    def control(self, word):
        subprocess.run(
            ["callgrind_control", word, str(self.program.pid)],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.stage.environment,
        )


def read(text, requests):
    """Reads the counts from callgrind's output.

    A line `cfn=(7) malloc` names the called function (`cfn=(7)` the next time); the next line tells how often it was
    called: `calls=12 …`.
    """
    names, allocations, callee = {}, 0, None
    for line in text.splitlines():
        if line.startswith(("fn=", "cfn=")):
            number, _, name = line.partition("=")[2].partition(" ")
            if name:
                names[number] = re.sub(r"@.*|'\d+$", "", name)
            if line.startswith("cfn="):
                callee = names.get(number)
        elif line.startswith("calls=") and callee in ALLOCATORS:
            allocations += int(line[6:].split()[0])
    total = re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)
    return Cost(int(total[1]) / requests, allocations / requests)


def ask_for_ranges(url, size, count, length):
    """Requests a number of ranges one after another, over one connection, and reads each."""
    parts = urllib.parse.urlsplit(url)
    with socket.create_connection((parts.hostname, parts.port), timeout=60) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        answers = connection.makefile("rb")
        for number in range(count):
            # Every piece is requested, in mixed order.
            first = number * 7919 % (length // size) * size
            field = f"Range: bytes={first}-{first + size - 1}"
            connection.sendall(f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\n{field}\r\n\r\n".encode())
            status = answers.readline()
            while answers.readline() != b"\r\n":
                pass
            if b" 206 " not in status or len(answers.read(size)) != size:
                raise RuntimeError(f"a range was answered with {status!r}")
