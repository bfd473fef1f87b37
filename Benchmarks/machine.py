# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The environment of a table's measurements: the machine, its kernel, and the versions of the programs."""

import os
import platform
import re
import subprocess

from stage import place

# The option that makes a program print its version; the first number with a dot in the output is used.
QUESTIONS = {
    "weir": ["--version"],
    "nginx": ["-v"],
    "varnishd": ["-V"],
    "rclone": ["version"],
    "wrk": ["-v"],
    "curl": ["--version"],
    "openssl": ["version"],
    "age": ["--version"],
    "ffmpeg": ["-version"],
    "mpv": ["--version"],
}
NUMBER = re.compile(r"\d+(?:\.\d+)+")


def description():
    """Such as "2 cores, AMD EPYC 9B14, Linux 6.1.0-13-amd64"."""
    return f"{os.cpu_count()} cores, {processor()}, Linux {platform.release()}"


def processor():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def version(program):
    """The program with its version, such as "nginx 1.22.1"."""
    path = place.weir_program() if program == "weir" else program
    environment = {"PATH": place.clean_environment("/")["PATH"], "HOME": "/nonexistent"}
    try:
        done = subprocess.run([path, *QUESTIONS[program]], capture_output=True, text=True, env=environment, timeout=20)
    except FileNotFoundError:
        return f"no {program}"
    found = NUMBER.search(done.stdout + done.stderr)
    return f"{program} {found.group() if found else 'of an unknown version'}"
