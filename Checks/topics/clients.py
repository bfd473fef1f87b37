# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""What holds the clients of a service back: rates, connections, and what an origin with a quota may be asked."""

import random
import threading

from board import equal, expect
from clouds import same
from fleet_nodes import Node
from stage import origin, waiting, web
from stage.origin import Origin
from stage.stage import Stage

FILM = random.Random(2220).randbytes(3_000_000)
SONGS = {f"/song-{number}.bin": random.Random(2230 + number).randbytes(20_000) for number in range(8)}


def run(board):
    with Stage("clients") as stage:
        routes = {name: origin.content(data) for name, data in SONGS.items()}
        server = Origin(stage, {"/film.bin": origin.content(FILM), **routes})
        rates(board, stage, server)
        connections(board, stage, server)
        quotas(board, stage, server)


def node(stage, server, text, source=""):
    return Node(stage, f'{text}\n[sources.cloud]\nservice = "http"\nurl = "{server.base}"\n{source}')


def rates(board, stage, server):
    with board.check("what one client gets, and what all get, is held to its rate, and every byte is right") as check:
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
        # How long it took is for the unit tests' clock to say; here it is held at all.
        held = {name: machine.count(f'weir_limited_total{{limit="{name}"}}') for name in ("client-rate", "rate")}
        expect(held["client-rate"] > 0, f"nothing was held: {held}")
        check.figure = f"{held['client-rate']} waits"
        machine.stop()


def connections(board, stage, server):
    with board.check("one client has so many places and no more; another request waits, and is told 503") as check:
        machine = node(stage, server, "[limits]\nclient-connections = 2\n")
        may_go_on = threading.Event()
        server.routes["/slow.bin"] = origin.halved(FILM[:2000], may_go_on)
        players = [web.Download(f"{machine.url}slow.bin") for _ in range(2)]
        for player in players:
            equal(len(player.read_exactly(1000)), 1000, "bytes")
        answer = machine.read("song-0.bin")
        equal(answer.status, 503, "the status")
        equal(machine.count('weir_limited_total{limit="client-connections"}'), 1, "what was counted")
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


def quotas(board, stage, server):
    with board.check("an origin with a quota is asked no more often, whoever asks, and all come to their turn") as check:
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
        expect(held > 0, "no request was held")
        check.figure = f"{held} of {machine.count('weir_origin_requests_total')} requests waited"
        machine.stop()
