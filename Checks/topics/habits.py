# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Origins' answers: Weir reads each cold, after a probe, at the end and resumed; players play with and without Weir.

The short form always draws cells with the same seed, and the long form with a new one; WEIR_SEED=NUMBER sets the seed.
WEIR_CHECKS_KEEP_TEXTS=1 writes the table of Documentation/Origins.md.
"""

import hashlib
import http.client
import json
import os
import random
import re
import shutil
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from check_results import Skipped, equal, expect
from rig.chromium import Browser
from rig.workspace import Workspace
from servers.habit_origin import AXES, Cell, HabitOrigin, axis_cells, drawn_cells
from stage import media, place, web
from stage.stage import Stage
from stage.weir import Weir

# The requests of each reading; the last answer is the reading's result.
READINGS = {"cold": [None], "probed": ["bytes=0-1", None], "end": ["bytes=-1000"],
            "resumed": ["bytes=0-99999", "bytes=100000-"]}
# How many requests a reading may cost at the origin: one for each of its own, and one more, after a refused range,
# a change or a cut.
ALLOWED = {"cold": 2, "probed": 3, "end": 2, "resumed": 3}
# How many further requests an origin may cost that sends only 64 KiB of a larger range: one for each 64 KiB. Without
# a validator, each repeats the last 4 KiB of the one before.
PIECES = 12
TABLE = place.ROOT / "Documentation" / "Origins.md"
MARKS = "<!-- the table -->\n", "<!-- the end of the table -->\n"
# Cells that a program plays from the origin but not through Weir, and the reasons.
REASONS = {
    ("curl", "ranges: behind"): "curl asks for no range. Weir asks for one, and the answer contradicts it.",
    ("curl", "ranges: refused-403"): "curl asks for no range. Weir asks for one; a first 403 may be about the file.",
    ("curl", "coding: brotli-said"): "curl writes the bytes down as they come. Weir sends nothing that it cannot unpack.",
    ("ffmpeg", "length: different"): "ffmpeg believes one of the two lengths. Either may be the wrong one.",
    ("ffmpeg", "coding: gzip"): "ffmpeg cuts the padding at the end only if a length is sent.",
    ("ffmpeg", "coding: gzip-twice"): "ffmpeg unpacks once, and finds sound in the result.",
    ("ffmpeg", "coding: brotli-said"): "ffmpeg does not know the coding, and takes the bytes as they come.",
}

# A difference that depends on time, and so is not in the table: Weir sends a length if the whole answer has come before
# its own answer begins.
TIMED = {("ffmpeg", "coding: gzip")}


def run(results):
    seed = int(os.environ.get("WEIR_SEED") or (random.randrange(1 << 32) if results.is_long else 5))
    data = (media.folder() / "song.mp3").read_bytes()
    cells = axis_cells()
    drawn = drawn_cells(random.Random(seed), 1200 if results.is_long else 80)
    with Stage("habits") as stage:
        origin = HabitOrigin(stage, data)
        weir = Weir(stage, origin.base)
        Trial(results, stage, origin, weir, data).run(cells, drawn, seed)


class Trial:
    def __init__(self, results, stage, origin, weir, data):
        self.results, self.stage, self.origin, self.weir, self.data = results, stage, origin, weir, data
        # Pairs of a program and a cell that the program plays only without Weir.
        self.different = []

    def run(self, cells, drawn, seed):
        results = self.results
        tasks = [(cell, reading) for cell in [*cells, *drawn] for reading in READINGS]
        with ThreadPoolExecutor(8) as pool:
            outcomes = dict(zip(tasks, pool.map(lambda task: self.read(*task), tasks), strict=True))
        ends = Counter(result.end for result in outcomes.values())
        with results.check("no reading gives a wrong byte, or ends early without a reason") as check:
            wrong = [f"{cell}, {reading}: {result}" for (cell, reading), result in outcomes.items()
                     if result.end in ("wrong", "broken")]
            expect(not wrong, f"seed {seed}: {len(wrong)}, such as {'; '.join(wrong[:8])}")
            check.figure = f"{len(cells)} cells and {len(drawn)} drawn with seed {seed}, {len(tasks)} readings: {dict(ends)}"
        with results.check("a contradictory answer is refused with a message, and none of it is cached"):
            taken = [f"{cell}, {reading}" for (cell, reading), result in outcomes.items()
                     if cell.is_contradiction and result.end != "refused"]
            expect(not taken, f"seed {seed}: {'; '.join(taken[:8])}")
        with results.check("a refusal's message names the origin's answer") as check:
            told = {result.text for result in outcomes.values() if result.end == "refused"}
            odd = [text for text in told if not re.fullmatch(r"(http://)?127\.0\.0\.1:\d+\S* [^\n]+\.", text)]
            expect(told and not odd, f"seed {seed}: {odd[:5]}")
            check.figure = f"{len(told)} sentences"
        with results.check("no reading sends more requests than necessary"):
            many = [f"{cell}, {reading}: {result.asked}" for (cell, reading), result in outcomes.items()
                    if len(result.asked) > allowed(cell, reading, result.end)]
            expect(not many, f"seed {seed}: {len(many)}, such as {'; '.join(many[:8])}")
        players = {"curl": self.curl, "ffmpeg": self.ffmpeg}
        direct = {}
        for name, play in players.items():
            with results.check(f"{name} plays through weir all that it plays from the origin") as check:
                if shutil.which(name) is None:
                    raise Skipped(f"there is no {name}")
                direct[name] = self.compare(check, cells, name, play)
        with results.check("chromium plays through weir all that it plays from the origin") as check:
            if shutil.which("chromium") is None:
                raise Skipped("there is no chromium; Scripts/set-up players installs it")
            with Workspace(self.stage, "chromium") as workspace:
                browser = Browser(workspace, 60)
                direct["chromium"] = self.compare(check, cells, "chromium", lambda url: chromium(browser, url), jobs=1)
        if len(direct) == len(players) + 1:
            with results.check("the table in the documents equals the results"):
                self.compare_table(table(cells, outcomes, direct, self.different))

    def read(self, cell, reading):
        """Reads through Weir, and returns how the reading ended."""
        where = self.origin.place(cell, reading)
        result = None
        for field in READINGS[reading]:
            result = fetch(self.weir.url(where), field, self.data)
            if result.end in ("wrong", "broken"):
                break
        result.asked = self.origin.requests(where)
        return result

    def compare(self, check, cells, name, play, jobs=4):
        """Plays each cell from the origin and through Weir; returns the results from the origin."""
        def both(cell):
            straight = self.origin.place(cell, name)
            through = self.origin.place(cell, name + "-through")
            return play(self.origin.base + straight), play(self.weir.url(through))

        with ThreadPoolExecutor(jobs) as pool:
            seen = dict(zip(cells, pool.map(both, cells), strict=True))
        lost = [cell.said for cell, (straight, through) in seen.items() if straight and not through]
        won = [cell.said for cell, (straight, through) in seen.items() if through and not straight]
        unexplained = [cell for cell in lost if (name, cell) not in REASONS]
        self.different += [(name, cell) for cell in lost]
        expect(not unexplained, f"only from the origin: {'; '.join(unexplained)}; only through weir: {'; '.join(won)}")
        check.figure = (f"{sum(straight for straight, _ in seen.values())} of {len(cells)} from the origin, "
                        f"{sum(through for _, through in seen.values())} through weir")
        return {cell: straight for cell, (straight, _) in seen.items()}

    def curl(self, url):
        done = subprocess.run(["curl", "-sS", "-f", "--max-time", "20", url], capture_output=True, check=False,
                              env=self.stage.environment)
        return done.returncode == 0 and done.stdout == self.data

    def ffmpeg(self, url):
        words = ["ffmpeg", "-v", "error", "-nostdin", "-i", url, "-map", "0:a", "-f", "md5", "-"]
        try:
            done = subprocess.run(words, capture_output=True, check=False, timeout=30, env=self.stage.environment)
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0 and done.stdout == self.decoded

    @property
    def decoded(self):
        """The digest of ffmpeg's output for the file itself."""
        if not hasattr(self, "digest"):
            words = ["ffmpeg", "-v", "error", "-nostdin", "-i", media.folder() / "song.mp3", "-map", "0:a", "-f", "md5", "-"]
            self.digest = subprocess.run(words, capture_output=True, check=True).stdout
        return self.digest

    @staticmethod
    def compare_table(text):
        kept = TABLE.read_text()
        before, rest = kept.split(MARKS[0])
        old, after = rest.split(MARKS[1])
        if os.environ.get("WEIR_CHECKS_KEEP_TEXTS") == "1":
            TABLE.write_text(before + MARKS[0] + text + MARKS[1] + after)
            return
        equal(old.splitlines(), text.splitlines(), "the table")


def allowed(cell, reading, end):
    """How many requests a reading of a cell may cost."""
    if end == "refused":
        # Weir remembers nothing about a refused answer, so each request may cost one with a range and one without.
        return 2 * len(READINGS[reading])
    # If the reader of a packed answer leaves early, Weir drops the answer and must request it again.
    again = reading == "resumed" and cell.coding == "gzip"
    return ALLOWED[reading] + again + (PIECES if cell.ranges == "short" else 0)


class Result:
    """How a reading ended: right, refused with a message, broken off after right bytes, or wrong."""

    def __init__(self, end, text):
        self.end, self.text, self.asked = end, text, []

    def __str__(self):
        return f"{self.end} ({self.text}), asked {self.asked}"


def fetch(url, field, data):
    """One request through Weir, compared with the right bytes."""
    try:
        answer = web.fetch(url, {"Range": field} if field else None, timeout=60)
    except http.client.IncompleteRead as cut:
        is_right = bool(cut.partial) and cut.partial in data
        return Result("broken" if is_right or not cut.partial else "wrong", f"{len(cut.partial)} bytes, then nothing")
    except (OSError, http.client.HTTPException) as error:
        return Result("broken", str(error))
    if answer.status >= 400:
        return Result("refused", answer.text.strip())
    wanted = data
    if answer.status == 206:
        first, last, total = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+|\*)", answer.headers["content-range"]).groups()
        wanted = data[int(first):int(last) + 1]
        is_asked = {"bytes=0-1": (0, 2), "bytes=-1000": (len(data) - 1000, len(data)), "bytes=0-99999": (0, 100_000),
                    "bytes=100000-": (100_000, len(data))}[field] == (int(first), int(last) + 1)
        if not is_asked or total not in ("*", str(len(data))):
            return Result("wrong", answer.headers["content-range"])
    if answer.body != wanted:
        return Result("wrong", f"status {answer.status}, {len(answer.body)} bytes where {len(wanted)} belong")
    return Result("right", str(answer.status))


def chromium(browser, url):
    """Whether an <audio> element loads the URL and seeks in it."""
    return browser.evaluate(f"""new Promise(resolve => {{
        const audio = new Audio();
        audio.preload = "auto";
        audio.onloadeddata = () => {{ audio.currentTime = 2; }};
        audio.onseeked = () => resolve(true);
        audio.onerror = () => resolve(false);
        setTimeout(() => resolve(false), 10_000);
        audio.src = {json.dumps(url)};
    }})""")


def table(cells, outcomes, direct, different):
    """A row for each habit on its own: which programs play it from the origin, and how Weir's readings end."""
    lines = ["| origin's behaviour | curl | ffmpeg | Chromium | weir: cold | behind a probe | at the end | resumed |",
             "|---|---|---|---|---|---|---|---|"]
    for cell in cells:
        habits = [(axis, getattr(cell, axis)) for axis in AXES if getattr(cell, axis) != getattr(Cell(), axis)]
        what = f"{habits[0][0]}: {describe(*habits[0])}" if habits else "as it should be"
        plays = ["plays" if direct[name][cell] else "no" for name in ("curl", "ffmpeg", "chromium")]
        ends = [outcomes[cell, reading].end for reading in READINGS]
        lines.append(f"| {what} | {' | '.join(plays + ends)} |")
    lines.append("")
    lines += [f"- {name}, {cell}: {REASONS[name, cell]}" for name, cell in different if (name, cell) not in TIMED]
    return "\n".join(lines) + "\n"


def describe(axis, habit):
    told = AXES[axis][habit]
    if axis == "coding":
        return f"`Content-Encoding: {told}`"
    if axis == "type":
        return f"`Content-Type: {told}`" if told else "no `Content-Type`"
    if axis == "validator":
        return " ".join(f"`{name}: {value}`" for name, value in told.items()) or "none"
    return told
