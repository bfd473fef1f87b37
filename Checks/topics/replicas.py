# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Three machines with OpenStack Swift as their store: first one of three replicas is lost, then all are frozen."""

import time

from balancers import HAProxy
from check_results import Skipped, equal, expect
from fleet_nodes import expect_only_hedges, until_stored
from fleet_players import CLIENTS, Chaos, read_cold
from fleets import FILES, LATE, NAMES, Fleet
from servers.openstack_swift import OpenStackSwift, environment
from stage import waiting
from stage.stage import Stage

# The size of a node's disk under load. The files whose home is that node need more.
DISK = "6MB"
# How long the nodes may avoid the store after its return, in seconds: the longest pause, and the time of one
# request.
LONGEST_PAUSE = 75


def run(results):
    if not results.is_long:
        with results.check("a store of three replicas loses one, and then stops completely"):
            raise Skipped("only --long runs this check")
        return
    with Stage("replicas") as stage:
        balancer = None
        with results.check("three nodes and their shared store start") as check:
            # pip cannot reach its packages from the fleet's network, so this call installs them first.
            environment()
            fleet = Fleet(stage, OpenStackSwift)
            balancer = HAProxy(stage, fleet.addresses)
            check.figure = f"{len(fleet.store.servers)} programs of OpenStack Swift"
        if balancer is None:
            return
        fills(results, fleet, balancer)
        fleet.limit_disks(DISK)
        for name in NAMES:
            balancer.until(name, True)
        before = fleet.memory()
        chaos = Chaos(results, fleet, balancer)
        loses_one(results, fleet, chaos)
        goes_away(results, fleet, chaos)
        with results.check("every player has the right bytes, and reconnects at most once for each of these") as check:
            check.figure = chaos.end()
        with results.check("the store gave no wrong byte; no node hangs or takes too much memory") as check:
            equal(counts(fleet, "weir_tier_damages_total"), dict.fromkeys(NAMES, 0), "objects that were wrong")
            check.figure = fleet.has_not_grown(before)


def counts(fleet, name):
    return {node: fleet.count(fleet.nodes[node], name) for node in fleet.nodes}


def read(fleet):
    """The bytes that each node has read from the store."""
    return counts(fleet, "weir_tier_read_bytes_total")


def fills(results, fleet, balancer):
    with results.check(f"three cold nodes, {CLIENTS} clients, {len(FILES)} files: every byte is right, "
                       "and comes from the origin once for the fleet") as check:
        check.figure = read_cold(fleet, balancer.base)
    with results.check("the fetched bytes are in the store, in each replica") as check:
        start = time.monotonic()
        until_stored(fleet.store, len(FILES), 120)
        # Each file has an extent object and a descriptor object.
        equal([len(replica.objects()) for replica in fleet.store.replicas], [2 * len(FILES)] * 3, "files of objects")
        check.figure = f"{time.monotonic() - start:.1f} s after the last byte"
    with results.check("a new node with an empty disk serves the fleet's files without asking the origin") as check:
        check.figure = fleet.serves_anew(len(NAMES) + 1)


def loses_one(results, fleet, chaos):
    lost, *others = fleet.store.replicas
    asked, hedges = fleet.asked(), fleet.hedged()
    with results.check("a replica is lost during a play; the store serves all its objects, and accepts new ones") as check:
        waiting.until(lambda: all(player.listener.got > 100_000 for player in chaos.players), 120, "the start of all plays")
        before, failures = read(fleet), counts(fleet, "weir_tier_failures_total")
        chaos.happens(check, "replica", lost.lose)
        after = read(fleet)
        expect(all(after[name] > before[name] for name in NAMES), f"{before} bytes were read before, and {after} now")
        expect_only_hedges(fleet.asked() - asked, fleet.hedged() - hedges)
        whole = 2 * (len(FILES) + len(LATE["replica"]))
        waiting.until(lambda: [len(replica.objects()) for replica in others] == [whole] * 2, 60, "the new objects in two replicas")
        equal(lost.objects(), [], "the objects of the lost replica")
        failed = sum(counts(fleet, "weir_tier_failures_total").values()) - sum(failures.values())
        check.figure += (f", {sum(after.values()) - sum(before.values()) >> 20} MiB from the store meanwhile, "
                         f"{failed} requests failed")
    with results.check("a new node also needs no origin while a replica is lost") as check:
        check.figure = fleet.serves_anew(len(NAMES) + 2)


def goes_away(results, fleet, chaos):
    store = fleet.store
    for event, sentence, begin, end in (
        ("stopped", "the whole store is stopped for 30 s during a play", store.stop, store.start),
        ("frozen", "the whole store is frozen for 30 s during a play, and answers nothing", store.freeze, store.thaw),
    ):
        with results.check(f"{sentence}: players continue") as check:
            asked, pauses = fleet.asked(), counts(fleet, "weir_tier_pauses_total")
            chaos.happens(check, event, begin)
            away = read(fleet)
            paused = counts(fleet, "weir_tier_pauses_total")
            expect(all(paused[name] > pauses[name] for name in NAMES), "a node did not pause its requests to the store")
            check.figure += f", {fleet.asked() - asked} requests to the origin for bytes in the store"
        with results.check("the store runs again, and every node uses it again") as check:
            end()
            start = time.monotonic()
            times = {}

            def are_back():
                for name, count in read(fleet).items():
                    if count > away[name]:
                        times.setdefault(name, time.monotonic() - start)
                return len(times) == len(NAMES)
            waiting.until(are_back, LONGEST_PAUSE, "reads from the store by every node", pause=0.5)
            check.figure = f"after {', '.join(f'{times[name]:.0f}' for name in NAMES)} s"
            asked, hedges = fleet.asked(), fleet.hedged()
            chaos.get_on("after the store's return")
            expect_only_hedges(fleet.asked() - asked, fleet.hedged() - hedges)
