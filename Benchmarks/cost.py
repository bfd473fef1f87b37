# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The cost of durability: syncs and checksums, compared with the same program without either."""

import os
import shutil
import subprocess

import clients
from peers import QuietWeir
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


def safety(results):
    with Stage("bench") as stage:
        careless = Careless(stage)
        for rate, line, rounds in ((GIGABIT, "1 Gbit/s", 9), (None, "loopback", 15)):
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
    """The same program, built without checksums and run without syncs."""

    def __init__(self, stage):
        self.stage = stage
        build = place.ROOT / ".build-unsafe"
        subprocess.run(
            [place.ROOT / "Scripts/swift", "build", "-c", "release", "--product", "weir", "--scratch-path", build, "-Xcc", "-DWEIR_WITHOUT_CHECKSUMS"],
            check=True, stdout=subprocess.DEVNULL, cwd=place.ROOT,
        )
        self.program = build / "release" / "weir"
        source = stage.folder / "without-syncs.c"
        source.write_text(WITHOUT_SYNCS)
        self.library = stage.folder / "without-syncs.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.library, source], check=True)

    def serve(self, origin):
        stage = self.stage
        environment = dict(stage.environment, LD_PRELOAD=str(self.library))
        # Started like `Weir`, from another path.
        os.environ["WEIR_PROGRAM"] = str(self.program)
        try:
            return QuietWeir(stage, origin, environment=environment)
        finally:
            del os.environ["WEIR_PROGRAM"]
