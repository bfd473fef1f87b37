# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Samples as they come, and the table that is made of them."""

import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time

from stage import place

START, END = "<!-- figures -->", "<!-- end of figures -->"


class Results:
    """Writes every sample down at once, and rows as measures end."""

    def __init__(self, is_quick):
        self.is_quick = is_quick
        folder = place.BUILD / "bench"
        folder.mkdir(parents=True, exist_ok=True)
        self.file = folder / time.strftime("%Y%m%dT%H%M%SZ.jsonl", time.gmtime())
        self.rows = []
        self.machine = f"{os.cpu_count()} cores, {processor()}, Linux {platform.release()}, {nginx_version()}"
        self.write({"machine": self.machine, "quick": is_quick})

    def rounds(self, usual):
        """How many rounds to make."""
        return 2 if self.is_quick else usual

    def write(self, value):
        with open(self.file, "a") as file:
            file.write(json.dumps(value) + "\n")

    def sample(self, measure, subject, number, value, unit):
        self.write({"measure": measure, "subject": subject, "round": number, "value": value, "unit": unit})
        note(f"  {measure}, {subject}, round {number + 1}: {value:.4g} {unit}")
        return value

    def row(self, measure, peer, weir, ratio):
        self.rows.append((measure, peer, weir, ratio))

    def compare(self, measure, peer_name, peer, weir, unit, digits=0):
        """A row of two series that were taken in turn."""
        ratios = [ours / theirs for ours, theirs in zip(weir, peer)]
        self.row(
            f"{measure}, {unit}",
            f"{peer_name} {statistics.median(peer):,.{digits}f}",
            f"{statistics.median(weir):,.{digits}f}",
            f"{statistics.median(ratios):.2f}× ({min(ratios):.2f} to {max(ratios):.2f})",
        )

    def table(self):
        """Markdown, ready to be pasted."""
        lines = ["| measure | peer | weir | ratio: median (range) |", "|---|---|---|---|"]
        lines += ["| " + " | ".join(row) + " |" for row in self.rows]
        lines += ["", f"Medians; {self.machine}, client and servers on the same machine, {time.strftime('%Y-%m-%d')}."]
        return "\n".join(lines)

    def put_into(self, path):
        """Replaces what stands between the two marks of a file."""
        text = path.read_text()
        if START not in text or END not in text:
            sys.exit(f"{path} has no lines {START} and {END}.")
        table = f"{START}\n{self.table()}\n{END}"
        path.write_text(re.sub(f"{START}.*?{END}", lambda _: table, text, count=1, flags=re.DOTALL))


def note(text):
    print(text, file=sys.stderr, flush=True)


def processor():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def nginx_version():
    path = place.clean_environment("/")["PATH"]
    said = subprocess.run(["nginx", "-v"], capture_output=True, text=True, env={"PATH": path}).stderr
    return said.strip().rpartition(" ")[2].replace("/", " ")
