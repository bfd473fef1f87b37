# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Runs the Makefile's targets and this tree's programs as a reader of the documents does, with the checked weir.

Scripts/named.py finds each call of `make`, `made` and `script` in the topics."""

import os
import subprocess

from check_results import equal
from stage import place


def make(target, *words, status=0, folder=place.ROOT, **variables):
    """Runs a target; returns its output. It builds nothing: the release build counts as up to date."""
    # Another make may run this check; that make's options must not apply here.
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    environment.update(WEIR_PROGRAM=str(place.weir_program()), **variables)
    return said(["make", "--no-print-directory", "-o", "release", target, *words], environment, folder, status)


def made(target):
    """Runs a target; returns the file that it made: the last line of its output with a path below .build/."""
    return [line for line in make(target).splitlines() if line.startswith(".build/")][-1]


def script(path, *words, status=0, folder=place.ROOT, **variables):
    """Runs a program of this tree; returns its output."""
    environment = dict(os.environ, WEIR_PROGRAM=str(place.weir_program()), **variables)
    return said([folder / path, *words], environment, folder, status)


def said(words, environment, folder, status):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600, cwd=folder,
                          stdin=subprocess.DEVNULL, env=environment)
    text = done.stdout + done.stderr
    equal(done.returncode, status, f"the status of '{' '.join(map(str, words))}', with {text.strip()[-600:]!r},")
    return text
