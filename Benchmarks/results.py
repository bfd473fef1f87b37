# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Writes samples as they arrive, and makes tables from them.

Compared subjects are measured in rounds. Each round measures every subject once, in a new random order, and a ratio
is taken within a round: a temporary slowdown of the machine affects both subjects of the ratio.
"""

import json
import math
import random
import re
import statistics
import sys
import time

import intervals
import machine
from stage import place

START, END = "<!-- figures -->", "<!-- end of figures -->"
# The usual number of rounds, and smaller ones for measures that are long, that have no goal, or whose ratio is far from
# 1. Six rounds are the fewest that have an interval. These numbers have better intervals than their neighbours.
ROUNDS, SOME_ROUNDS, FEWEST_ROUNDS = 15, 9, 6
BLOCKS = "▁▂▃▄▅▆▇█"


class Results:
    """Writes every sample to the file at once, and rows when a measurement ends."""

    def __init__(self, is_quick, command, seed=None):
        self.is_quick = is_quick
        self.command = command
        self.seed = random.randrange(1 << 32) if seed is None else seed
        self.generator = random.Random(self.seed)
        folder = place.BUILD / "bench"
        folder.mkdir(parents=True, exist_ok=True)
        self.file = folder / time.strftime("%Y%m%dT%H%M%SZ.jsonl", time.gmtime())
        self.programs = []
        self.series = {}
        self.units = {}
        self.rows = []
        self.costs = []
        self.parts = []
        self.growths = []
        self.notes = []
        self.handovers = []
        self.seconds = {}
        self.write({"machine": machine.description(), "command": command, "seed": self.seed, "quick": is_quick})
        note(f"seed {self.seed}")
        self.uses("weir")

    # Rounds and samples.

    def rounds(self, usual=ROUNDS):
        """The number of rounds."""
        return 2 if self.is_quick else usual

    def drawn(self, subjects):
        """The subjects in a new random order."""
        order = list(subjects)
        self.generator.shuffle(order)
        return order

    def turns(self, subjects, usual=ROUNDS, warm_up=1, fewer=()):
        """Rounds of all subjects, each in a new random order: number and subject. Rounds below 0 are warm-up.

        The subjects in `fewer` have no more than `FEWEST_ROUNDS`.
        """
        for number in range(-warm_up, self.rounds(usual)):
            for subject in self.drawn(subjects):
                if number < FEWEST_ROUNDS or subject not in fewer:
                    yield number, subject

    def uses(self, *programs):
        """Adds programs whose versions belong under the table."""
        for program in programs:
            if not any(known.startswith(f"{program} ") for known in self.programs):
                self.programs.append(machine.version(program))
                self.write({"program": self.programs[-1]})

    def write(self, value):
        with open(self.file, "a") as file:
            file.write(json.dumps(value) + "\n")

    def sample(self, measure, subject, number, value, unit):
        """Stores a sample; a sample of a round below 0 is only printed."""
        note(f"  {measure}, {subject}, round {number + 1}: {value:.4g} {unit}")
        if number >= 0:
            self.write({"measure": measure, "subject": subject, "round": number, "value": value, "unit": unit})
            self.units[measure] = unit
            self.series.setdefault(measure, {}).setdefault(subject, {})[number] = value
        return value

    def handover(self, measure, subject, number, micros):
        """Stores how long this machine took before a turn to hand 64 KiB from one processor to the other."""
        self.write({"measure": measure, "subject": str(subject), "round": number, "handover": micros, "unit": "µs"})
        self.handovers.append(micros)

    def values(self, measure, subject):
        """The samples of one subject, by round."""
        return list(self.series[measure][subject].values())

    def ratios(self, measure, ours, theirs):
        """The ratios within the rounds that have both."""
        ours, theirs = self.series[measure][ours], self.series[measure][theirs]
        return [ours[number] / theirs[number] for number in ours if number in theirs and theirs[number]]

    # Rows.

    def row(self, measure, peer, weir, ratio):
        self.rows.append((measure, peer, weir, ratio))

    def compare(self, measure, *peers, ours="weir", digits=0, title=None):
        """A row of one subject and one or more peers; each further peer gets its own line."""
        head = self.head(measure, title)
        value = f"{statistics.median(self.values(measure, ours)):,.{digits}f}"
        for peer in peers:
            other = f"{peer} {statistics.median(self.values(measure, peer)):,.{digits}f}"
            ratios = self.ratios(measure, ours, peer)
            self.row(head, other, value, intervals.text(ratios, 2, "×") if ratios else "")
            head, value = "", ""

    def alone(self, measure, subject="weir", digits=0, title=None):
        """A row of a subject without a peer: its median with the interval."""
        head = self.head(measure, title)
        self.row(head, "", intervals.text(self.values(measure, subject), digits), "")

    def head(self, measure, title):
        """The title of a row and its unit; a share has no unit."""
        unit = self.units[measure]
        return (title or measure) + (f", {unit}" if unit != "×" else "")

    def cost(self, work, subject, measures):
        """A line of the second table: the medians of the measures that have samples, each with its digits."""
        cells = []
        for measure, digits in measures.items():
            values = self.series.get(measure, {}).get(subject)
            cells.append(f"{statistics.median(values.values()):,.{digits}f}" if values else "")
        if any(line[0] == work for line in self.costs):
            work = ""
        self.costs.append((work, subject, *cells))

    def part(self, work, part, value, share):
        """A line of the third table: the cost of a part of some work, with its unit, and its share."""
        self.write({"work": work, "part": part, "value": value, "share": share})
        if any(line[0] == work for line in self.parts):
            work = ""
        self.parts.append((work, part, f"{value:,.2f}", f"{share * 100:,.1f} %"))

    def growth(self, things, sizes, measures):
        """A table of counts by size: the least of each measure's samples; a sample's subject is the size.

        The last columns have the growth for ten times the size, and a curve on two logarithmic scales.
        """
        rows = []
        for measure in measures:
            series = self.series.get(measure, {})
            if not series:
                continue
            least = [min(series[size].values()) if size in series else None for size in sizes]
            cells = ["–" if value is None else f"{value:,.0f}" for value in least]
            if None not in least:
                decades = math.log10(sizes[-1] / sizes[0])
                cells += [f"{(least[-1] / least[0]) ** (1 / decades):.2f}×", curve(least, sizes[-1] / sizes[0])]
            rows.append((measure, *cells, *[""] * (len(sizes) + 2 - len(cells))))
        unit = self.units[measures[0]]
        head = [f"{unit}, by {things}", *(f"{size:,}" for size in sizes), "for ten times as many", "curve"]
        self.growths.append((head, rows))

    def remark(self, text):
        """Adds a sentence under the tables, once."""
        if text not in self.notes:
            self.notes.append(text)

    def took(self, name, seconds):
        """Stores how long a measure took."""
        note(f"  {name} took {clock(seconds)}")
        self.seconds[name] = seconds
        self.write({"took": name, "seconds": round(seconds, 1)})

    def times(self):
        """How long each measure took, and all of them; stores the latter."""
        whole = sum(self.seconds.values())
        self.write({"took": "all", "seconds": round(whole, 1)})
        each = ", ".join(f"{name} {clock(seconds)}" for name, seconds in self.seconds.items())
        return f"times: {each}; all {clock(whole)}"

    # Tables.

    def table(self):
        """The tables in Markdown, ready to be pasted."""
        lines = []
        if self.rows:
            lines += markdown(("measure", "peer", "weir", "weir ÷ peer: median (95 % interval)"), self.rows)
        if self.costs:
            head = ("for a request", "of", "user µs", "system µs", "waits", "system calls", "instructions")
            lines += ["", *markdown(head, self.costs)]
        if self.parts:
            lines += ["", *markdown(("processor time of", "spent in", "", "share"), self.parts)]
        for head, rows in self.growths:
            lines += ["", *markdown(head, rows)]
        return "\n".join([*lines, "", self.caption()]).lstrip("\n")

    def caption(self):
        words = [
            "Medians; a ratio is the median of the rounds' ratios, in brackets its 95 % confidence interval, by order"
            f" statistics. {machine.description()}; {', '.join(self.programs)}; clients and servers on one machine;"
            f" {time.strftime('%Y-%m-%d', time.gmtime())}, by `{self.command}`"
            f" in {clock(sum(self.seconds.values()))}.",
            *self.notes,
        ]
        if self.handovers:
            least, middle, most = min(self.handovers), statistics.median(self.handovers), max(self.handovers)
            words.append(
                f"Before each turn of the measures by `wrk`, the machine took {least:.1f} to {most:.1f} µs, in the median"
                f" {middle:.1f}, to hand 64 KiB from one processor to the other."
            )
        return " ".join(words)

    def put_into(self, path):
        """Replaces the text between the two marks in a file."""
        found = figures(path)
        text = path.read_text()
        path.write_text(f"{text[: found.start()]}{START}\n{self.table()}\n{END}{text[found.end() :]}")


def figures(path):
    """The place between the two marks in a file, which it must have."""
    # Each mark is alone on its line: the text may mention the marks, too.
    found = re.search(f"^{START}$.*?^{END}$", path.read_text(), re.DOTALL | re.MULTILINE)
    if found is None:
        sys.exit(f"{path} has no lines {START} and {END}.")
    return found


def clock(seconds):
    """Minutes and seconds, such as "4 min 5 s"."""
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


def curve(values, most):
    """A block for each value: the lowest for the least value, the full one for `most` times the least or more."""
    least = min(values)
    return "".join(BLOCKS[min(7, round(7 * math.log(value / least, most)))] for value in values)


def markdown(head, rows):
    lines = ["| " + " | ".join(cells) + " |" for cells in (head, *rows)]
    lines.insert(1, "|" + "---|" * len(head))
    return lines


def note(text):
    print(text, file=sys.stderr, flush=True)
