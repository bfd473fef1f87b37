# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""What lies in the cache already, beside nginx serving the file itself."""

import clients
from stage import media
from stage.nginx import Nginx
from stage.stage import Stage
from stage.weir import Weir


class QuietWeir(Weir):
    """A server as one runs it: without a line per request, which would cost more than the request."""

    verbosity = "--quiet"


def warmed(stage):
    """Both servers up, the file in weir's cache and in the page cache: name, URL, processor time so far."""
    nginx = Nginx(stage, media.big_folder(), log=False)
    weir = QuietWeir(stage, nginx.base)
    for url in (weir.url(media.BIG), nginx.base + media.BIG, weir.url(media.BIG)):
        clients.megabytes_per_second(url, media.BIG_SIZE, stage.environment)
    return (
        ("nginx", nginx.base + media.BIG, nginx.processor_seconds),
        ("weir", weir.url(media.BIG), weir.program.processor_seconds),
    )


def ranges(results):
    seconds = 1 if results.is_quick else 2
    with Stage("bench") as stage:
        subjects = warmed(stage)
        for connections in (1, 16, 64):
            measure = f"warm 64 KiB ranges, {connections} connection{'s' if connections > 1 else ''}"
            rates = {name: [] for name, _, _ in subjects}
            costs = {name: [] for name, _, _ in subjects}
            for number in range(-1, results.rounds(7)):
                for name, url, processor_seconds in subjects:
                    before = processor_seconds()
                    rate = clients.requests_per_second(url, connections, seconds, stage.environment)
                    cost = (processor_seconds() - before) / (rate * seconds) * 1e6
                    if number < 0:
                        continue
                    rates[name].append(results.sample(measure, name, number, rate, "requests/s"))
                    costs[name].append(results.sample(f"{measure}, processor", name, number, cost, "µs/request"))
            results.compare(measure, "nginx", rates["nginx"], rates["weir"], "requests/s")
            results.compare("processor time of the same", "nginx", costs["nginx"], costs["weir"], "µs/request", 1)


def whole(results):
    with Stage("bench") as stage:
        subjects = warmed(stage)
        rates = {name: [] for name, _, _ in subjects}
        for number in range(results.rounds(9)):
            for name, url, _ in subjects:
                value = clients.megabytes_per_second(url, media.BIG_SIZE, stage.environment)
                rates[name].append(results.sample("warm whole file", name, number, value, "MB/s"))
        results.compare("warm whole file of 256 MiB", "nginx", rates["nginx"], rates["weir"], "MB/s")
