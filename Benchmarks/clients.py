# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The programs that pull as hard as they can."""

import re
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "ranges.lua"


def requests_per_second(url, connections, seconds, environment):
    """Random 64 KiB ranges by wrk, one thread."""
    words = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", str(SCRIPT), url]
    said = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=seconds + 30, check=True).stdout
    if "Non-2xx" in said or "Socket errors" in said:
        raise RuntimeError(f"wrk met errors: {said}")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", said).group(1))


def megabytes_per_second(url, length, environment):
    """A whole file by curl, its length checked."""
    form = "%{http_code} %{size_download} %{time_total}"
    words = ["curl", "-sS", "-o", "/dev/null", "-w", form, url]
    said = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=300, check=True).stdout
    status, size, seconds = said.split()
    if status != "200" or int(float(size)) != length:
        raise RuntimeError(f"curl got {said} instead of {length} bytes")
    return length / float(seconds) / 1e6
