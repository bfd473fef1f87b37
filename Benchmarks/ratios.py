# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The ratios that README quotes: each is the last cell of a line of a table, and is replaced there."""

import re
import sys

import intervals

# The first cell of a line; then the measure's name in `run`, its title in the samples, and the peer.
LINES = {
    "warm ranges of 64 KiB, 16 connections: requests/s ÷ nginx's; higher is better":
        ("ranges", "warm 64 KiB ranges, 16 connections", "nginx"),
    "a cold file of 256 MiB: MB/s ÷ those of `curl -o FILE`; higher is better":
        ("cold", "cold whole file of 256 MiB, kept on disk", "curl -o FILE"),
    "first sound of a station: time ÷ mpv's; lower is better":
        ("playing", "first sound, station, MP3 of 128 kbit/s, on a line of twice that", "mpv"),
}


def check(path, measures):
    """Ends the program if the file lacks one of the lines, or if a ratio is not among the measures."""
    text = path.read_text()
    for line, (name, _, _) in LINES.items():
        if len(found(line, text)) != 1:
            sys.exit(f"{path} must have one line whose first cell is: {line}")
        if name not in measures:
            sys.exit(f"The ratios need the measure {name}, which is not among the named ones.")


def put_into(path, results):
    """Replaces the ratios in the file. If one was not measured, no ratio is replaced and the program ends."""
    text = path.read_text()
    for line, (name, title, peer) in LINES.items():
        if not {"weir", peer} <= results.series.get(title, {}).keys():
            sys.exit(f"{path} keeps its ratios: {name} gave no samples of {title}, weir and {peer}.")
        (match,) = found(line, text)
        ratio = intervals.text(results.ratios(title, "weir", peer), 2, "×")
        text = f"{text[: match.start(1)]}{ratio}{text[match.end(1) :]}"
    path.write_text(text)


def found(line, text):
    """The matches of a line; the first group is its last cell."""
    return list(re.finditer(rf"^\| {re.escape(line)} \| (.*) \|$", text, re.MULTILINE))
