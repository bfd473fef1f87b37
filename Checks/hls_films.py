# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Films of every shape in every player: cold, warm, and without their origin."""

from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import rig
from check_results import Skipped, equal, expect
from rig import whole
from servers.hls_origin import HLSOrigin
from stage import hls

# The habits of the servers, and the film.
CASES = [
    ("plain", "ts"), ("plain", "fmp4"), ("plain", "aes"), ("plain", "ts-ranges"), ("plain", "fmp4-ranges"),
    ("plain", "renditions"), ("plain", "discontinuity"), ("absolute", "aes"), ("signed", "fmp4"), ("gzip", "ts"),
    ("redirect", "aes"), ("hop", "aes"), ("define", "renditions"), ("nameless", "aes"), ("whole", "ts-ranges"), ("bare", "ts"),
    ("disguised", "aes"), ("private-absolute-signed", "renditions"),
]
LONG_HABITS = ("plain", "bare", "cached", "gzip", "redirect", "hop", "absolute", "rooted", "define", "nameless", "disguised", "signed", "whole",
               "private", "gzip-absolute-define", "redirect-rooted-signed", "bare-whole-nameless", "private-absolute-signed")
# Chromium plays one film after another in real time, so that the short form has few.
CHROMIUM = [("plain", "aes"), ("plain", "large")]
# VLC drops packets around a discontinuity, and not always the same ones.
VAGUE = {("vlc", "discontinuity")}
# How many times the bytes of a film Chromium may cost, which asks for ranges without an end.
MOST = 1.15
# How many seconds Weir uses a list before it asks the origin again. A player may ask for a list twice.
FRESH = 1


def cases(is_long):
    if not is_long:
        return CASES
    return [(habits, film) for habits in LONG_HABITS for film in hls.FILMS if film != "large"]


def plays(is_long):
    """Every play, as (habits, film, player). In the short form two players at a time take turns with odd servers."""
    found = []
    for number, (habits, film) in enumerate(cases(is_long)):
        chosen = whole.NATIVE if is_long or habits == "plain" else whole.NATIVE[number % 2 :: 2]
        found += [(habits, film, player) for player in chosen]
    return found


def path(habits, label, film):
    return f"{habits}/{label}/{film}/film{'' if 'nameless' in habits else '.m3u8'}"


@dataclass
class Play:
    """What a player decoded, and what the origin was asked meanwhile."""

    facts: str
    requests: list
    lists: list = field(init=False)
    others: list = field(init=False)

    def __post_init__(self):
        self.lists = [each for each in self.requests if each.is_list]
        self.others = [each for each in self.requests if not each.is_list]


class Films:
    """Plays through one Weir; every player has addresses of its own."""

    def __init__(self, stage, origin, weir, site):
        self.stage = stage
        self.origin = origin
        self.weir = weir
        # A page of another site, on which Chromium plays.
        self.site = site
        # Plays that do not pass through Weir are not in the origin's log.
        self.reference = HLSOrigin(stage)
        self.known = {}

    def expected(self, player, film):
        """What a player decodes of the plain film without Weir."""
        if player == "chromium":
            return f"{hls.LARGE_SECONDS if film == 'large' else hls.SECONDS} s"
        if (player, film) not in self.known:
            self.known[player, film] = whole.PLAYERS[player](self.stage, self.reference.base + path("plain", player, film))
        return self.known[player, film]

    def play(self, player, habits, film):
        """Plays a film; fails if the player sees anything else than without Weir."""
        absence = rig.absence(player)
        if absence:
            raise Skipped(absence)
        label = f"{player}-film"
        expected = None if (player, film) in VAGUE else self.expected(player, film)
        with self.origin.lock:
            if label not in self.origin.signatures:
                self.origin.sign(label)
        where = path(habits, label, film)
        mark = self.origin.mark()
        facts = whole.PLAYERS[player](self.stage, self.weir.base + where, self.site)
        if (player, film) in VAGUE:
            expect(facts, f"{player} decoded nothing of {where}")
        else:
            equal(facts, expected, f"what {player} decodes of {where}")
        prefix = f"/{habits}/{label}/{film}/"
        return Play(facts, [each for each in self.origin.of(label, mark) if each.path.startswith(prefix)])

    def cold(self, player, habits, film):
        play = self.play(player, habits, film)
        expect(play.lists and play.others, f"{player} asked for {len(play.lists)} lists and {len(play.others)} other files")
        direct = [each.path for each in play.requests if not each.agent.startswith("Weir/")]
        equal(direct, [], f"the direct requests of {player}")
        sent = defaultdict(int)
        for each in play.others:
            sent[each.path] += each.sent
        for place, count in sent.items():
            size = self.origin.found(film, place.split("/", 4)[4]).stat().st_size
            most = size * (MOST if player == "chromium" else 1)
            expect(count <= most, f"{player}: the origin sent {count} bytes of the {size} of {place}")
        return play

    def warm(self, player, habits, film):
        play = self.play(player, habits, film)
        again = [(each.name, each.range, each.status, each.sent) for each in play.others]
        equal(again, [], f"the requests for segments and keys of {player}, warm,")
        asked = defaultdict(list)
        for each in play.lists:
            asked[each.host, each.path].append(each.begun)
        for place, times in asked.items():
            gaps = [later - earlier for earlier, later in zip(times, times[1:])]
            expect(min(gaps, default=FRESH) >= FRESH, f"{player}, warm: {place} was requested again after {gaps} s")
        if not {"bare", "signed"} & set(habits.split("-")):
            plain = [each.path for each in play.lists if each.status != 302 and not each.if_none_match]
            equal(plain, [], f"the lists of {player}, warm, without If-None-Match")
        return play


def started(pool, films, is_long):
    """Starts every play cold; returns the future plays by case and player."""
    return {(habits, film, player): pool.submit(films.cold, player, habits, film) for habits, film, player in plays(is_long)}


def finish(results, films, cold, pool, is_long):
    """The checks of the four native players: cold, and then warm."""
    for job in cold.values():
        job.exception()
    warm = {key: pool.submit(films.warm, key[2], key[0], key[1]) for key in cold}
    for habits, film in cases(is_long):
        with results.check(f"{film}, {habits}: every request comes from Weir and no byte twice; warm, no segment and no key") as check:
            chosen = [player for player in whole.NATIVE if (habits, film, player) in cold]
            pairs = [(cold[habits, film, player].result(), warm[habits, film, player].result()) for player in chosen]
            counts = [f"{player} {len(first.requests)}/{len(second.requests)}" for player, (first, second) in zip(chosen, pairs)]
            check.figure = f"requests cold/warm: {', '.join(counts)}"


def without_origin(results, films, pool, is_long):
    """Plays the films again after their origin has stopped."""
    chosen = [play for play in plays(is_long) if is_long or play[0] != "plain" or play[1] in ("aes", "fmp4-ranges")]
    with results.check("the origin has stopped: every film plays again to its end in the four native players") as check:
        jobs = [pool.submit(films.play, player, habits, film) for habits, film, player in chosen]
        for job in jobs:
            job.result()
        check.figure = f"{len(jobs)} plays"


def in_new_process(results, films, start, is_long):
    """Plays films in a new process over the same cache; `start` starts it with more options."""
    chosen = [("gzip", "ts"), ("redirect", "aes"), ("define", "renditions"), ("private-absolute-signed", "renditions")]
    for options, what in (((), "without its origin"), (("--offline",), "with --offline")):
        with results.check(f"a new process over the same cache, {what}, plays films to their end") as check:
            before = films.weir
            films.weir = start(*options)
            try:
                for habits, film in chosen:
                    players = [player for each, other, player in plays(is_long) if (each, other) == (habits, film)]
                    films.play(players[0], habits, film)
            finally:
                films.weir.stop()
                films.weir = before
            check.figure = f"{len(chosen)} films"


def seek(films, player, habits, film):
    """Plays a film in real time with seeks, through Weir and without it; expects the same pictures and samples."""
    # VLC shows a picture near the target, and not always the same one.
    plan = rig.Plan(start=1, seeks=(15, 4), after=0.5, has_pictures=player != "vlc")
    label = f"{player}-seeks"
    films.origin.sign(label)
    through = rig.PLAYERS[player](films.stage).play(films.weir.base + path(habits, label, film), plan)
    direct = rig.PLAYERS[player](films.stage).play(films.reference.base + path("plain", label, film), plan)
    equal(rig.faults(through, plan, hls.SECONDS, 1.5), [], f"the faults of {player}")
    equal(through.facts(), direct.facts(), f"what {player} shows after its seeks")


def in_chromium(films, is_long):
    """Chromium's plays, cold and warm; returns the share of the large film's bytes that the origin sent."""
    chosen = CHROMIUM if not is_long else [*((habits, film) for habits, film in CASES), ("plain", "large")]
    share = None
    for habits, film in chosen:
        play = films.cold("chromium", habits, film)
        if film == "large":
            size = (films.origin.films / film / "all.ts").stat().st_size
            share = sum(each.sent for each in play.others) / size
        if film != "large" or is_long:
            films.warm("chromium", habits, film)
    return len(chosen), share
