# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The client programs that load a server."""

import os
import re
import subprocess
import time
from collections import namedtuple
from pathlib import Path

from stage import media

FOLDER = Path(__file__).resolve().parent

# How many answers wrk received, and how many a second.
Answers = namedtuple("Answers", "count rate")
# The cost of downloads: seconds from the first start to the last end, and their processor time in seconds.
Taken = namedtuple("Taken", "seconds processor")


def wrk(url, script, arguments, connections, seconds, environment, before=()):
    """wrk with one thread and a script that makes its requests."""
    words = [*before, "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", FOLDER / script, url, "--", *arguments]
    words = [str(word) for word in words]
    done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=seconds + 60, check=True)
    said = done.stdout
    if "Non-2xx" in said or "Socket errors" in said:
        raise RuntimeError(f"wrk met errors: {said}")
    count = int(re.search(r"(\d+) requests in", said).group(1))
    return Answers(count, float(re.search(r"Requests/sec:\s+([\d.]+)", said).group(1)))


def requests_per_second(url, connections, seconds, environment, size=64 << 10):
    """The rate of requests for random ranges of the big file."""
    return wrk(url, "ranges.lua", (media.BIG_SIZE, size), connections, seconds, environment).rate


def megabytes_per_second(url, length, environment):
    """Fetches a whole file with curl and checks its length; returns the rate."""
    form = "%{http_code} %{size_download} %{time_total}"
    words = ["curl", "-sS", "-o", "/dev/null", "-w", form, url]
    said = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=300, check=True).stdout
    status, size, seconds = said.split()
    if status != "200" or int(float(size)) != length:
        raise RuntimeError(f"curl got {said} instead of {length} bytes")
    return length / float(seconds) / 1e6


def download(urls, length, environment, file="/dev/null"):
    """Fetches whole files with several curls at the same time; drops the bytes, or writes them into a file."""
    words = ["curl", "-sS", "--fail", "-o", str(file), "-w", "%{size_download}"]
    start = time.monotonic()
    curls = [subprocess.Popen([*words, url], stdout=subprocess.PIPE, env=environment) for url in urls]
    processor = 0.0
    for curl in curls:
        size = curl.stdout.read()
        _, status, usage = os.wait4(curl.pid, 0)
        curl.returncode = os.waitstatus_to_exitcode(status)
        curl.stdout.close()
        if curl.returncode != 0 or int(size) != length:
            raise RuntimeError(f"curl ended with {curl.returncode} and {size.decode()} of {length} bytes")
        processor += usage.ru_utime + usage.ru_stime
    return Taken(time.monotonic() - start, processor)
