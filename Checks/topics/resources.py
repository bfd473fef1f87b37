# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A server with few descriptors, little memory and a small disk, under a thousand clients of every kind."""

import http.client
import os
import random
import resource
import statistics
import time
from concurrent.futures import ThreadPoolExecutor

import crowds
import limits
import speech
import usage
from check_results import equal, expect
from stage import media, players, waiting, web
from stage.nginx import Nginx
from stage.origin import Origin
from stage.stage import Stage
from stage.weir import Weir

# The disk is in memory, and the system counts its bytes against the group that writes them. So the group's limit is
# larger by the disk's size.
DISK, CACHE, MEMORY = 100 << 20, 48 << 20, 256 << 20
# The cache also has journals and a catalogue beside the bytes of media.
BESIDE = 4 << 20
SMALL, FILMS = 200, 24
# Ends a hang; no result depends on it.
PATIENCE = 60
# The check watches an idle server for this many seconds. A server that spins uses a whole core for the whole window;
# on a busy machine, it gets a half or a third of that.
WINDOW, SHARE = 3, 0.15


def run(results):
    with Stage("resources") as stage:
        server = Origin(stage, routes())
        scarce(results, stage, server)
        raised(results, stage, server)
        crowded(results, stage, server, 256)
        crowded(results, stage, server, 1024, is_small=True)
        if results.is_long:
            lasting(results, stage, server)


def routes():
    return {f"/{content.name}": route(content) for content in contents()}


def contents():
    return [crowds.small(number) for number in range(SMALL)] + [crowds.film(number) for number in range(FILMS)]


def route(content):
    """A route of `stage.origin` for a file and its ranges."""

    def answer(handler):
        code, lower, upper = handler.asked_range(content.length)
        handler.head(code, lower, upper, content.length, f'"{content.name}"')
        while lower < upper:
            end = min(upper, lower + (256 << 10))
            handler.wfile.write(content.part(lower, end))
            lower = end

    return answer


def limited(stage, server, descriptors, hard=None, memory=None, cache=None, options=()):
    before = limits.shell(descriptors, hard, memory)
    return Weir(stage, server.base, "--cache-limit", str(CACHE), *options, before=before, cache=cache)


def scarce(results, stage, server):
    with results.check("64 descriptors: weir serves, or refuses to start with a message") as check:
        try:
            weir = limited(stage, server, 64)
        except RuntimeError as failure:
            ended, said = str(failure).split(": ", 1)
            status = int(ended.rpartition(" ")[2])
            expect(status > 0, f"it {ended}: {said}")
            check.figure = f"{status}: {speech.sentence(said, status)}"
            return
        crowd = crowds.Crowd(stage, weir.base, SMALL, FILMS)
        crowd.come(idle=60, paused=20, half_closed=20)
        check.figure = newcomers(weir, 6)
        healthy(weir)
        rests(weir)
        crowd.end()
        idle_again(weir)
        equal(weir.stop(), 0, "weir's exit status")


def raised(results, stage, server):
    sentence = "a soft limit of 256 is raised to the hard one of 2,048, and 300 idle clients do not block others"
    with results.check(sentence) as check:
        weir = limited(stage, server, 256, 2048)
        seen = resource.prlimit(weir.program.pid, resource.RLIMIT_NOFILE)
        crowd = crowds.Crowd(stage, weir.base, SMALL, FILMS)
        crowd.come(idle=300)
        equal(seen, (2048, 2048), "the limit of the process")
        check.figure = f"{newcomers(weir, 6)}; {rests(weir)}"
        crowd.end()
        equal(weir.stop(), 0, "weir's exit status")


def crowded(results, stage, server, descriptors, is_small=False):
    """Expects that the server survives a thousand clients, and goes back to rest when they leave."""
    where = f"{descriptors:,} descriptors" + (", 256 MiB of memory, 100 MiB of disk" if is_small else "")
    memory = cache = None
    if is_small:
        with results.check(f"{where}: these limits can be set"):
            memory, cache = limits.MemoryGroup(stage, MEMORY + DISK), limits.small_disk(stage, DISK)
        if not cache:
            # The check above has failed and reported the reason.
            return
    weir = limited(stage, server, descriptors, memory=memory, cache=cache)
    pid = weir.program.pid
    with results.check(f"{where}: clients that half-close are answered, cold and warm"):
        crowd = crowds.Crowd(stage, weir.base, 6, FILMS, seed=2)
        for _ in range(2):
            crowd.come(half_closed=10)
        waiting.until(lambda: sum(counts(crowd, "half_closed", "served", "closed")) >= 20, PATIENCE, "their answers")
        served, closed = counts(crowd, "half_closed", "served", "closed")
        crowd.end()
        equal((served, closed), (20, 0), "answers to, and closings of, 20 clients")
    with results.check(f"{where}: {SMALL} files play, and their descriptors are released") as check:
        start = len(usage.open_files(pid))
        with ThreadPoolExecutor(4) as pool:
            for status, is_right in pool.map(lambda number: got(weir, crowds.small(number)), range(SMALL)):
                expect(status == 200 and is_right, f"a file gets {status}, or wrong bytes")
        check.figure = idle_again(weir, most=max(start, descriptors // 2))
        check.figure += f"; {start} at the start"
    first = len(usage.open_files(pid)), usage.sockets(pid), usage.threads(pid)
    crowd = crowds.Crowd(stage, weir.base, SMALL, FILMS)
    with results.check(f"{where}: new clients get answers beside a thousand clients") as check:
        crowd.come(**crowds.THOUSAND)
        check.figure = newcomers(weir, 16)
    with results.check(f"{where}: /healthz answers beside them, every time") as check:
        check.figure = healthy(weir)
    with results.check(f"{where}: weir uses little processor time while all clients wait") as check:
        crowd.hush()
        # During this time, the requests in progress end.
        time.sleep(2)
        check.figure = rests(weir)
    with results.check(f"{where}: paused clients can continue") as check:
        told = crowd.go_on(30)
        check.figure = f"{told['went_on']} of {told['waited']}"
        expect(told["waited"] >= 20 and told["went_on"] == told["waited"], f"{check.figure} continued")
    with results.check(f"{where}: no client got a wrong byte, and the process runs") as check:
        crowd.wake()
        time.sleep(1)
        tally = crowd.tell()
        check.figure = told_of(tally)
        equal(sum(each["wrong"] for each in tally.values()), 0, "the number of answers with a wrong byte")
        expect(weir.is_alive(), f"weir ended with {weir.program.poll()}: {weir.log[-300:]}")
        expect(sum(each["connected"] for each in tally.values()) > 300, f"too few clients connected: {check.figure}")
    crowd.leave()
    crowd.end()
    with results.check(f"{where}: after the crowd leaves, its descriptors and threads are released") as check:
        check.figure = idle_again(weir, most=max(first[0], descriptors // 2), sockets=first[1], threads=first[2] + 8)
    with results.check(f"{where}: the disk holds no more than the limit, including removed open files") as check:
        check.figure = room_within(weir)
    if is_small:
        with results.check(f"{where}: memory sufficed") as check:
            peak = memory.peak()
            own = weir.program.memory()
            taken = f"{peak / 2**20:.0f} MiB with the disk, " if peak is not None else ""
            check.figure = f"{taken}{own / 2**20:.0f} MiB of its own"
            equal(memory.kills(), 0, "the processes that the system ended for lack of memory")
            expect(own <= MEMORY, f"{own / 2**20:.0f} MiB are more than {MEMORY / 2**20:.0f}")
    with results.check(f"{where}: weir ends with 0"):
        equal(weir.stop(), 0, "weir's exit status")


def counts(crowd, kind, *names):
    tally = crowd.tell().get(kind)
    return [tally[name] if tally else 0 for name in names]


def told_of(tally):
    names = ("came", "connected", "served", "refused", "closed")
    sums = {name: sum(each[name] for each in tally.values()) for name in names}
    return ", ".join(f"{count} {name}" for name, count in sums.items())


def got(weir, content, lower=None, upper=None, source="127.0.0.1"):
    """Makes a request from a source address; returns the status and whether the bytes are right."""
    parts = http.client.urlsplit(weir.base)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=PATIENCE, source_address=(source, 0))
    fields = {} if lower is None else {"Range": f"bytes={lower}-{upper - 1}"}
    try:
        connection.request("GET", parts.path + content.name, headers=fields)
        response = connection.getresponse()
        body = response.read()
    except (OSError, http.client.HTTPException) as error:
        return type(error).__name__, False
    finally:
        connection.close()
    if lower is None:
        return response.status, len(body) == content.length and content.stands_at(body, 0)
    return response.status, len(body) == min(upper, content.length) - lower and content.stands_at(body, lower)


def newcomers(weir, count):
    """Expects an answer to each request, from shared and from unused addresses; returns how long the slowest took."""
    generator = random.Random(3)
    asked = []
    for number in range(count):
        content = generator.choice(contents())
        lower = generator.randrange(content.length - 5000)
        source = ("127.0.0.1", "127.0.0.2", f"127.0.1.{number + 2}")[number % 3]
        asked.append((content, lower, lower + 5000, source))
    longest, again = 0.0, 0
    for content, lower, upper, source in asked:
        start = time.monotonic()
        status, is_right = got(weir, content, lower, upper, source)
        # The client repeats a request when its connection ends without an answer, as HTTP clients may (RFC 9110
        # 9.2.2). It also repeats the request after a 503, which asks for a wait of a second: a full server has no
        # place for a moment.
        for _ in range(8):
            if status not in ("ConnectionResetError", "RemoteDisconnected", "BrokenPipeError", 503):
                break
            again += 1
            if status == 503:
                time.sleep(1)
            status, is_right = got(weir, content, lower, upper, source)
        took = time.monotonic() - start
        longest = max(longest, took)
        expect(status == 206, f"a new client from {source} gets {status} after {took:.1f} s")
        expect(is_right, f"a new client gets wrong bytes of {content.name} at {lower}")
    figure = f"{count} newcomers, the last byte after {longest:.1f} s at most"
    return f"{figure}, {again} connections asked for again" if again else figure


def healthy(weir):
    url = f"http://127.0.0.1:{weir.port}/healthz"
    start = time.monotonic()
    for _ in range(20):
        equal(web.fetch(url, timeout=PATIENCE).status, 200, "the status of /healthz")
    return f"20 answers in {time.monotonic() - start:.1f} s"


def rests(weir):
    """Expects that Weir uses few ticks of processor time in a window without requests; returns the figure."""
    pid = weir.program.pid
    expect(weir.is_alive(), f"weir ended with {weir.program.poll()}")
    before, begin = usage.processor_ticks(pid), time.monotonic()
    time.sleep(WINDOW)
    spent = usage.processor_ticks(pid) - before
    all_of_it = (time.monotonic() - begin) * usage.ticks_per_second()
    figure = f"{spent} of {all_of_it:.0f} ticks"
    expect(spent <= all_of_it * SHARE, f"it took {figure}")
    return figure


def idle_again(weir, most=None, sockets=None, threads=None):
    """Expects few open files when all clients have left; idle connections to the origin close after a minute."""
    pid = weir.program.pid

    def now():
        return len(usage.open_files(pid)), usage.sockets(pid), usage.threads(pid)

    def is_idle():
        values = now()
        wanted = (most, sockets, threads)
        return all(bound is None or value <= bound for value, bound in zip(values, wanted))

    try:
        waiting.until(is_idle, 90, "the release of the clients' resources", pause=0.1)
    except waiting.TookTooLong:
        expect(False, f"descriptors, sockets and threads are {now()}, where {(most, sockets, threads)} are allowed")
    opened, lines, strands = now()
    return f"{opened} descriptors, {lines} of them sockets, {strands} threads"


def room_within(weir, most=CACHE + BESIDE):
    pid, folder = weir.program.pid, weir.cache

    def taken():
        return sum(usage.room(pid, folder))

    try:
        waiting.until(lambda: taken() <= most, 90, "room on the disk", pause=0.2)
    except waiting.TookTooLong:
        there, removed = usage.room(pid, folder)
        expect(False, f"{there / 2**20:.0f} MiB are in the folder and {removed / 2**20:.0f} MiB in removed files"
                      f" that are open, where {CACHE / 2**20:.0f} MiB are the limit")
    there, removed = usage.room(pid, folder)
    return f"{there / 2**20:.1f} MiB and {removed / 2**20:.1f} MiB removed but open, of {CACHE / 2**20:.0f} MiB"


def lasting(results, stage, server):
    """Runs for an hour, or for WEIR_RESOURCES_SECONDS: crowds come and go, and players play among them."""
    seconds = float(os.environ.get("WEIR_RESOURCES_SECONDS", 3600))
    folder = media.folder()
    nginx = Nginx(stage, folder)
    names = ("song.mp3", "film.mp4", "song.flac", "song.opus")
    expected = {name: players.decoded_by_ffmpeg(folder / name, stage.environment) for name in names}
    memory, cache = limits.MemoryGroup(stage, MEMORY + DISK), limits.small_disk(stage, DISK)
    before = limits.shell(1024, memory=memory)
    words = ("--cache-limit", str(CACHE))
    weir = Weir(stage, server.base, nginx.base, *words, before=before, cache=cache)
    pid = weir.program.pid
    plays = waiting.until(lambda: weir.program.output.split()[1:2], 20, "the second URL")[0]
    seen, rounds, begin = [], 0, time.monotonic()
    with results.check(f"{seconds / 60:.0f} minutes of crowds and plays: new clients and players get answers") as check:
        while time.monotonic() < begin + seconds:
            crowd = crowds.Crowd(stage, weir.base, SMALL, FILMS, seed=100 + rounds)
            crowd.come(**crowds.THOUSAND)
            newcomers(weir, 6)
            healthy(weir)
            name = names[rounds % len(names)]
            equal(players.decoded_by_ffmpeg(plays + name, stage.environment), expected[name], name)
            wrong = sum(each["wrong"] for each in crowd.tell().values())
            equal(wrong, 0, "the number of answers with a wrong byte")
            crowd.leave()
            crowd.end()
            idle_again(weir, most=512)
            room_within(weir)
            seen.append((len(usage.open_files(pid)), weir.program.memory("VmRSS"), sum(usage.room(pid, cache))))
            rounds += 1
        check.figure = f"{rounds} crowds"
    with results.check("descriptors, memory and disk stay constant") as check:
        third = max(1, len(seen) // 3)
        expect(len(seen) >= 3, f"there were only {len(seen)} rounds")
        early = [statistics.median(values) for values in zip(*seen[:third])]
        late = [statistics.median(values) for values in zip(*seen[-third:])]
        units = {"descriptors": 1, "MiB of memory": 1 << 20, "MiB of disk": 1 << 20}
        check.figure = "; ".join(
            f"{name} {first / unit:.0f} then {last / unit:.0f}"
            for (name, unit), first, last in zip(units.items(), early, late)
        )
        expect(late[0] <= early[0] + 16, check.figure)
        expect(late[1] <= early[1] * 1.1 + (8 << 20), check.figure)
        expect(late[2] <= max(early[2] * 1.1, CACHE) + BESIDE, check.figure)
    with results.check("afterwards: memory sufficed, and weir ends with 0") as check:
        own = weir.program.memory() if weir.is_alive() else 0
        check.figure = f"{own / 2**20:.0f} MiB at most"
        equal(memory.kills(), 0, "the processes that the system ended for lack of memory")
        expect(own <= MEMORY, f"{own / 2**20:.0f} MiB are more than {MEMORY / 2**20:.0f}")
        equal(weir.stop(), 0, "weir's exit status")
