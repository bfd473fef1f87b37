# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Time and memory of short runs: printing the version, one small file, a server's first answer."""

import json
import os
import shutil
import subprocess
import time

from stage import place, web
from stage.nginx import Nginx
from stage.program import end_with_parent
from stage.stage import Stage

# Runs a program to its end and prints the milliseconds and its peak resident memory in KiB on its error output. It
# is a small program: Linux's figure includes a process's memory from before exec, and Python uses much.
LAUNCHER = """
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int count, char **words) {
    struct timespec start, end;
    struct rusage usage;
    int status;
    clock_gettime(CLOCK_MONOTONIC, &start);
    pid_t child = fork();
    if (child == 0) {
        execv(words[1], words + 1);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) < 0) return 1;
    clock_gettime(CLOCK_MONOTONIC, &end);
    double milliseconds = (end.tv_sec - start.tv_sec) * 1e3 + (end.tv_nsec - start.tv_nsec) / 1e6;
    fprintf(stderr, "\\n{\\"ms\\": %.3f, \\"kibibytes\\": %ld}\\n", milliseconds, usage.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
"""
SMALL = 1024


class Launcher:
    """The program above, built."""

    def __init__(self, stage):
        source = stage.folder / "launcher.c"
        source.write_text(LAUNCHER)
        self.path = stage.folder / "launcher"
        self.environment = stage.environment
        subprocess.run(["cc", "-O1", "-o", self.path, source], check=True)

    def run(self, words):
        """Milliseconds and MiB of a program that ends with 0."""
        path = shutil.which(str(words[0]), path=self.environment["PATH"])
        command = [self.path, path, *map(str, words[1:])]
        done = subprocess.run(command, capture_output=True, text=True, env=self.environment, timeout=60)
        if done.returncode != 0:
            raise RuntimeError(f"{words[0]} ended with {done.returncode}: {done.stderr[-300:]}")
        said = json.loads(done.stderr.splitlines()[-1])
        return said["ms"], said["kibibytes"] / 1024


def programs(results):
    results.uses("nginx", "curl")
    with Stage("bench") as stage:
        launcher = Launcher(stage)
        folder = stage.new_folder("files")
        nginx = Nginx(stage, folder, log=False)
        weir = place.weir_program()
        versions = {"weir": [weir, "--version"], "curl --version": ["curl", "--version"]}
        beside(results, launcher, "weir --version", "curl --version", versions.get)

        def get(name):
            # Each turn has a new file, so that Weir must fetch it into the existing cache.
            small = stage.name("small")
            (folder / small).write_bytes(os.urandom(SMALL))
            target = stage.folder / f"{small}.got"
            if name == "weir":
                return [weir, "get", nginx.base + small, "-o", target, "--cache", stage.folder / "kept", "--quiet"]
            return ["curl", "-sS", "--fail", "-o", target, nginx.base + small]

        beside(results, launcher, "weir get of 1 KiB from loopback", "curl -o FILE", get)
        first_answer(results, stage, nginx, folder)


def beside(results, launcher, measure, peer, words):
    """Time and memory of Weir and of a peer; `words` gives the command of either."""
    times, memory = f"{measure}, start to end", f"{measure}, peak of resident memory"
    for number, name in results.turns(("weir", peer), 25):
        milliseconds, mebibytes = launcher.run(words(name))
        results.sample(times, name, number, milliseconds, "ms")
        results.sample(memory, name, number, mebibytes, "MiB")
    results.compare(times, peer, digits=1)
    results.compare(memory, peer, digits=1)


def first_answer(results, stage, nginx, folder):
    """From the start of the process, through the printed URL, to the last byte of 1 KiB fetched for it."""
    measure = "weir serve, start to first answer of 1 KiB from loopback"
    for number, _ in results.turns(["weir"], 25):
        small = stage.name("small")
        (folder / small).write_bytes(os.urandom(SMALL))
        words = [place.weir_program(), "serve", nginx.base, "--listen", "127.0.0.1:0", "--quiet", "--cache"]
        words.append(stage.folder / "kept")
        with open(stage.folder / f"{small}.err", "wb") as error:
            start = time.monotonic()
            server = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=error,
                env=stage.environment, preexec_fn=end_with_parent,
            )
        try:
            base = server.stdout.readline().decode().strip()
            answer = web.fetch(base + small)
            value = (time.monotonic() - start) * 1000
            if answer.status != 200 or answer.body != (folder / small).read_bytes():
                raise RuntimeError(f"weir answered {answer.status}")
        finally:
            server.terminate()
            server.wait(15)
            server.stdout.close()
        results.sample(measure, "weir", number, value, "ms")
    results.alone(measure, digits=1)
