# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Live streams through Weir: how often the origin is asked, what viewers see, and how a stream ends.

The bounds are counts against the origin's own clock, so that a slow machine does not fail them.
"""

import re
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urljoin

import rig
from check_results import equal, expect
from hls_lists import addresses, fetched
from rig import whole
from servers.hls_origin import HLSOrigin
from stage import players, waiting, web
from stage.weir import Weir

# A viewer sees a list that is at most this many target durations old; a busy machine adds a second.
OLDEST, SLACK = 1.5, 1.0


def where(label):
    return f"plain/{label}/live/film.m3u8"


class Viewer:
    """Asks for a list once in a target duration, as players do, and for each segment that appears in it."""

    def __init__(self, base, live, label):
        self.url = base + where(label)
        self.live = live
        self.sequences = {}
        # How old the seen lists were, in seconds of the origin's clock.
        self.ages = []

    def watch(self, seconds):
        end = time.monotonic() + seconds
        while (begun := time.monotonic()) < end:
            before = self.live.clock.now()
            text = fetched(self.url).text
            self.look(text, before)
            if "#EXT-X-ENDLIST" in text:
                break
            # The rhythm of a player, RFC 8216 6.3.4.
            time.sleep(max(0.0, begun + self.live.target - time.monotonic()))
        return self

    def look(self, text, before):
        first, listed = sequence(text), addresses(text)
        newest = first + len(listed) - 1
        # When the next segment appeared, this list became old; `before` is earlier than its answer.
        self.ages.append(max(0.0, before - self.live.appeared(newest + 1)))
        for number, address in enumerate(listed, first):
            if number not in self.sequences:
                answer = web.fetch(urljoin(self.url, address))
                equal(answer.status, 200, f"the status of segment {number}")
                expect(answer.body == self.live.data(f"s{number:03}.ts"), f"the bytes of segment {number} differ")
                self.sequences[number] = len(answer.body)

    def expect_whole(self):
        numbers = sorted(self.sequences)
        equal(numbers, list(range(numbers[0], numbers[-1] + 1)), "the numbers of the seen segments")


def sequence(text):
    found = re.search(r"^#EXT-X-MEDIA-SEQUENCE:(\d+)", text, re.MULTILINE)
    return int(found[1]) if found else 0


def expect_rhythm(count, seconds, target, is_long):
    """The polls of a stream: one in a target duration, ±20 %; a short time has a part of one more or less."""
    expected, slack = seconds / target, 0 if is_long else 1.5
    expect(expected * 0.8 - slack <= count <= expected * 1.2 + slack + 1, f"{count} polls in {seconds:.1f} s of target duration {target}")


def shared(stage, origin, is_long):
    """Eight viewers of one process, one viewer, and four viewers of two processes over one cache; then silence."""
    target, seconds = (2, 60) if is_long else (1, 10)
    many, one, first = (Weir(stage, origin.base) for _ in range(3))
    second = Weir(stage, origin.base, cache=first.cache)
    watched = [(many, "many")] * 8 + [(one, "one")] + [(first, "two"), (second, "two")] * 2
    lives = {label: origin.add_live(label, target, window=10) for label in ("many", "one", "two")}
    with ThreadPoolExecutor(len(watched)) as pool:
        begun = time.monotonic()
        jobs = [pool.submit(Viewer(weir.base, lives[label], label).watch, seconds) for weir, label in watched]
        viewers = [job.result() for job in jobs]
        took = time.monotonic() - begun
    asked = {label: origin.of(label) for label in lives}
    for viewer in viewers:
        viewer.expect_whole()
    oldest = max(age for viewer in viewers for age in viewer.ages)
    polls = {label: sum(each.is_list for each in asked[label]) for label in asked}
    # No viewer is left; three target durations later nothing is asked.
    time.sleep(3 * target + 1.5)
    mark = origin.mark()
    time.sleep(3 * target)
    late = {label: len(origin.of(label, mark)) for label in asked}
    for weir in (many, one, second, first):
        weir.stop()
    return {"viewers": len(viewers), "seconds": took, "target": target, "asked": asked, "polls": polls, "late": late, "oldest": oldest}


def event(stage, origin):
    """An EVENT list that grows and ends, watched by ffmpeg from its beginning, and then played again."""
    weir = Weir(stage, origin.base)
    live = origin.add_live("event", 1, end=8, is_event=True)
    url = weir.base + where("event")
    words = ["ffmpeg", "-nostdin", "-v", "error", "-xerror", "-live_start_index", "0", "-i", url, "-f", "framemd5", "-"]
    first = frames(players.run(words, stage.environment))
    polls = sum(each.is_list for each in origin.of("event"))
    mark = origin.mark()
    # Three target durations and more, with a viewer who asks.
    for _ in range(4):
        fetched(url)
        time.sleep(1)
    late = origin.of("event", mark)
    again = {player: whole.PLAYERS[player](stage, url) for player in whole.NATIVE}
    second = frames(players.run(words, stage.environment))
    warm = origin.of("event", mark)
    weir.stop()
    return {"frames": (first, second), "polls": polls, "late": late, "warm": warm, "again": again, "seconds": live.end * live.target}


def frames(text):
    """How many pictures ffmpeg decoded, by a line for each frame of each stream."""
    return sum(line.startswith("0,") for line in text.decode().splitlines())


def origin_away(stage):
    """Stops a live origin; returns the statuses of the list in their order, the last answer, and a held segment's status."""
    origin = HLSOrigin(stage)
    live = origin.add_live("away", 2)
    weir = Weir(stage, origin.base)
    viewer = Viewer(weir.base, live, "away").watch(3)
    text = fetched(viewer.url).text
    held = urljoin(viewer.url, addresses(text)[0])
    # The list has just changed, so that it is good for a while.
    waiting.until(lambda: fetched(viewer.url).text != text, 30, "a change of the list", pause=0.1)
    origin.stop()
    statuses = []

    def is_refused():
        statuses.append(web.fetch(viewer.url))
        return statuses[-1].status != 200

    waiting.until(is_refused, 40, "an answer other than the last list", pause=0.2)
    segment = web.fetch(held)
    weir.stop()
    return statuses, segment.status


def generations(origin, weir):
    """The stream starts again from its beginning, with other bytes under the same names."""
    origin.add_live("again", 1, begin=30)
    url = weir.base + where("again")
    before = fetched(url).text
    live = origin.add_live("again", 1, begin=5)
    live.film = live.film.with_name("live-2")
    changed = waiting.until(lambda: newer(url, sequence(before)), 30, "the list with an earlier sequence", pause=0.2)
    number = sequence(changed)
    answer = web.fetch(urljoin(url, addresses(changed)[0]))
    # The window may have moved by one while the segment was asked for.
    expect(answer.status in (200, 404), f"the status is {answer.status}")
    return sequence(before), number, answer.status, answer.body == (live.film / f"s{number:03}.ts").read_bytes()


def newer(url, sequence_before):
    text = fetched(url).text
    return text if sequence(text) < sequence_before else None


def not_remembered(origin, weir):
    """A listed segment is 404 at first, and later exists; a segment that has left the list is 404."""
    live = origin.add_live("late", 1)
    url = weir.base + where("late")
    listed = fetched(url)
    equal(listed.headers.get("cache-control"), "no-store", "Cache-Control of a live list")
    text = listed.text
    number, last = sequence(text) + len(addresses(text)) - 1, urljoin(url, addresses(text)[-1])
    place = f"/plain/late/live/s{number:03}.ts"
    origin.gone.add(place)
    first = web.fetch(last).status
    origin.gone.discard(place)
    second = web.fetch(last)
    return first, second.status, second.body == (live.film / f"s{number:03}.ts").read_bytes()


def players_live(stage, origin, weir, names, seconds):
    """Real players of one live stream at the same time; returns how long it took, and the origin's requests."""
    origin.add_live("players", 2)
    url = weir.base + where("players")
    plan = rig.Plan(start=seconds, has_pictures=False, limit=seconds + 60)
    words = ["ffmpeg", "-nostdin", "-v", "error", "-re", "-i", url, "-t", seconds, "-f", "null", "-"]

    def play(name):
        if name == "ffmpeg":
            players.run(words, stage.environment, plan.limit)
        else:
            rig.PLAYERS[name](stage).play(url, plan)

    begun = time.monotonic()
    with ThreadPoolExecutor(len(names)) as pool:
        for job in [pool.submit(play, name) for name in names]:
            try:
                job.result()
            except players.PlayerFailed as failure:
                bad = [line for line in weir.log.splitlines() if "/players/" in line and '"status":' in line and '"status":20' not in line]
                raise players.PlayerFailed(f"{failure}; other answers than 200 and 206: {bad[-3:]}") from failure
    return time.monotonic() - begun, origin.of("players")


def twice(requests):
    """The segments of which the origin sent a body more than once."""
    counts = Counter(each.path for each in requests if not each.is_list and each.sent)
    return sorted(path for path, count in counts.items() if count > 1)
