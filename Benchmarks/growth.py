# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""How costs grow with the number of resources in the cache, and with the number of runs in one resource.

A run is a range of held bytes between two holes. The costs are instructions, which valgrind counts; a count differs
far less between two machines than a time.
"""

import http.client
import random
import signal
from pathlib import Path
from urllib.parse import urlsplit

import peers
import resources
from stage import counted, media, web
from stage.nginx import Nginx
from stage.stage import Stage
from stage.weir import cached

# The sizes, and those of a quick run.
RESOURCES, FEW_RESOURCES = (10, 1_000, resources.COUNT), (10, 100)
RUNS, FEW_RUNS = (1, 100, 10_000), (1, 100)

# A warm range, as in the check `costs`.
RANGE, REQUESTS = 64 << 10, 1000
# The least of several counts is used: at times, Weir writes data about a file in the background.
SERIES = 3
# How many small files a count requests, and how many files Weir keeps open.
FILES, OPEN = 100, 1024
# A run and the hole behind it have the same length. A request asks for a part of a run.
RUN, PART = 4 << 10, 1 << 10
# How long the orderly end of a Weir with many resources may take, in seconds.
END = 120

START = "a start, until the first answer"
FIRST = "a held file of 1 KiB, its first request since the start"
FULL = f"the same while {OPEN:,} other files are open"
WARM = f"a warm range of {RANGE >> 10} KiB of a big file beside them"
LOOK = "the first look at the page"
PARTS = f"a warm range of {PART >> 10} KiB in one of the runs, at random"


def costs(results):
    absence = counted.absence()
    if absence:
        raise RuntimeError(absence)
    sizes = FEW_RESOURCES if results.is_quick else RESOURCES
    for size in sizes:
        with Stage("bench") as stage:
            beside(results, stage, size)
    results.growth("resources", sizes, (START, FIRST, FULL, WARM, LOOK))
    sizes = FEW_RUNS if results.is_quick else RUNS
    for size in sizes:
        with Stage("bench") as stage:
            in_runs(results, stage, size)
    results.growth("runs in one resource", sizes, (PARTS,))


def beside(results, stage, size):
    """The costs while the cache holds a number of small files and the big one."""
    folder, origin, cache = held(results, stage, size)

    def sample(measure, number, cost):
        results.sample(measure, size, number, cost.instructions, "instructions")

    names = iter(random.Random(7).sample(range(size), min(size, OPEN + (SERIES + 1) * FILES)))
    # Each small file is requested at most once. The start takes the first.
    share = min(FILES, (size - 1) // SERIES)
    weir = counted.CountedWeir(stage, origin.base, *resources.OPTIONS, cache=cache)
    try:
        with web.Line(weir.base) as line:

            def ask(count):
                for _ in range(count):
                    name = f"small/{next(names)}"
                    answer = line.ask(name)
                    if answer.status != 200 or answer.body != (folder / name).read_bytes():
                        raise RuntimeError(f"a small file was answered with {answer.status}")

            # Counting begins with the process.
            ask(1)
            sample(START, 0, weir.counted())
            for number in range(SERIES):
                sample(FIRST, number, weir.cost(share, lambda: ask(share)))
            if size > 2 * OPEN:
                ask(OPEN - SERIES * share)
                for number in range(SERIES):
                    sample(FULL, number, weir.cost(FILES, lambda: ask(FILES)))
        url = weir.url(media.BIG)
        # In the first series, Weir compares each part with its checksum.
        for number in range(-1, SERIES):
            ranges = (url, RANGE, REQUESTS, media.BIG_SIZE)
            sample(WARM, number, weir.cost(REQUESTS, lambda: counted.ask_for_ranges(*ranges)))
        sample(LOOK, 0, weir.cost(1, lambda: look(stage, weir)))
    finally:
        # No other signal reaches Weir under valgrind.
        weir.stop(signal.SIGKILL)
    asked = [request.path for request in origin.settled().requests()]
    if asked:
        raise RuntimeError(f"the origin got {len(asked)} requests for held bytes, such as {asked[0]}")
    if size == resources.COUNT:
        # This cache folder is kept. The next process finds it as after an orderly end.
        peers.weir(stage, origin.base, *resources.OPTIONS, cache=cache).program.stop(seconds=END)


def held(results, stage, size):
    """Small files and the big one, an origin with them that got no request, and a cache folder that holds them."""
    if size == resources.COUNT:
        folder, origin, weir = resources.filled(results, stage)
        cache = resources.keeper() / "cache"
    else:
        folder, cache = stage.new_folder("files"), stage.new_folder("cache")
        resources.make_files(folder, size)
        origin = Nginx(stage, folder)
        weir = peers.weir(stage, origin.base, *resources.OPTIONS, cache=cache)
        resources.ask_for_all(stage, weir, size)
    peers.warm(stage, weir, media.BIG, folder / media.BIG)
    return folder, ended(stage, folder, origin, weir), cache


def ended(stage, folder, origin, weir):
    """Ends Weir in order, and starts its origin again at the same port; the log is then empty."""
    weir.program.stop(seconds=END)
    origin.stop()
    return Nginx(stage, folder, port=origin.port)


def look(stage, weir):
    """Requests what the page requests, until the whole state has arrived."""
    home = Path(stage.environment["XDG_CONFIG_HOME"])
    # A server adds the address of its page as a line.
    (page,) = (line for line in (home / "weir" / "page").read_text().split() if f":{weir.port}/" in line)
    url, _, secret = page.partition("#")
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=weir.patience)
    connection.request("GET", "/page/events", headers={"Authorization": f"Bearer {secret}"})
    if not connection.getresponse().readline().endswith(b"}\n"):
        raise RuntimeError("the page got no state")
    stage.callback(connection.close)


def in_runs(results, stage, size):
    """The cost of a range while the cache holds a number of runs of one resource."""
    folder, cache = stage.new_folder("files"), stage.new_folder("cache")
    data = random.Random(7).randbytes(2 * RUN * size)
    (folder / "film.bin").write_bytes(data)
    origin = Nginx(stage, folder)
    weir = peers.weir(stage, origin.base, *resources.OPTIONS, cache=cache)

    def ask(line, first, length):
        answer = line.ask("film.bin", {"Range": f"bytes={first}-{first + length - 1}"})
        if answer.status != 206 or answer.body != data[first : first + length]:
            raise RuntimeError(f"a range was answered with {answer.status}")

    with web.Line(weir.base) as line:
        for number in range(size):
            ask(line, 2 * RUN * number, RUN)
    origin = ended(stage, folder, origin, weir)
    count = cached(stage, cache)["film.bin"]["heldBytes"]
    if count != RUN * size:
        raise RuntimeError(f"{count} bytes are held instead of {RUN * size}")
    generator = random.Random(5)
    parts = [2 * RUN * generator.randrange(size) + generator.randrange(RUN - PART) for _ in range(REQUESTS)]
    weir = counted.CountedWeir(stage, origin.base, *resources.OPTIONS, cache=cache)
    try:
        with web.Line(weir.base) as line:

            def ask_for_parts():
                for first in parts:
                    ask(line, first, PART)

            # In the first series, Weir compares the parts with their checksums.
            for number in range(-1, SERIES):
                cost = weir.cost(REQUESTS, ask_for_parts)
                results.sample(PARTS, size, number, cost.instructions, "instructions")
    finally:
        weir.stop(signal.SIGKILL)
    if origin.settled().requests():
        raise RuntimeError("the origin got requests for held bytes")
