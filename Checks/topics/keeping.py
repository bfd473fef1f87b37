# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""How long the cache keeps data: pins, limits, exports, and the revalidation of its files."""

import os
import time

from check_results import equal, expect
from stage import media, web
from stage.nginx import Nginx
from stage.stage import Stage
from stage.weir import Weir, cached, command


def run(results):
    folder = media.folder()
    with Stage("keeping") as stage:
        nginx = Nginx(stage, folder)
        pins(results, stage, nginx)
        ages(results, stage, nginx)
        exports(results, stage, nginx, folder)
        asking(results, stage, nginx, folder)


def get(stage, nginx, name, cache, *options):
    done = command(stage, "get", nginx.base + name, "-o", "-", "--quiet", "--cache", cache, *options)
    equal(done.returncode, 0, f"the exit status for {name}, with {done.stderr.decode().strip()!r},")
    return done.stdout


def pins(results, stage, nginx):
    cache = stage.new_folder("cache")
    with results.check("a pinned file stays when the cache gets too large, until it is unpinned"):
        get(stage, nginx, "song.mp3", cache)
        equal(command(stage, "cache", "pin", nginx.base + "song.mp3", "--cache", cache).returncode, 0, "the exit status")
        for name in ("song.ogg", "song.flac"):
            get(stage, nginx, name, cache, "--cache-limit", "1kB")
        expect("song.mp3" in cached(stage, cache), "the pinned file is gone")
        expect("song.ogg" not in cached(stage, cache), "an unpinned file is still cached")
        # The check deletes the catalogue, but the journals still record the pin.
        for path in stage.files(cache):
            if path.name.startswith("catalogue"):
                path.unlink()
        get(stage, nginx, "song.ogg", cache, "--cache-limit", "1kB")
        expect("song.mp3" in cached(stage, cache), "the pin was lost with the catalogue")
        done = command(stage, "cache", "unpin", nginx.base + "song.mp3", "--cache", cache)
        equal(done.returncode, 0, "the exit status")
        get(stage, nginx, "song.flac", cache, "--cache-limit", "1kB")
        expect("song.mp3" not in cached(stage, cache), "the file stays although it is unpinned")


def ages(results, stage, nginx):
    with results.check("--cache-count and --cache-age limit the number and age of files"):
        cache = stage.new_folder("cache")
        for name in ("song.mp3", "song.ogg", "song.flac"):
            get(stage, nginx, name, cache, "--cache-count", "2")
        equal(set(cached(stage, cache)), {"song.ogg", "song.flac"}, "the held files")
        time.sleep(1.1)
        get(stage, nginx, "song.mp3", cache, "--cache-age", "1s")
        equal(set(cached(stage, cache)), {"song.mp3"}, "the held files")
    with results.check("--cache-reserve keeps no older file when the disk has less free space than the reserve"):
        cache = stage.new_folder("cache")
        for name in ("song.mp3", "song.ogg"):
            get(stage, nginx, name, cache, "--cache-reserve", "999TB")
        expect("song.mp3" not in cached(stage, cache), "the older file is still held")


def exports(results, stage, nginx, folder):
    cache = stage.new_folder("cache")
    with results.check("export writes a plain file, and refuses an incomplete one"):
        get(stage, nginx, "song.flac", cache)
        target = stage.new_folder("target")
        done = command(stage, "cache", "export", nginx.base + "song.flac", "--cache", cache, folder=target)
        equal(done.returncode, 0, f"the exit status, with {done.stderr.decode().strip()!r},")
        equal([path.name for path in target.iterdir()], ["song.flac"], "the files")
        equal(media.digest(target / "song.flac"), media.digest(folder / "song.flac"), "its SHA-256")
        weir = Weir(stage, nginx.base, cache=cache)
        web.fetch(weir.url("film.mp4"), {"Range": "bytes=0-99"})
        weir.stop()
        done = command(stage, "cache", "export", nginx.base + "film.mp4", "--cache", cache, folder=target)
        equal(done.returncode, 1, "the exit status for a part")
        expect(b"the cache holds 100 of" in done.stderr, f"it says {done.stderr!r}")
        equal([path.name for path in target.iterdir()], ["song.flac"], "the files after it")


def asking(results, stage, nginx, folder):
    cache = stage.new_folder("cache")
    get(stage, nginx, "song.mp3", cache)

    def requests_of(*options):
        before = len(nginx.settled().requests())
        body = get(stage, nginx, "song.mp3", cache, *options)
        equal(body == (folder / "song.mp3").read_bytes(), True, "that the bytes are the origin's")
        return [request.status for request in nginx.settled().requests()[before:]]

    with results.check("no request within a minute or with --revalidate never; one request with always, and 304 is enough"):
        equal(requests_of(), [], "the requests by default")
        equal(requests_of("--revalidate", "never"), [], "the requests with never")
        equal(set(requests_of("--revalidate", "always")), {304}, "the answers with always")
    with results.check("--revalidate always finds a file that changed while weir was not running, and plays it completely"):
        other = stage.new_folder("files")
        (other / "a.mp3").write_bytes((folder / "song.mp3").read_bytes())
        server = Nginx(stage, other)
        equal(get(stage, server, "a.mp3", cache) == (folder / "song.mp3").read_bytes(), True, "that the first is right")
        changed = bytes(reversed((folder / "song.mp3").read_bytes()))
        (other / "new").write_bytes(changed)
        os.utime(other / "new", (1, 1_000_000_000))
        os.replace(other / "new", other / "a.mp3")
        # nginx checks the file once a second.
        time.sleep(1.2)
        equal(get(stage, server, "a.mp3", cache, "--revalidate", "always") == changed, True, "that the second is the new one")
        server.stop()
        equal(get(stage, server, "a.mp3", cache, "--revalidate", "always") == changed, True, "that it plays without the origin")
