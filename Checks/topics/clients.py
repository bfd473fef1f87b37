# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The limits for clients of a service: rates, connections, and requests to an origin with a quota."""

import random
import threading
import time

import greedy
from check_results import equal, expect
from clouds import same
from fleet_nodes import Node
from stage import origin, waiting, web
from stage.origin import Origin
from stage.stage import Stage

FILM = random.Random(2220).randbytes(3_000_000)
SONGS = {f"/song-{number}.bin": random.Random(2230 + number).randbytes(20_000) for number in range(8)}
PICTURE = random.Random(2240).randbytes(100_000)
# TURN: how many bytes a client receives before the next client's turn. SLACK: the largest lateness, in seconds of a
# rate.
TURN, SLACK = 64 << 10, 0.05
# How many bytes of a greedy client may come before those of a modest one: the bytes of a second and a half, because
# this program is also late on a busy machine. Without turns, 100 MB came first.
MOST = 3_000_000


def run(results):
    with Stage("clients") as stage:
        routes = {name: origin.content(data) for name, data in SONGS.items()}
        server = Origin(stage, {"/film.bin": origin.content(FILM), **routes})
        rates(results, stage, server)
        connections(results, stage, server)
        quotas(results, stage, server)
        bursts(results, stage, server)
        neighbours(results, stage, server)
        balanced(results, stage, server)
        queues(results, stage)
        lines(results, stage, server)


def node(stage, server, text, source=""):
    return Node(stage, f'{text}\n[sources.cloud]\nservice = "http"\nurl = "{server.base}"\n{source}')


def rates(results, stage, server):
    with results.check("one client and all clients together stay within their rates, and every byte is right") as check:
        machine = node(stage, server, '[limits]\nclient-rate = "4MB"\nrate = "6MB"\n')
        bodies = [None] * 3

        def read(number):
            bodies[number] = machine.read("film.bin").body

        readers = [threading.Thread(target=read, args=(number,)) for number in range(3)]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
        for body in bodies:
            same(body, FILM)
        # The unit tests check the waiting time with their clock; this check only requires that Weir waits at all.
        held = {name: machine.count(f'weir_limited_total{{limit="{name}"}}') for name in ("client-rate", "rate")}
        expect(held["client-rate"] > 0, f"no request waited: {held}")
        check.figure = f"{held['client-rate']} waits"
        machine.stop()


def connections(results, stage, server):
    with results.check("a client has a limited number of places; one more request waits, and gets 503") as check:
        machine = node(stage, server, "[limits]\nclient-connections = 2\n")
        may_go_on = threading.Event()
        server.routes["/slow.bin"] = origin.halved(FILM[:2000], may_go_on)
        players = [web.Download(f"{machine.url}slow.bin") for _ in range(2)]
        for player in players:
            equal(len(player.read_exactly(1000)), 1000, "bytes")
        answer = machine.read("song-0.bin")
        equal(answer.status, 503, "the status")
        equal(machine.count('weir_limited_total{limit="client-connections"}'), 1, "the counted requests")
        may_go_on.set()
        for player in players:
            same(player.read_exactly(1000), FILM[1000:2000])
            player.leave()
        same(waiting.until(lambda: served(machine), 10, "a place"), SONGS["/song-0.bin"])
        check.figure = answer.text.strip()
        machine.stop()


def served(machine):
    answer = machine.read("song-0.bin")
    return answer.body if answer.status == 200 else None


def quotas(results, stage, server):
    with results.check("requests to an origin stay within its quota, and every client gets its turn") as check:
        machine = node(stage, server, "", "requests-per-second = 4\n")
        bodies = {}

        def read(name):
            bodies[name] = machine.read(name[1:]).body

        readers = [threading.Thread(target=read, args=(name,)) for name in SONGS]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
        for name, data in SONGS.items():
            same(bodies[name], data)
        held = machine.count("weir_origin_held_total")
        expect(held > 0, "no request waited")
        check.figure = f"{held} of {machine.count('weir_origin_requests_total')} requests waited"
        machine.stop()


def bursts(results, stage, server):
    with results.check("a client's burst counts as one turn, even with 200 connections") as check:
        machine = node(stage, server, '[limits]\nclient-rate = "1MB"\n')
        same(machine.read("film.bin").body, FILM)
        crowd = greedy.Crowd(stage, [f"{machine.url}film.bin"] * 200)
        crowd.until(2_000_000)
        # The time is read after the count, so a slow machine makes the bound wider, never narrower.
        count, seconds = crowd.count, time.monotonic() - crowd.began
        most = TURN + 1_000_000 * (seconds + SLACK)
        expect(count <= most, f"{count} bytes came in {seconds:.2f} s")
        check.figure = f"{count} bytes in {seconds:.2f} s"
        crowd.stop()
        machine.stop()


def neighbours(results, stage, server):
    with results.check("another client gets its turns beside a client with 200 connections") as check:
        machine = node(stage, server, '[limits]\nrate = "2MB"\n')
        server.routes["/picture.bin"] = origin.content(PICTURE)
        for name, data in (("film.bin", FILM), ("picture.bin", PICTURE)):
            same(machine.read(name).body, data)
        crowd = greedy.Crowd(stage, [f"{machine.url}film.bin"] * 200)
        crowd.until(2_000_000)
        check.figure = passed(crowd, machine)
        crowd.stop()
        machine.stop()


def passed(crowd, machine, told=None, source=greedy.MODEST, most=MOST, asked=()):
    """A modest client reads a file of two turns; the check counts the greedy client's bytes meanwhile, not the time.

    If Weir has to ask the origin, `asked` gets the count of the greedy client's bytes at each request. The bytes
    before the first request do not count.
    """
    before = crowd.count
    answer, seconds = greedy.read(f"{machine.url}picture.bin", source, told)
    count = crowd.count - (asked[0] if asked else before)
    equal(answer.status, 200, "the status")
    same(answer.body, PICTURE)
    expect(count <= most, f"{count} bytes of the greedy client came before it, in {seconds:.2f} s")
    return f"first byte after {answer.first_byte:.3f} s, the last after {seconds:.2f} s, {count // 1000} kB of the other"


def balanced(results, stage, server):
    with results.check("a load balancer names the client, and an IPv6 network is one client") as check:
        machine = node(stage, server, f'proxy-protocol-from = ["{greedy.BALANCER}"]\n[limits]\nrate = "2MB"\n')
        for name, data in (("film.bin", FILM), ("picture.bin", PICTURE)):
            same(machine.read(name).body, data)
        urls = [f"{machine.url}film.bin"] * 200
        crowd = greedy.Crowd(stage, urls, greedy.BALANCER, lambda number: f"2001:db8:0:1::{number + 1:x}")
        crowd.until(2_000_000)
        check.figure = passed(crowd, machine, "2001:db8:0:2::1", greedy.BALANCER)
        crowd.stop()
        machine.stop()


def queues(results, stage):
    with results.check("at an origin with a quota, a client with 20 loops gets one turn before the next client's") as check:
        server = Origin(stage)
        for number in range(400):
            server.routes[f"/loop-{number}.bin"] = origin.content(SONGS["/song-0.bin"])
            server.routes[f"/mine-{number}.bin"] = origin.content(PICTURE)
        machine = node(stage, server, "", "requests-per-second = 5\n")
        loops = greedy.Loops(stage, 20, lambda loop, number: f"{machine.url}loop-{20 * number + loop}.bin")
        waiting.until(lambda: len(server.asked) >= 10, 30, "ten requests")
        longest, most = 0.0, 0
        for number in range(4):
            before = len(server.asked)
            answer, seconds = greedy.read(f"{machine.url}mine-{number}.bin")
            same(answer.body, PICTURE)
            paths = [path for path, _ in server.asked]
            longest, most = max(longest, seconds), max(most, paths.index(f"/mine-{number}.bin") - before)
        loops.stop()
        # One greedy request has its turn, one has to give a connection back, and one comes while the modest request
        # is in transit.
        expect(most <= 10, f"{most} requests of the greedy client came before one, which took {longest:.2f} s")
        check.figure = f"{most} requests before one at most, {longest:.2f} s"
        machine.stop()


def lines(results, stage, server):
    with results.check("a client with 20 cold files gets the same share of the rate of all origins as one with a single file") as check:
        films = [f"/film-{number}.bin" for number in range(20)]
        for name in films:
            server.routes[name] = origin.content(FILM)
        asked = []

        def picture(handler):
            asked.append(crowd.count)
            origin.content(PICTURE)(handler)

        server.routes["/picture.bin"] = picture
        machine = node(stage, server, 'limit-rate = "1MB"\n')
        crowd = greedy.Crowd(stage, [machine.url + name[1:] for name in films])
        crowd.until(2_000_000)
        # The count begins with the request at the origin. Before that request, one of the 16 connections to the origin
        # must become free, and the rate does not decide when that happens.
        check.figure = passed(crowd, machine, asked=asked)
        crowd.stop()
        machine.stop()
