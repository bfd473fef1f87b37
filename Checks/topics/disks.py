# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A cache folder that is a file, is read-only, or is full."""

import itertools
import json
import os
import resource
import shutil
import subprocess
import time
from pathlib import Path

import hung_disk
import speech
from check_results import Skipped, equal, expect
from stage import media, waiting, web
from stage.nginx import Nginx
from stage.stage import Stage
from stage.weir import Weir, command


def run(results):
    folder = media.folder()
    with Stage("disks") as stage:
        nginx = Nginx(stage, folder)
        with results.check("the cache folder is a file: get and serve") as check:
            path = stage.folder / "a-file"
            path.write_text("mine")
            check.figure = both_fail(stage, nginx, path)
            equal(path.read_text(), "mine", "the file's text")
        with results.check("the cache folder's parent is a file: get and serve") as check:
            check.figure = both_fail(stage, nginx, path / "cache")
        with results.check("the cache folder is not writable: get and serve") as check:
            check.figure = both_fail(stage, nginx, read_only_folder(stage))
        with results.check("the disk gets full during a play: the play continues, with a warning") as check:
            cache = small_disk(stage, "4m")
            check.figure = plays_through(stage, nginx, folder, cache)
        with results.check("a full disk gets free space again: one warning, and played bytes are cached again") as check:
            check.figure = recovers(stage, nginx, folder)
        with results.check("the cache folder is removed during a play: the play continues, and caches in a new folder"):
            removed_folder(stage, nginx, folder)
        with results.check("data and journal files are removed while the server runs: their bytes are fetched again"):
            removed_files(stage, nginx, folder)
        with results.check("too many open files: the play continues, or reports it") as check:
            check.figure = few_descriptors(stage, nginx, folder, spare=2)
        with results.check("the last free descriptor is the player's connection: it plays, or gets an error") as check:
            check.figure = few_descriptors(stage, nginx, folder, spare=1)
        with results.check("a disk that performs no change: a file arrives nevertheless, and is kept when the disk goes on") as check:
            check.figure = hung_disk.plays(stage, nginx, folder)
        with results.check("a disk that stops answering in a play: the play continues, with a warning") as check:
            check.figure = hung_disk.hangs_in_a_play(stage)
        with results.check("a disk that performs no change: long files play, and again, and do not stay in memory") as check:
            check.figure = hung_disk.plays_long_files(stage)
        with results.check("no free byte: cache list, verify, remove and clear work, and free space") as check:
            check.figure = frees(stage, nginx, "size=24m", fill)
        with results.check("no free inode: cache list, verify, remove and clear work, and free inodes") as check:
            check.figure = frees(stage, nginx, "size=24m,nr_inodes=60", use_up_inodes)
        with results.check("a read-only file system: cache list and verify work"):
            only_read(stage, nginx)
        with results.check("the disk is full from the start: the play works, or ends with 5 and a message") as check:
            cache = small_disk(stage, "1m")
            fill(cache / "ballast")
            check.figure = plays_or_says_so(stage, nginx, folder, cache)


def both_fail(stage, nginx, cache):
    """Expects that `get` and `serve` end with 5 and a message; returns the message."""
    url = nginx.base + "song.mp3"
    target = stage.new_folder("target")
    for words in (("get", url, "-o", target / "song.mp3"), ("serve", url, "--listen", "127.0.0.1:0")):
        done = command(stage, *words, "--cache", cache)
        said = done.stderr.decode(errors="replace")
        equal(done.returncode, 5, f"the exit status of {words[0]}, with {said.strip()[:300]!r},")
        sentence = speech.sentence(said, 5)
    equal(list(target.iterdir()), [], "the remaining files of the download")
    return sentence


def mount(stage, options):
    """Mounts a small disk in memory; skips the check if the user is not root or may not mount."""
    path = stage.new_folder("disk")
    if os.geteuid() != 0:
        raise Skipped("only root can mount a small disk")
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "weir-check", str(path)], capture_output=True)
    if done.returncode != 0:
        raise Skipped("this machine does not allow mounting a small disk")
    stage.callback(subprocess.run, ["umount", "-l", str(path)], capture_output=True)
    return path


def read_only_folder(stage):
    if os.geteuid() == 0:
        # Permissions do not stop root.
        return mount(stage, "ro,size=1m")
    path = stage.new_folder("read-only")
    path.chmod(0o555)
    return path


def small_disk(stage, size):
    return mount(stage, f"size={size}")


def fill(path):
    """Fills the disk."""
    with open(path, "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            return


def use_up_inodes(path):
    """Creates files until the disk has no free inode."""
    for number in itertools.count():
        try:
            path.with_name(f"{path.name}{number}").touch()
        except OSError:
            return


def kept(stage, nginx, options):
    """A cache on a small disk, with two resources in it."""
    cache = mount(stage, options)
    for name in ("song.mp3", "film.mp4"):
        target = stage.new_folder("target") / name
        done = command(stage, "get", nginx.base + name, "-o", target, "--cache", cache)
        equal(done.returncode, 0, f"the exit status of get, with {done.stderr.decode().strip()!r},")
    return cache


def works(stage, cache, *words):
    done = command(stage, "cache", *words, "--cache", cache)
    equal(done.returncode, 0, f"the exit status of cache {words[0]}, with {done.stderr.decode().strip()[:300]!r},")
    return done.stdout.decode()


def listed(stage, cache):
    return [json.loads(line)["url"].rsplit("/", 1)[-1] for line in works(stage, cache, "list", "--json").splitlines()]


def frees(stage, nginx, options, use_up):
    cache = kept(stage, nginx, options)
    use_up(cache / "ballast")
    equal(sorted(listed(stage, cache)), ["film.mp4", "song.mp3"], "the listed files")
    works(stage, cache, "verify")
    before = shutil.disk_usage(cache).free
    works(stage, cache, "remove", nginx.base + "song.mp3")
    freed = shutil.disk_usage(cache).free - before
    expect(freed > 0, "removing a resource frees no space")
    equal(listed(stage, cache), ["film.mp4"], "the listed files after one was removed")
    use_up(cache / "more")
    works(stage, cache, "clear", "--yes")
    equal(listed(stage, cache), [], "the listed files after a clear")
    left = [path.name for path in cache.rglob("*.data")]
    equal(left, [], "the remaining data files")
    return f"{freed >> 10} KiB"


def only_read(stage, nginx):
    cache = kept(stage, nginx, "size=24m")
    done = subprocess.run(["mount", "-o", "remount,ro", str(cache)], capture_output=True)
    equal(done.returncode, 0, "the exit status of mount")
    equal(sorted(listed(stage, cache)), ["film.mp4", "song.mp3"], "the listed files")
    works(stage, cache, "verify")
    equal(sorted(listed(stage, cache)), ["film.mp4", "song.mp3"], "the listed files after verify")


def plays_through(stage, nginx, folder, cache):
    weir = Weir(stage, nginx.base, cache=cache)
    for name in ("song.wav", "film.mp4", "song.wav"):
        answer = web.fetch(weir.url(name))
        expect(answer.status == 200, f"{name} gets {answer.status} {answer.text[:200]}")
        expect(answer.body == (folder / name).read_bytes(), f"the bytes of {name} differ")
    part = web.fetch(weir.url("song.wav"), {"Range": "bytes=7000000-7000999"})
    expect(part.body == media.part(folder / "song.wav", 7_000_000, 7_001_000), "a range differs")
    # Weir answers from memory before the disk has refused the bytes.
    warnings = waiting.until(lambda: warnings_of(weir), 20, "a warning")
    equal(weir.stop(), 0, "weir's exit status")
    held = command(stage, "cache", "list", "--cache", cache)
    equal(held.returncode, 0, f"the exit status of cache list, with {held.stderr.decode().strip()!r},")
    plays_or_says_so(stage, nginx, folder, cache)
    return warnings[0]


def right(stage_folder, weir, name):
    answer = web.fetch(weir.url(name))
    expect(answer.status == 200, f"{name} gets {answer.status} {answer.text[:200]}")
    expect(answer.body == (stage_folder / name).read_bytes(), f"the bytes of {name} differ")


def warnings_of(weir):
    return [line for line in weir.log.splitlines() if line.startswith("warning: ")]


def is_kept(stage, cache, name):
    held = command(stage, "cache", "list", "--json", "--cache", cache)
    # A cache folder that was removed does not exist until Weir writes again.
    return held.returncode == 0 and any(
        line["url"].endswith(name) and line["heldBytes"] == line.get("bytes")
        for line in map(json.loads, held.stdout.splitlines())
    )


def kept_in_the_end(stage, folder, weir, name):
    """Plays until the cache holds the file: after a failed write, Weir pauses before it writes again."""

    def attempt():
        right(folder, weir, name)
        time.sleep(0.7)
        return is_kept(stage, weir.cache, name)

    waiting.until(attempt, 30, f"{name} to be kept")


def recovers(stage, nginx, folder):
    cache = small_disk(stage, "24m")
    weir = Weir(stage, nginx.base, cache=cache)
    right(folder, weir, "song.mp3")
    fill(cache / "ballast")
    right(folder, weir, "song.wav")
    waiting.until(lambda: warnings_of(weir), 5, "the warning")
    right(folder, weir, "song.wav")
    equal(len(warnings_of(weir)), 1, "the number of warnings")
    (cache / "ballast").unlink()
    kept_in_the_end(stage, folder, weir, "song.wav")
    expect("The cache stores bytes again." in weir.log, f"the log does not say that the cache works again: {weir.log[-300:]}")
    equal(weir.stop(), 0, "weir's exit status")
    return warnings_of(weir)[0]


def removed_folder(stage, nginx, folder):
    weir = Weir(stage, nginx.base)
    right(folder, weir, "song.mp3")
    download = web.Download(weir.url("song.wav"))
    head = download.read(1 << 16)
    # Under another name first: Weir may be making a file in it.
    shutil.rmtree(weir.cache.rename(weir.cache.with_name("removed")))
    rest = b""
    while piece := download.read(1 << 20):
        rest += piece
    expect(head + rest == (folder / "song.wav").read_bytes(), "the bytes of the download differ")
    kept_in_the_end(stage, folder, weir, "film.mp4")
    equal(len(warnings_of(weir)), 1, "the number of warnings")
    equal(weir.stop(), 0, "weir's exit status")


def removed_files(stage, nginx, folder):
    weir = Weir(stage, nginx.base)
    for name in ("song.mp3", "song.wav"):
        right(folder, weir, name)
    time.sleep(1)
    for number, path in enumerate(sorted(weir.cache.glob("??/*"))):
        if number % 3:
            path.unlink()
    for _ in range(2):
        for name in ("song.mp3", "song.wav"):
            right(folder, weir, name)
    equal(weir.stop(), 0, "weir's exit status")
    weir = Weir(stage, nginx.base, cache=weir.cache)
    for name in ("song.mp3", "song.wav"):
        right(folder, weir, name)
        waiting.until(lambda: is_kept(stage, weir.cache, name), 5, f"{name} to be kept")
    equal(weir.stop(), 0, "weir's exit status")


def few_descriptors(stage, nginx, folder, spare):
    """Leaves Weir `spare` more open files: the player's connection takes one, and the cache needs others.

    With one spare file, none may be left for the origin; the player then gets an error.
    """
    weir = Weir(stage, nginx.base)
    right(folder, weir, "song.mp3")
    used = {int(path.name) for path in Path(f"/proc/{weir.program.pid}/fd").iterdir()}
    _, most = resource.prlimit(weir.program.pid, resource.RLIMIT_NOFILE)
    # The limit counts descriptor numbers: enough numbers below it must be free.
    free = (number for number in range(most) if number not in used)
    limit = list(itertools.islice(free, spare))[-1] + 1
    resource.prlimit(weir.program.pid, resource.RLIMIT_NOFILE, (limit, most))
    answer = web.fetch(weir.url("song.wav"))
    if spare > 1 or answer.status != 502 or "too many open files" not in answer.text:
        expect(answer.status == 200, f"song.wav gets {answer.status} {answer.text[:200]}")
        expect(answer.body == (folder / "song.wav").read_bytes(), "the bytes of song.wav differ")
    resource.prlimit(weir.program.pid, resource.RLIMIT_NOFILE, (most, most))
    kept_in_the_end(stage, folder, weir, "film.mp4")
    equal(weir.stop(), 0, "weir's exit status")
    return (warnings_of(weir) or ["it did not need more"])[0]


def plays_or_says_so(stage, nginx, folder, cache):
    try:
        weir = Weir(stage, nginx.base, cache=cache)
    except RuntimeError as failure:
        ended, said = str(failure).split(": ", 1)
        equal(ended, "weir ended with 5", "the result")
        return speech.sentence(said, 5)
    answer = web.fetch(weir.url("song.mp3"))
    expect(answer.body == (folder / "song.mp3").read_bytes(), f"{answer.status} {answer.text[:200]}")
    equal(weir.stop(), 0, "weir's exit status")
    return "it plays"
