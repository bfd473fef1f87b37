# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The cost of durability: syncs and checksums, compared with the same program without either."""

import os
import platform
import re
import shutil
import struct
import subprocess

import clients
from peers import QuietWeir
from results import FEWEST_ROUNDS, ROUNDS
from stage import media, place
from stage.nginx import Nginx
from stage.stage import Stage

# 1 Gbit/s of bodies.
GIGABIT = "125000000"

WITHOUT = "without syncs and checksums"

# Loaded before the C library: reports success for every sync without writing to the disk.
WITHOUT_SYNCS = """
int fsync(int descriptor) { return 0; }
int fdatasync(int descriptor) { return 0; }
"""

# The function that takes checksums, the code of a function that returns 0, and the type of a segment that the system
# loads into memory.
CHECKSUM = "weir_crc32c"
RETURN_ZERO = {"x86_64": bytes.fromhex("31c0c3"), "aarch64": bytes.fromhex("00008052c0035fd6")}
LOADED = 1


def safety(results):
    with Stage("bench") as stage:
        careless = Careless(stage)
        for rate, line, rounds in ((GIGABIT, "1 Gbit/s", FEWEST_ROUNDS), (None, "loopback", ROUNDS)):
            nginx = Nginx(stage, media.big_folder(), log=False, rate=rate)
            measure = f"cold whole file of 256 MiB, kept, {line}"
            for number, name in results.turns(("weir", WITHOUT), rounds):
                # Unwritten data of an earlier turn must not cost this turn time.
                os.sync()
                weir = careless.serve(nginx.base) if name == WITHOUT else QuietWeir(stage, nginx.base)
                value = clients.megabytes_per_second(weir.url(media.BIG), media.BIG_SIZE, stage.environment)
                weir.stop()
                shutil.rmtree(weir.cache)
                results.sample(measure, name, number, value, "MB/s")
            results.compare(measure, WITHOUT)
            nginx.stop()


class Careless:
    """The same program, without checksums and syncs."""

    def __init__(self, stage):
        self.stage = stage
        self.program = stage.folder / "weir-without-checksums"
        without_checksums(place.weir_program(), self.program)
        source = stage.folder / "without-syncs.c"
        source.write_text(WITHOUT_SYNCS)
        self.library = stage.folder / "without-syncs.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.library, source], check=True)

    def serve(self, origin):
        stage = self.stage
        environment = dict(stage.environment, LD_PRELOAD=str(self.library))
        # Started like `Weir`, from another path.
        with place.other_program(self.program):
            return QuietWeir(stage, origin, environment=environment)


def without_checksums(program, copy):
    """Copies a program, and lets its function for checksums return 0 at once. A new build would take minutes."""
    listed = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    found = re.search(rf"^([0-9a-f]+) [Tt] {CHECKSUM}$", listed, re.MULTILINE)
    if found is None or platform.machine() not in RETURN_ZERO:
        reason = f"{program} has no symbol {CHECKSUM}, or this processor is unknown"
        raise RuntimeError(f"{reason}; measure a program that make release has built")
    address, data = int(found[1], 16), bytearray(program.read_bytes())
    # The table of a 64-bit ELF file's segments: its offset is at 32, the size of an entry at 54, their number at 56.
    table, size, count = *struct.unpack_from("<Q", data, 32), *struct.unpack_from("<HH", data, 54)
    for entry in range(table, table + size * count, size):
        kind, _, offset, start, _, length = struct.unpack_from("<IIQQQQ", data, entry)
        if kind == LOADED and start <= address < start + length:
            place_in_file = address - start + offset
            code = RETURN_ZERO[platform.machine()]
            data[place_in_file : place_in_file + len(code)] = code
    copy.write_bytes(data)
    copy.chmod(0o755)
