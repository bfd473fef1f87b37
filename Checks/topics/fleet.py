# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Three machines with a shared store behind HAProxy and nginx, set up as documented, and failures of their parts."""

import collections
import json
import signal
import subprocess
import threading
from urllib.parse import urlsplit

from balancers import HAProxy, Nginx
from check_results import Failed, Skipped, equal, expect
from clouds import same
from fleet_nodes import until_stored
from fleet_players import CLIENTS, Chaos, Listener, crowd, every_file, read_cold, visit
from fleets import FILES, HOST, MEMORY, NAMES, Fleet
from stage import waiting, web
from stage.stage import Stage


def run(results):
    with Stage("fleet") as stage:
        fleet = Fleet(stage)
        balancer = HAProxy(stage, fleet.addresses)
        fetches_once(results, fleet, balancer)
        survives(results, fleet, balancer)
        takes_one_more(results, fleet)
        drains(results, fleet, balancer)
        asks_the_ready(results, fleet, balancer)
        balancer.stop()
        shares_a_crowd(results, fleet)
        works_with_nginx(results, fleet)


def fetches_once(results, fleet, balancer):
    with results.check(f"three cold nodes behind HAProxy, {CLIENTS} clients, {len(FILES)} files: every byte is right, "
                       "and comes from the origin once for the fleet") as check:
        check.figure = read_cold(fleet, balancer.base)
    with results.check("each file has one home, whatever right the request has, and each node has files") as check:
        answers = balancer.log()
        homes = balancer.homes(answers)
        equal({file: nodes for file, nodes in homes.items() if len(nodes) != 1}, {}, "files with several homes")
        equal(set(homes), {f"/cloud/{name}" for name in FILES}, "files in the log")
        shares = {name: sum(home == {name} for home in homes.values()) for name in NAMES}
        expect(all(shares.values()), f"the shares are {shares}")
        check.figure = f"{len(answers)} answers; files of each node: {' '.join(map(str, shares.values()))}"
    with results.check("no log of the balancer has a right, and it does not forward unsigned requests"):
        log = balancer.program.output
        expect(not any(right.split("/")[1] in log for right in fleet.rights), "the log has a right")
        for path in ("/page/", "/metrics", "/healthz", "/cloud/film-00.bin"):
            equal(web.fetch(balancer.base + path, HOST).status, 404, f"the status for {path}")
    with results.check("the nodes get the listener's address, not the balancer's") as check:
        lines = [line for node in fleet.nodes.values() for line in node.program.error.splitlines()]
        answers = [line for line in lines if '"client"' in line and "/cloud/" in line]
        clients = collections.Counter(json.loads(line)["client"] for line in answers)
        equal(set(clients), {"127.0.0.1"}, "the addresses in the logs")
        check.figure = f"{clients.total()} requests"
    with results.check("a player whose URL expires continues over its connection, and gets 403 on the next one") as check:
        check.figure = outlives_its_url(fleet, balancer)
    until_stored(fleet.store, len(FILES))


def outlives_its_url(fleet, balancer):
    name, signer = longest(), fleet.nodes["a"].user
    # On a slow machine, the URL may expire before the first request; then the check tries a longer life.
    for life in (4, 15, 60):
        target = urlsplit(signer.works("sign", f"cloud:/{name}", "--for", f"{life}s").decode().strip()).path

        def status(line, first):
            return line.ask(target, {**HOST, "Range": f"bytes={first}-{first + 9}"}).status

        def fresh():
            with web.Line(balancer.base) as line:
                return status(line, 0)

        with web.Line(balancer.base) as line:
            if status(line, 0) == 403:
                continue
            waiting.until(lambda: fresh() == 403, life + 30, "the end of the URL", pause=0.2)
            equal(status(line, 10), 206, "the status on the connection")
        equal(fresh(), 403, "the status on the next")
        return f"{life} s"
    raise Failed("no URL was good for long enough")


def survives(results, fleet, balancer):
    before = fleet.memory()
    chaos = Chaos(results, fleet, balancer)
    with results.check("a node is killed during a play, and starts again") as check:
        waiting.until(lambda: all(player.listener.got > 100_000 for player in chaos.players), 120, "the start of all plays")
        load = {name: balancer.load()[name][0] for name in NAMES}
        victim = max(load, key=load.get)
        chaos.happens(check, "killed", lambda: fleet.nodes[victim].program.send(signal.SIGKILL))
        fleet.nodes[victim].start()
        balancer.until(victim, True)
        check.figure += f", it served {load[victim]} players"
    first, second = (name for name in NAMES if name != victim)
    with results.check("a node loses the store during a play") as check:
        line = fleet.line(first, "store")
        chaos.happens(check, "no-store", line.cut)
        line.mend()
    with results.check("a node loses the origin during a play, and serves bytes from the store") as check:
        line = fleet.line(second, "origin")
        chaos.happens(check, "no-origin", line.cut, lambda: fleet.every_file_of(fleet.nodes[second]))
        line.mend()
    with results.check("the store stops during a play, and starts again") as check:
        chaos.happens(check, "stopped", fleet.relay.stop)
        fleet.relay.start()
    with results.check("every player has the right bytes, and reconnects at most once for each of these faults") as check:
        check.figure = chaos.end()
    with results.check(f"no node hangs, and none takes more than {MEMORY >> 20} MiB") as check:
        check.figure = fleet.has_not_grown(before)


def takes_one_more(results, fleet):
    with results.check("a new node with an empty disk serves the fleet's files without asking the origin") as check:
        check.figure = fleet.serves_anew(len(NAMES) + 1)


def longest():
    return max(FILES, key=lambda name: len(FILES[name]))


def drains(results, fleet, balancer):
    name = longest()
    with results.check("after SIGTERM with --drain a player gets its whole file; new requests go to other nodes") as check:
        home = asked(fleet, balancer, name).node
        leaving = fleet.nodes[home].program
        pieces = Listener(fleet, balancer.base, 0).pieces(name, 0)
        got = [next(pieces)]
        leaving.send(signal.SIGTERM)
        balancer.until(home, False)
        # Without network namespaces, the system's buffers may already hold the rest of the file.
        expect(leaving.is_alive() or not fleet.network.can_cut, "the node ended before its player")
        new = asked(fleet, balancer, name)
        expect(new.node != home, "the node got new requests")
        same(b"".join(got + list(pieces)), FILES[name])
        equal(leaving.wait(60), 0, "the exit status")
        check.figure = f"{len(FILES[name])} bytes from {home}, then from {new.node}"
    with results.check("a stopped node gets no requests, and no client waits for it") as check:
        check.figure = goes_elsewhere(fleet, balancer, home)


def asked(fleet, balancer, name):
    """Requests a file; returns the answer's entry in the balancer's log."""
    def lines():
        return [answer for answer in balancer.log() if answer.file == f"/cloud/{name}"]
    count = len(lines())
    same(web.fetch(balancer.base + fleet.target(name), HOST, timeout=120).body, FILES[name], name)
    return waiting.until(lambda: lines()[count:], 30, "a line in the log")[-1]


def goes_elsewhere(fleet, balancer, home):
    """Requests every file: no answer comes from the `home` node, and no request is repeated."""
    answers = [asked(fleet, balancer, name) for name in FILES]
    wrong = [answer for answer in answers if answer.node == home or answer.retries != "0"]
    equal(wrong, [], "the requests to the stopped node, or repeated ones")
    return f"{len(answers)} answers, by {' and '.join(sorted({answer.node for answer in answers}))}"


def asks_the_ready(results, fleet, balancer):
    gone = next(name for name in NAMES if not fleet.nodes[name].program.is_alive())
    node = fleet.nodes[gone]
    with results.check("a node whose /readyz answers 503 gets no requests until it is ready again") as check:
        cover(fleet.stage, node.user.cache)
        node.start()
        fleet.every_file_of(node)
        waiting.until(lambda: fleet.ask(node, "/readyz")[0] == 503, 30, "the node's unready state")
        equal(fleet.ask(node, "/healthz")[0], 200, "the status of /healthz")
        balancer.until(gone, False)
        check.figure = goes_elsewhere(fleet, balancer, gone)
        node.stop()
        uncover(node.user.cache)
        node.start()
        balancer.until(gone, True)
        expect(any(asked(fleet, balancer, name).node == gone for name in FILES), "the end of requests to the node")
    if not node.program.is_alive():
        node.start()


def cover(stage, folder):
    """Mounts a small disk over a folder."""
    words = ["mount", "-t", "tmpfs", "-o", "size=2m", "weir-check", str(folder)]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise Skipped(f"cannot mount a small disk: {done.stderr.strip()}")
    stage.callback(uncover, folder)


def uncover(folder):
    if folder.is_mount():
        subprocess.run(["umount", "-l", folder], capture_output=True)


def shares_a_crowd(results, fleet):
    # In this configuration, the balancer shares the load from 4 connections on, instead of 300.
    balancer = HAProxy(fleet.stage, fleet.addresses, [("ge 300", "ge 4")])
    name, count = longest(), 24
    with results.check("in a crowd, new requests for one file also go to other nodes") as check:
        bodies = [Listener(fleet, balancer.base, number).pieces(name, 0) for number in range(count)]
        starts = [next(body) for body in bodies]
        crowd(lambda number: same(starts[number] + b"".join(bodies[number]), FILES[name]), count)
        waiting.until(lambda: len(balancer.log()) >= count, 30, "the lines in the log")
        shares = collections.Counter(answer.node for answer in balancer.log())
        equal(set(shares), set(NAMES), "the nodes that were asked")
        check.figure = f"{count} players of one file: {', '.join(f'{shares[name]} at {name}' for name in NAMES)}"
    balancer.stop()


def works_with_nginx(results, fleet):
    fleet.expect_no_address()
    balancer = Nginx(fleet.stage, fleet.addresses)
    with results.check("behind nginx, too, each file has one home, whatever right the request has") as check:
        crowd(lambda number: visit(fleet, balancer.base, number), CLIENTS // 3)
        for right in range(len(fleet.rights)):
            every_file(fleet, balancer.base, right)
        waiting.until(lambda: len(balancer.log()) >= len(FILES) * len(fleet.rights), 30, "lines in the log")
        homes = balancer.homes(balancer.log())
        equal({file: nodes for file, nodes in homes.items() if len(nodes) != 1}, {}, "files with several homes")
        equal(set(homes), {f"/cloud/{name}" for name in FILES}, "files in the log")
        shares = {name: sum(home == {name} for home in homes.values()) for name in NAMES}
        expect(all(shares.values()), f"the shares are {shares}")
        check.figure = f"{len(balancer.log())} answers; files of each node: {' '.join(map(str, shares.values()))}"
    with results.check("when a node is killed, nginx asks the next one, and a player continues there") as check:
        home = asked(fleet, balancer, longest()).node
        listener = Listener(fleet, balancer.base, 0)
        fleet.event = "killed"
        began = threading.Event()

        def first():
            if not began.is_set():
                began.set()
                fleet.nodes[home].program.stop(signal.SIGKILL)
        listener.play(longest(), first)
        expect(len(listener.cuts) <= 1, f"it was cut more than once: {listener.cuts}")
        answers = [asked(fleet, balancer, name) for name in FILES]
        wrong = [answer for answer in answers if answer.node == home or answer.status != 200]
        equal(wrong, [], "the answers of the killed node, or missing answers")
        twice = sum(answer.retries != "0" for answer in answers)
        check.figure = f"{len(listener.cuts)} reconnects, {twice} requests repeated at another node"
    with results.check("no log of nginx has a right, and it does not forward unsigned requests"):
        logs = "".join(path.read_text() for path in balancer.folder.glob("*.log")) + balancer.program.error
        expect(not any(right.split("/")[1] in logs for right in fleet.rights), "a log has a right")
        for path in ("/page/", "/metrics", "/healthz", "/cloud/film-00.bin"):
            equal(web.fetch(balancer.base + path, HOST).status, 404, f"the status for {path}")
    balancer.stop()
