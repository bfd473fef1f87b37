# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Signed addresses that end while a film plays."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urljoin

from check_results import equal, expect
from hls_films import path
from hls_lists import addresses, fetched
from rig import whole
from stage import hls, players, waiting, web

# A signature ends after so many answered segments: about 5 s of a film with segments of 2 s.
LIFE = 3


def expiring(films, player, film="ts"):
    """A whole play while signatures end again and again; returns the loads of the list and the ends of signatures."""
    label = f"{player}-expiring"
    signatures = films.origin.sign(label, LIFE)
    mark = films.origin.mark()
    facts = whole.PLAYERS[player](films.stage, films.weir.base + path("signed", label, film), films.site)
    equal(facts, films.expected(player, film), f"what {player} decodes")
    asked = films.origin.of(label, mark)
    served = [each for each in asked if not each.is_list and each.status in (200, 206)]
    equal(len(served), len({each.path for each in served}), f"the bodies of {player}'s segments")
    loads, ends = sum(each.is_list for each in asked), (signatures.ticks - 1) // LIFE
    expect(ends >= 2, f"only {ends} signatures ended")
    expect(1 + 1 <= loads <= 1 + ends, f"{player}: the list was loaded {loads} times for {ends} ended signatures")
    return loads, ends


def paused(films):
    """mpv plays, is paused half way while every signature ends, and plays to the end without an error line."""
    signatures = films.origin.sign("paused")
    mark = films.origin.mark()
    url = films.weir.base + path("signed", "paused", "ts")
    # A small read-ahead, so that half of the film is not asked for yet.
    mpv = players.Mpv(films.stage, url, "--cache=no", "--demuxer-readahead-secs=0")
    mpv.reach(4)
    mpv.ask("set_property", "pause", True)
    signatures.end()
    before = sum(each.is_list for each in films.origin.of("paused", mark))
    mpv.ask("set_property", "speed", 8)
    mpv.ask("set_property", "pause", False)
    waiting.until(lambda: not mpv.program.is_alive(), 60, "the end of mpv's play", pause=0.05)
    equal(mpv.program.poll(), 0, f"mpv's exit status, with {mpv.said()!r},")
    equal(errors(mpv), [], "mpv's error lines")
    asked = films.origin.of("paused", mark)
    refused = [each for each in asked if each.status == 403]
    loads = sum(each.is_list for each in asked) - before
    names = {each.path for each in asked if not each.is_list and each.sent}
    equal(len(names), hls.COUNT, "the segments that were sent")
    expect(refused, "no signature was refused; everything was asked for before the pause")
    expect(loads <= 1, f"the list was loaded {loads} times after one end")
    return len(refused), loads


def at_once(films):
    """Six viewers ask for six segments at once when every signature has ended: one reload serves all."""
    signatures = films.origin.sign("at-once")
    url = films.weir.base + path("signed", "at-once", "ts")
    listed = addresses(fetched(url).text)
    signatures.end()
    mark = films.origin.mark()
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda address: web.fetch(urljoin(url, address)), listed[:6]))
    equal([answer.status for answer in answers], [200] * 6, "the statuses")
    for number, answer in enumerate(answers):
        expect(answer.body == (films.origin.films / "ts" / f"s{number:02}.ts").read_bytes(), f"segment {number} differs")
    return sum(each.is_list for each in films.origin.of("at-once", mark))


def through_parent(films):
    """The signature of a nested list has ended, too: its parent is loaded once."""
    signatures = films.origin.sign("parent")
    url = films.weir.base + path("signed", "parent", "renditions")
    nested = urljoin(url, next(line for line in addresses(fetched(url).text) if line.endswith(".m3u8")))
    listed = addresses(fetched(nested).text)
    signatures.end()
    mark = films.origin.mark()
    equal(web.fetch(urljoin(nested, listed[3])).status, 200, "the status of a segment")
    return [(each.path.split("/", 4)[4], each.status) for each in films.origin.of("parent", mark)]


def in_real_time(films):
    """mpv plays for 20 s and is paused half way, and every signature ends after 5 s."""
    signatures = films.origin.sign("real-time")
    is_over = threading.Event()

    def end_again_and_again():
        while not is_over.wait(5):
            signatures.end()

    thread = threading.Thread(target=end_again_and_again)
    thread.start()
    try:
        mpv = players.Mpv(films.stage, films.weir.base + path("signed", "real-time", "ts"), "--cache=no", "--demuxer-readahead-secs=0")
        mpv.reach(hls.SECONDS / 2)
        mpv.ask("set_property", "pause", True)
        time.sleep(12)
        mpv.ask("set_property", "pause", False)
        waiting.until(lambda: not mpv.program.is_alive(), 120, "the end of mpv's play", pause=0.05)
    finally:
        is_over.set()
        thread.join()
    equal(mpv.program.poll(), 0, f"mpv's exit status, with {mpv.said()!r},")
    equal(errors(mpv), [], "mpv's error lines")
    asked = films.origin.of("real-time")
    loads, refused = sum(each.is_list for each in asked), sum(each.status == 403 for each in asked)
    equal(len({each.path for each in asked if not each.is_list and each.sent}), hls.COUNT, "the segments that were sent")
    expect(0 < refused and loads <= 1 + signatures.ended, f"{loads} loads and {refused} answers of 403 for {signatures.ended} ends")
    return loads, signatures.ended


def errors(mpv):
    """The lines in which mpv tells of an error."""
    return [line for line in mpv.said().splitlines() if "http" in line or "rror" in line or "403" in line]
