# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""HLS: films and live streams in five players, fetched once; signatures, hosts and lists that no server should send."""

import json
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urljoin

import hls_films
import hls_hosts
import hls_inputs
import hls_lists
import hls_live
import hls_shapes
import hls_signatures
import rig
import speech
from check_results import equal, expect
from clouds import User
from hls_films import Films, path
from rig import whole
from servers.hls_origin import HLSOrigin
from stage import hls, place, web
from stage.origin import Origin
from stage.stage import Stage
from stage.weir import Weir, command

PAGE = b"<!DOCTYPE html><title>Films</title><body></body>"


def run(results):
    hls.folder()
    with Stage("hls") as stage, ThreadPoolExecutor(2) as players, ThreadPoolExecutor(12) as others:
        origin = HLSOrigin(stage)
        site = Origin(stage, {"/page.html": lambda handler: handler.answer(200, PAGE, Content_Type="text/html")})
        allowed = site.base.rstrip("/")
        # A home of its own, in which no other server of the topic is found.
        home = place.clean_environment(stage.new_folder("home"))
        weir = Weir(stage, origin.base, "--hls-host", "127.0.0.1", "--revalidate", "1s", "--allow-cross-origin", allowed,
                    "--log", "json", header=f"Authorization: {origin.secret}", environment=home)
        films = Films(stage, origin, weir, f"{site.base}page.html")
        # Live streams need their own time, most of it asleep; the plays run beside them.
        live = live_jobs(stage, origin, weir, others, results.is_long)
        chromium = others.submit(hls_films.in_chromium, films, results.is_long)
        hosts = [others.submit(work, stage) for work in (hls_hosts.on_loopback, hls_hosts.in_own_network)]
        signed = signed_jobs(films, others, results.is_long)
        cold = hls_films.started(players, films, results.is_long)
        inputs(results, stage, origin, weir, allowed)
        hls_films.finish(results, films, cold, players, results.is_long)
        if results.is_long:
            seeks(results, films)
        in_chromium(results, chromium)
        signatures(results, signed)
        lived(results, live)
        led(results, hosts)
        commands(results, stage, origin)
        credentials(results, stage, origin)
        restarted(results, stage, origin, weir, home)
        given = lists(results, origin, weir)
        listed(results, stage, weir)
        origin.stop()
        hls_films.without_origin(results, films, others, results.is_long)

        def start(*options):
            return Weir(stage, origin.base, *options, "--hls-host", "127.0.0.1", cache=weir.cache, environment=home,
                        header=f"Authorization: {origin.secret}")

        discretion(results, stage, origin, weir, home, given)
        hls_films.in_new_process(results, films, start, results.is_long)


def live_jobs(stage, origin, weir, pool, is_long):
    jobs = {
        "shared": pool.submit(hls_live.shared, stage, origin, is_long),
        "event": pool.submit(hls_live.event, stage, origin),
        "away": pool.submit(hls_live.origin_away, stage),
        "generations": pool.submit(hls_live.generations, origin, weir),
        "remembered": pool.submit(hls_live.not_remembered, origin, weir),
    }
    # Chromium costs as much as the others together; the short form has it with films.
    names = [name for name in (rig.PLAYERS if is_long else whole.NATIVE) if rig.absence(name) is None]
    jobs["players"] = pool.submit(hls_live.players_live, stage, origin, weir, names, 60 if is_long else 6)
    return jobs


def inputs(results, stage, origin, weir, site):
    with results.check("a list over a bound, and a gzip bomb, are 502 with a sentence") as check:
        said = hls_inputs.bounds(origin, weir)
        check.figure = "; ".join(f"{what}: {text}" for what, text in said.items())[:600]
    with results.check("a list just below the bounds passes unchanged") as check:
        check.figure = f"{hls_inputs.within_bounds(origin, weir)} bytes"
    with results.check("a list that is not UTF-8 keeps its bytes; so do a byte order mark and CRLF"):
        hls_inputs.not_text(origin, weir)
    with results.check("a page under the name of a list gets what any other page gets") as check:
        check.figure = hls_inputs.page(origin, weir)
    with results.check("file:, javascript: and unusable addresses are 404, and the rest plays") as check:
        check.figure = hls_inputs.odd_addresses(origin, weir)
    with results.check("skd:, data: and keys of other systems stay as they are") as check:
        check.figure = hls_inputs.untouched(origin, weir)
    with results.check("forged, cut and foreign addresses are 404, and nothing is asked of the origin") as check:
        home = stage.new_folder("home")
        with_other_secret = Weir(stage, origin.base, environment=place.clean_environment(home))
        try:
            check.figure = hls_inputs.ids(origin, weir, with_other_secret)
        finally:
            with_other_secret.stop()
    with results.check("a master list that names itself, and lists nested over 4 deep, are 502") as check:
        check.figure = hls_inputs.nested(origin, weir)
    with results.check("a playlist of songs stays what it is") as check:
        check.figure = hls_inputs.plain(origin, weir)
    with results.check("a variable of a list comes from the query of its address") as check:
        check.figure = hls_inputs.variables(origin, weir)
    with results.check("an origin's own folder ~hls plays") as check:
        check.figure = hls_inputs.own_folder(origin, weir)
    with results.check("a list at the address of a folder plays") as check:
        check.figure = hls_inputs.folder(origin, weir)
    with results.check("a list answers Range, HEAD, If-None-Match and If-Range, with its own length and ETag") as check:
        check.figure = hls_inputs.answers(origin, weir)
    with results.check("a file that a list names in parts answers every range, and is fetched once") as check:
        check.figure = hls_inputs.ranges(origin, weir)
    with results.check("a page of an allowed site may read lists, segments and errors") as check:
        check.figure = hls_inputs.cross_origin(weir, site)


def in_chromium(results, job):
    with results.check("Chromium plays films to their end, every request comes from Weir, and byte ranges cost at most 1.15 times the bytes") as check:
        count, share = job.result()
        expect(share <= hls_films.MOST, f"{share:.3f} times the bytes")
        check.figure = f"{count} films, {share:.3f} times the bytes"


def seeks(results, films):
    # ffmpeg 5.1 itself fails to decode after a seek in fragmented MP4.
    for habits, film in (("plain", "ts"), ("absolute-signed", "ts-ranges"), ("define", "aes")):
        with results.check(f"{film}, {habits}: players seek, and show the same pictures as without Weir"):
            for player in whole.NATIVE:
                hls_films.seek(films, player, habits, film)


def signed_jobs(films, pool, is_long):
    jobs = {
        "expiring": pool.submit(lambda: {player: hls_signatures.expiring(films, player) for player in whole.NATIVE}),
        "paused": pool.submit(hls_signatures.paused, films),
        "at once": pool.submit(hls_signatures.at_once, films),
        "parent": pool.submit(hls_signatures.through_parent, films),
    }
    if is_long:
        jobs["real time"] = pool.submit(hls_signatures.in_real_time, films)
    return jobs


def signatures(results, jobs):
    with results.check("signatures end after every third segment: four players play to the end, one reload for each end") as check:
        found = jobs["expiring"].result()
        check.figure = ", ".join(f"{player}: {loads} loads, {ends} ends" for player, (loads, ends) in found.items())
    with results.check("every signature ends while mpv is paused: it plays to its end without an error line") as check:
        refused, loads = jobs["paused"].result()
        check.figure = f"{refused} answers of 403, {loads} reload"
    if "real time" in jobs:
        with results.check("every signature ends after 5 s in a film of 20 s that is paused half way: mpv plays to its end") as check:
            loads, ends = jobs["real time"].result()
            check.figure = f"{loads} loads for {ends} ends"
    with results.check("six requests find their signatures ended at once: one reload serves all") as check:
        loads = jobs["at once"].result()
        equal(loads, 1, "the reloads")
    with results.check("the signature of the media list has ended, too: its parent is loaded once") as check:
        asked = jobs["parent"].result()
        counts = Counter(name for name, status in asked if status != 403)
        equal(counts, {"film.m3u8": 1, "tone/film.m3u8": 1, "tone/s03.ts": 1}, f"the successful loads in {asked}")
        equal(len(asked) - 3, 2, f"the refused requests in {asked}")
        check.figure = f"{len(asked)} requests"


def lived(results, jobs):
    shared = {}
    with results.check("live: every viewer gets every segment, and no list is older than 1.5 target durations") as check:
        shared.update(jobs["shared"].result())
        most = hls_live.OLDEST * shared["target"] + hls_live.SLACK
        expect(shared["oldest"] <= most, f"a list was {shared['oldest']:.2f} s old")
        check.figure = f"{shared['viewers']} viewers for {shared['seconds']:.0f} s, the oldest list {shared['oldest']:.2f} s old"
    if shared:
        polls, asked = shared["polls"], shared["asked"]
        with results.check("live: the origin is polled in the rhythm of the target duration, ±20 %") as check:
            for label in ("one", "many"):
                hls_live.expect_rhythm(polls[label], shared["seconds"], shared["target"], results.is_long)
            check.figure = f"{polls['one']} polls for one viewer and {polls['many']} for 8 in {shared['seconds']:.0f} s"
        with results.check("live: 8 viewers cost the origin what one viewer costs") as check:
            many, one = len(asked["many"]), len(asked["one"])
            equal(hls_live.twice(asked["many"]) + hls_live.twice(asked["one"]), [], "the segments that were sent twice")
            expect(many <= 1.05 * one + (1 if results.is_long else 2), f"{many} requests for 8 viewers, {one} for one")
            check.figure = f"{many} requests for 8, {one} for one"
        with results.check("live: two processes over one cache: no segment is sent twice") as check:
            equal(hls_live.twice(asked["two"]), [], "the segments that were sent twice")
            check.figure = f"{len(asked['two']) - polls['two']} segments"
        with results.check("live: two processes over one cache poll the origin together in the rhythm") as check:
            # Each process loads the text itself once, before it knows that the text changes.
            hls_live.expect_rhythm(polls["two"] - 1, shared["seconds"], shared["target"], results.is_long)
            check.figure = f"{polls['two']} polls"
        with results.check("live: three target durations after the last viewer, nothing is asked"):
            equal(shared["late"], dict.fromkeys(shared["late"], 0), "the late requests")
    with results.check("EVENT: a player sees every segment until the end; afterwards no poll, and warm no segment") as check:
        event = jobs["event"].result()
        first, second = event["frames"]
        equal(first, second, "the pictures that ffmpeg saw, growing and ended")
        equal(first, event["seconds"] * 10, "the pictures of the whole stream")
        equal([each.path for each in event["warm"] if not each.is_list], [], "the segments that were asked for, warm")
        equal(len(event["late"]), 0, "the polls after the end")
        check.figure = f"{event['polls']} polls, {first} pictures; after the end {len(event['late'])} requests, warm {len(event['warm'])}"
    with results.check("live: the origin is away: the last list for a while, then 503 with Retry-After; segments are served") as check:
        answers, segment = jobs["away"].result()
        last = answers[-1]
        equal(answers[0].status, 200, "the first status without the origin")
        equal(last.status, 503, f"the status when the list is too old, with {last.text[:100]!r},")
        expect(last.headers.get("retry-after", "").isdecimal(), f"Retry-After is {last.headers.get('retry-after')!r}")
        equal(segment, 200, "the status of a held segment")
        check.figure = f"{len(answers) - 1} times the last list, then {last.status}, Retry-After: {last.headers.get('retry-after')}"
    with results.check("live: a stream that starts again has segments of its own, although their names are the same") as check:
        before, after, status, is_same = jobs["generations"].result()
        expect(status == 404 or is_same, "a segment of the old stream was served for the new one")
        check.figure = f"sequence {before}, then {after}: {status}"
    with results.check("live: the origin's 404 for a segment is 404, and is not remembered") as check:
        first, second, is_same = jobs["remembered"].result()
        equal((first, second, is_same), (404, 200, True), "the first and the second status, and whether the bytes are right")
    with results.check("live: several players of one stream: every request comes from Weir, no segment twice, polls in its rhythm") as check:
        took, asked = jobs["players"].result()
        equal(hls_live.twice(asked), [], "the segments that were sent twice")
        equal([each.path for each in asked if not each.agent.startswith("Weir/")], [], "the direct requests")
        polls = sum(each.is_list for each in asked)
        expect(polls <= took / 2 * 1.2 + 2, f"{polls} polls in {took:.1f} s of target duration 2")
        check.figure = f"{polls} polls and {len(asked) - polls} segments in {took:.0f} s"


def led(results, jobs):
    with results.check("lists may not lead to other ports of this machine: 0 connections; with --hls-host, some") as check:
        check.figure = jobs[0].result()
    with results.check("lists may lead to public addresses, and not to private ones, also by a name or a redirect; never to link-local ones") as check:
        check.figure = jobs[1].result()


def commands(results, stage, origin):
    url = origin.base + path("plain", "commands", "ts")
    for option in ((), ("-r",)):
        with results.check(f"weir get {' '.join(option)}{' ' if option else ''}of an HLS list ends with 2 and a sentence") as check:
            target = stage.new_folder("target")
            done = command(stage, "get", *option, url, "-o", target / "film", "--cache", stage.new_folder("cache"))
            equal(done.returncode, 2, f"the exit status, with {done.stderr.decode()[-300:]!r},")
            equal([each.name for each in target.iterdir()], [], "the files of the target")
            check.figure = speech.sentence(done.stderr.decode(), 2)
    local = whole.PLAYERS["ffmpeg"](stage, hls.folder() / "ts" / "film.m3u8")
    with results.check("weir exec gives a list to ffmpeg") as check:
        mark = origin.mark()
        words = ("exec", url, "--cache", stage.new_folder("cache"), "--quiet", "--")
        done = command(stage, *words, "ffmpeg", "-nostdin", "-v", "error", "-xerror", "-i", "{}", "-f", "md5", "-")
        equal((done.returncode, done.stdout.decode().strip()), (0, local), f"status and digest, with {done.stderr.decode()[-300:]!r},")
        asked = origin.of("commands", mark)
        equal([each.path for each in asked if not each.agent.startswith("Weir/")], [], "the direct requests")
        check.figure = f"{len(asked)} requests"


    with results.check("weir serve of a single list gives it to ffmpeg") as check:
        mark = origin.mark()
        single = Weir(stage, url)
        equal(whole.PLAYERS["ffmpeg"](stage, single.base), local, "what ffmpeg decodes")
        single.stop()
        asked = origin.of("commands", mark)
        equal([each.path for each in asked if not each.agent.startswith("Weir/")], [], "the direct requests")
        check.figure = f"{len(asked)} requests"


def credentials(results, stage, origin):
    with results.check("a list of a source leads to another source: each host gets its own credential, and no other") as check:
        text = 'hls-host = ["127.0.0.1"]\n'
        for name, base, secret in (("one", origin.base, origin.secret), ("two", origin.other_base, origin.other_secret)):
            text += f'[sources.{name}]\nservice = "http"\nurl = "{base}"\nheader = ["Authorization: {secret}"]\n'
        user = User(stage, text)
        serving = user.serve()
        play = whole.PLAYERS["ffmpeg"](stage, serving.bases["one"] + path("guarded-absolute", "sources", "renditions"))
        serving.stop()
        equal(play, whole.PLAYERS["ffmpeg"](stage, hls.folder() / "renditions" / "film.m3u8"), "what ffmpeg decodes")
        asked = Counter((each.host, each.authorization, each.status < 400) for each in origin.of("sources"))
        equal(set(asked), {("one", origin.secret, True), ("two", origin.other_secret, True)}, "hosts, credentials and successes")
        check.figure = f"{sum(asked.values())} requests"


def restarted(results, stage, origin, weir, home):
    with results.check("a new process answers an address of the old one, without having given out its list") as check:
        url = weir.base + path("absolute", "restart", "aes")
        listed = hls_lists.addresses(hls_lists.fetched(url).text)
        one = web.fetch(urljoin(url, listed[5]))
        fresh = Weir(stage, origin.base, "--hls-host", "127.0.0.1", header=f"Authorization: {origin.secret}", environment=home)
        two = web.fetch(urljoin(fresh.base + path("absolute", "restart", "aes"), listed[5]))
        fresh.stop()
        equal(fresh.base.split("/")[3:], weir.base.split("/")[3:], "the path of the same origin")
        equal((two.status, two.body == one.body), (200, True), f"the status, and whether the bytes are the same, with {two.text[:200]!r},")
        check.figure = f"{len(two.body)} bytes"


def lists(results, origin, weir):
    """Fetches every list that the topic's plays used, and compares each with the origin's."""
    given = []
    with results.check("lists of every film: only addresses differ, each is Weir's own and names no host") as check:
        count = 0
        for habits in ("plain", "absolute", "gzip", "redirect", "nameless"):
            for film in hls.FILMS:
                url = weir.base + path(habits, "lists", film)
                found = hls_lists.tree(url)
                given += [answer.text for answer in found.values()]
                top = (origin.films / film / "film.m3u8").read_text()
                equal(hls_lists.without_addresses(found[url].text), hls_lists.without_addresses(top), f"the lines of {film}, {habits},")
                for answer in found.values():
                    hls_lists.expect_given(answer.text, origin)
                count += len(found)
        check.figure = f"{count} lists"
    with results.check("a list of every shape: only addresses differ, and each leads to its file") as check:
        check.figure = hls_shapes.compared(origin, weir, given)
    with results.check("python3-m3u8 reads the lists that Weir gives out as it reads the origin's") as check:
        check.figure = hls_shapes.read_by_m3u8(origin, weir)
    with results.check("signed lists have no signature in them") as check:
        found = {}
        for habits, film in (("signed", "renditions"), ("private-absolute-signed", "aes")):
            origin.sign("signed-lists")
            found |= hls_lists.tree(weir.base + path(habits, "signed-lists", film))
        for answer in found.values():
            hls_lists.expect_given(answer.text, origin)
            expect("token" not in answer.text and "expires" not in answer.text, "a list has a signature")
        given += [answer.text for answer in found.values()]
        check.figure = f"{len(found)} lists"
    return given


def listed(results, stage, weir):
    with results.check("weir cache list has a line for a film, not for each of its segments") as check:
        done = command(stage, "cache", "list", "--cache", weir.cache)
        lines = [line for line in done.stdout.decode().splitlines() if "/ffmpeg-film/" in line]
        found = Counter(line.rpartition("  ")[2] for line in lines)
        expect(found and set(found.values()) == {1}, f"the lines are {found.most_common(3)}")
        expect(all(" part" in line for line in lines), f"the lines are {lines[:2]}")
        check.figure = lines[0]


def metrics(stage, weir, home):
    """The metrics, which are behind the secret of the page, and the data of the page itself."""
    done = command(stage, "open", "--json", environment=home)
    equal(done.returncode, 0, f"the exit status of weir open, with {done.stderr.decode()[-300:]!r},")
    address, _, secret = json.loads(done.stdout)["url"].partition("#")
    expect(f":{weir.port}/" in address, f"weir open names {address}")
    told = web.fetch(f"{address}metrics", {"Authorization": f"Bearer {secret}"})
    equal(told.status, 200, "the status of the metrics")
    expect("weir_origin_requests" in told.text, f"the metrics are {told.text[:200]!r}")
    return told.text + command(stage, "stats", "--json", environment=home).stdout.decode()


def discretion(results, stage, origin, weir, home, given):
    tokens = [token for signatures in origin.signatures.values() for token in signatures.until]
    with results.check("the secret goes to its origin alone: no request to the second host has it") as check:
        told = {(each.host, each.authorization) for each in origin.asked if each.authorization and each.label != "sources"}
        equal(told, {("one", origin.secret)}, "the hosts that got a credential")
        check.figure = f"{sum(each.host == 'two' for each in origin.asked)} requests to the second host"
    with results.check("the secret and every signature: 0 hits in the cache, the logs, the lists given out and the metrics") as check:
        told = metrics(stage, weir, home)
        weir.stop()
        patterns = stage.folder / "patterns"
        patterns.write_text("\n".join([origin.secret, origin.secret.removeprefix("Bearer "),
                                       origin.other_secret.removeprefix("Bearer "), *tokens, ""]))
        (stage.folder / "given.out").write_text("\n".join([*given, told]))
        logs = stage.logs()
        words = ["grep", "-r", "-l", "-a", "-F", "-f", patterns, weir.cache, *logs]
        done = subprocess.run([str(word) for word in words], capture_output=True, env=dict(stage.environment, LC_ALL="C"))
        patterns.unlink()
        found = [Path(line).relative_to(stage.folder) for line in done.stdout.decode().splitlines()]
        equal((done.returncode, [str(each) for each in found]), (1, []), "the status of grep, and the files with a secret")
        check.figure = f"{len(tokens)} signatures and 2 secrets, {len(stage.files(weir.cache))} files of the cache, {len(logs)} logs, {len(given)} lists"
