# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A disk that performs no change while a file exists: a library that is loaded before Weir's own calls."""

import shutil
import subprocess

from check_results import Skipped, equal, expect
from stage import media, waiting, web
from stage.nginx import Nginx
from stage.weir import Weir

# Each call waits while the file that HOLD names exists.
HOLD = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static void wait_for_disk(void) {
    const char *path = getenv("HOLD");
    while (path && access(path, F_OK) == 0) usleep(5000);
}

#define HELD(type, name, parameters, arguments) \
    type name parameters { \
        static type (*real) parameters; \
        if (!real) real = (type (*) parameters)dlsym(RTLD_NEXT, #name); \
        wait_for_disk(); \
        return real arguments; \
    }

HELD(int, fsync, (int file), (file))
HELD(int, fdatasync, (int file), (file))
HELD(int, mkdir, (const char *path, mode_t mode), (path, mode))
HELD(ssize_t, pwrite, (int file, const void *bytes, size_t count, off_t offset), (file, bytes, count, offset))
HELD(ssize_t, pwrite64, (int file, const void *bytes, size_t count, off64_t offset), (file, bytes, count, offset))
"""


class HungDisk:
    """A `weir serve` whose disk hangs while `hold` exists, at most until the end of the `with` block."""

    def __init__(self, stage, origin, *options):
        if shutil.which("cc") is None:
            raise Skipped("there is no cc; Scripts/set-up costs installs it")
        folder = stage.new_folder("hung-disk")
        source, library = folder / "hold.c", folder / "hold.so"
        source.write_text(HOLD)
        subprocess.run(["cc", "-shared", "-fPIC", "-Wall", "-Werror", "-o", library, source, "-ldl"], check=True)
        self.hold = folder / "hold"
        self.weir = Weir(stage, origin, *options, environment=dict(stage.environment, LD_PRELOAD=str(library), HOLD=str(self.hold)))

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.hold.unlink(missing_ok=True)


def plays(stage, nginx, folder):
    """A file that fits into the memory for waiting bytes arrives while the disk performs nothing, and is kept then."""
    name = "song.mp3"
    bytes_ = (folder / name).read_bytes()
    expect(len(bytes_) < 8 << 20, f"{name} has {len(bytes_)} bytes")
    with HungDisk(stage, nginx.base) as disk:
        disk.hold.touch()
        for _ in range(2):
            answer = web.fetch(disk.weir.url(name))
            expect(answer.body == bytes_, f"{answer.status}, {len(answer.body)} bytes of {len(bytes_)}")
    equal(disk.weir.stop(), 0, "weir's exit status")
    again = Weir(stage, nginx.base, "--offline", cache=disk.weir.cache)
    expect(web.fetch(again.url(name)).body == bytes_, "the kept bytes differ")
    again.stop()
    return f"{len(bytes_)} bytes"


def hangs_in_a_play(stage):
    """The disk stops answering in the middle of a long file: after 5 s, Weir continues without the cache."""
    expected = (media.big_folder() / media.BIG).read_bytes()
    nginx = Nginx(stage, media.big_folder())
    with HungDisk(stage, nginx.base) as disk:
        download = web.Download(disk.weir.url(media.BIG))
        start = download.read_exactly(1 << 20)
        disk.hold.touch()
        body = start + download.read_exactly(len(expected))
        expect(body == expected, f"{len(body)} bytes of {len(expected)}")
        waiting.until(lambda: "has taken no byte for 5 s" in disk.weir.log, 20, "the warning")
    equal(disk.weir.stop(), 0, "weir's exit status")
    nginx.stop()
    return f"{len(body)} bytes"


def plays_long_files(stage):
    """Long files play one after the other, and again, while the disk performs nothing; their bytes do not stay in memory."""
    size, count = 24 << 20, 30
    with (media.big_folder() / media.BIG).open("rb") as file:
        expected = file.read(size)
    nginx = Nginx(stage, media.big_folder())
    with HungDisk(stage, nginx.base) as disk:
        disk.hold.touch()
        for turn in range(2):
            for number in range(count):
                download = web.Download(f"{disk.weir.url(media.BIG)}?{number}")
                body = download.read_exactly(size)
                download.leave()
                expect(body == expected, f"{len(body)} bytes of {size}, file {number + 1} in turn {turn + 1}")
        own = disk.weir.program.memory("RssAnon")
        # 64 MiB may wait for the disk, beside Weir's own.
        expect(own <= 160 << 20, f"{own / 2**20:.0f} MiB are in memory")
    equal(disk.weir.stop(), 0, "weir's exit status")
    nginx.stop()
    return f"{2 * count} plays, then {own / 2**20:.0f} MiB of memory"
