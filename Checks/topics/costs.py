# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The cost of a request and of a start, in counts instead of times: detects a change that makes them dearer."""

import random
import signal

from check_results import Skipped, expect
from stage import counted, web
from stage.nginx import Nginx
from stage.stage import Stage

SIZE, LENGTH, REQUESTS = 64 << 10, 16 << 20, 1000
# The budget of a warm range of 64 KiB, one of many on its connection. Instruction counts differ a little between
# compilers.
BUDGET = counted.Cost(instructions=19_500, allocations=1.2)
MARGIN = 1.03
# The budgets of a start, in millions of instructions. A scan of all protocol conformances in the program takes 0.4
# million: a cast to a protocol, a text of an enum's case and `Mirror` cause one for each new type.
VERSION, ADDRESS, ANSWER = 3.5, 20, 33


def run(results):
    with Stage("costs") as stage:
        absence = counted.absence()
        with results.check("weir --version takes no more instructions than its limit") as check:
            if absence:
                raise Skipped(absence)
            count = counted.cost_of_run(stage, "--version").instructions
            check.figure = f"{count / 1e6:.1f} million instructions"
            expect(count <= VERSION * 1e6 * MARGIN, f"{check.figure}; the budget is {VERSION} million")
        with results.check("weir serve takes no more instructions than its limit until its first answer") as check:
            if absence:
                raise Skipped(absence)
            folder = stage.new_folder("files")
            (folder / "small.bin").write_bytes(bytes(1024))
            weir = counted.CountedWeir(stage, Nginx(stage, folder).base)
            try:
                address = weir.counted().instructions
                web.fetch(weir.url("small.bin"))
                answer = address + weir.counted().instructions
            finally:
                weir.stop(signal.SIGKILL)
            check.figure = f"{address / 1e6:.1f} million instructions until its URL, {answer / 1e6:.1f} in all"
            expect(address <= ADDRESS * 1e6 * MARGIN, f"{check.figure}; the budget until its URL is {ADDRESS} million")
            expect(answer <= ANSWER * 1e6 * MARGIN, f"{check.figure}; the budget is {ANSWER} million")
        with results.check("a warm range takes no more instructions and allocations than its limit") as check:
            if absence:
                raise Skipped(absence)
            folder = stage.new_folder("files")
            (folder / "film.bin").write_bytes(random.Random(3).randbytes(LENGTH))
            weir = counted.CountedWeir(stage, Nginx(stage, folder).base)
            try:
                least = least_cost(weir)
            finally:
                # Weir has no more work to do, and an orderly end under valgrind would take long.
                weir.stop(signal.SIGKILL)
            check.figure = f"{least.instructions:.0f} instructions, {least.allocations:.2f} allocations"
            for value, budget, what in zip(least, BUDGET, least._fields):
                expect(value <= budget * MARGIN, f"{value:.2f} {what} for a range; the budget is {budget}")


def least_cost(weir):
    url = weir.url("film.bin")
    web.fetch(url)
    counted.ask_for_ranges(url, SIZE, 100, LENGTH)
    # In the background, Weir sometimes writes data about the file. At least one of the three runs is mostly free of
    # that.
    costs = [weir.cost(REQUESTS, lambda: counted.ask_for_ranges(url, SIZE, REQUESTS, LENGTH)) for _ in range(3)]
    return counted.Cost(*(min(values) for values in zip(*costs)))
