# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Where Weir's processor time goes: for a warm range, and for each byte of a cold file.

`perf record` samples every thread 4,999 times a second. A sample counts for the system call in which it was taken,
and otherwise for the module whose code was running. The pictures are flame graphs: the width of a function is the
share of the samples in which it, or a function that it called, was running.
"""

import collections
import os
import re
import shutil
import subprocess

import clients
import costs
import counters
import flames
import peers
from peers import QuietWeir
from results import note
from stage import media
from stage.nginx import Nginx
from stage.stage import Stage

SECONDS = 5
# Parts with a smaller share are combined.
SMALLEST = 0.01

FRAME = re.compile(r"^\s*[0-9a-f]+ (.*) \((.*)\)$")
SYSTEM_CALL = re.compile(r"(?:__(?:x64|arm64)_sys_|ksys_)(?:new)?([a-z_]+)")
# The first pattern that matches the function's name tells the part; if none does, the module in a mangled name does.
NAMES = (
    (re.compile(r"_?weir_crc32c|crc32c"), "user: CRC-32C"),
    (re.compile(r"_*swift_|_ZNK?5swift|_ZNSt|_*\$s[sS]|getCache|tryCast"), "user: Swift's runtime and library"),
    (re.compile(r"c_nio|CNIO"), "user: NIO"),
)
MODULE = re.compile(r"_?\$s(\d+)(\w+)")
MODULES = {name: "NIO" for name in ("NIOCore", "NIOPosix", "NIOHTTP1", "NIOSSL", "NIOConcurrencyHelpers")}


def processor_time(results):
    if counters.CALLS not in counters.events():
        results.remark("No profile of the time: perf may not observe the kernel here.")
        return
    with Stage("bench") as stage:
        warm_range(results, stage)
        cold_byte(results, stage)


def warm_range(results, stage):
    folder = media.big_folder()
    weir = peers.weir(stage, Nginx(stage, folder, log=False).base)
    peers.warm(stage, weir, media.BIG, folder / media.BIG)
    url, words = weir.url(media.BIG), (media.BIG_SIZE, 64 << 10)
    early = costs.usage(weir.pids())
    file = stage.folder / "warm.perf"
    answers = clients.wrk(url, "ranges.lua", words, 16, SECONDS, stage.environment, recording(weir.program.pid, file))
    used = costs.between(early, costs.usage(weir.pids()))
    tell(results, stage, file, "a warm 64 KiB range, 16 connections, µs", used, answers.count, 1e6)


def cold_byte(results, stage):
    nginx = Nginx(stage, media.big_folder(), log=False)
    os.sync()
    weir = QuietWeir(stage, nginx.base)
    early = costs.usage([weir.program.pid])
    file = stage.folder / "cold.perf"
    words = [*recording(weir.program.pid, file), "curl", "-sS", "--fail", "-o", "/dev/null", weir.url(media.BIG)]
    subprocess.run(words, env=stage.environment, check=True, timeout=300)
    used = costs.between(early, costs.usage([weir.program.pid]))
    weir.stop()
    shutil.rmtree(weir.cache)
    tell(results, stage, file, "a byte of a cold file, ns", used, media.BIG_SIZE, 1e9)


def recording(pid, file):
    """The words before a command, so that perf samples a process while that command runs."""
    words = ["perf", "record", "-q", "-F", "4999", "-e", "cpu-clock", "--call-graph", "fp"]
    return [*words, "-o", str(file), "-p", str(pid), "--"]


def tell(results, stage, file, work, used, count, unit):
    """Adds the lines of a table, and writes a flame graph beside the samples of the run."""
    words = ["perf", "script", "-i", file, "-F", "comm,ip,sym,dso"]
    said = subprocess.run(words, env=stage.environment, capture_output=True, text=True, check=True).stdout
    stacks = collections.Counter(filter(None, map(stack, said.split("\n\n"))))
    parts = collections.Counter()
    for frames, number in stacks.items():
        parts[part(frames)] += number
    total = sum(parts.values())
    small = [name for name in parts if parts[name] < SMALLEST * total]
    parts["the rest"] = sum(parts.pop(name) for name in small)
    whole = (used.user + used.system) / count * unit
    for name, number in parts.most_common():
        results.part(work, name, whole * number / total, number / total)
    results.part(work, "all of it", whole, 1)
    picture = results.file.with_name(f"{results.file.stem}-{file.stem}.svg")
    picture.write_text(flames.drawn(stacks, work))
    note(f"  flame graph: {picture}")


def stack(block):
    """The frames of a sample from the outermost on: function and file of each, the thread's name first."""
    lines = block.strip().splitlines()
    if len(lines) < 2:
        return None
    frames = [FRAME.match(line) for line in reversed(lines[1:])]
    return ((lines[0].strip(), ""), *((frame[1], frame[2]) for frame in frames if frame))


def part(frames):
    """The part that a stack counts for."""
    for name, _ in frames:
        call = SYSTEM_CALL.match(name)
        if call:
            return f"kernel: {call[1]}"
    name, file = frames[-1]
    if "kernel" in file or name.endswith("[k]"):
        return "kernel: interrupts, faults, switches"
    for pattern, told in NAMES:
        if pattern.match(name):
            return told
    module = MODULE.match(name)
    if module:
        # A mangled name starts with its module's length.
        module = module[2][: int(module[1])]
        return f"user: {MODULES.get(module, module)}"
    if "libc.so" in file or "vdso" in file:
        return "user: C library"
    return "user: SQLite" if "sqlite" in file else "user: other"
