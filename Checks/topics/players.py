# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Players read media through Weir from an origin that needs a token, and then again without the origin."""

import random

from check_results import equal, expect
from stage import media, players, web
from stage.nginx import Nginx
from stage.stage import Stage
from stage.weir import Weir, cached, is_whole

TOKEN = "players-token-7c21"
SEEK, SECONDS = 27, 5


def run(results):
    folder = media.folder()
    with Stage("players") as stage:
        nginx = Nginx(stage, folder, token=TOKEN)
        expected = Expected(stage, folder)
        weir = Weir(stage, nginx.base, header=nginx.header)
        random_ranges(results, stage, folder, nginx)
        play_all(results, stage, weir, expected, "")
        with results.check("afterwards every file is complete in the cache") as check:
            held = cached(stage, weir.cache)
            for name in media.MEDIA:
                expect(is_whole(held.get(name)), f"of {name} only {held.get(name)} is held")
            check.figure = f"{sum(entry['heldBytes'] for entry in held.values()) / 1e6:.1f} MB"
        equal(weir.stop(), 0, "weir's exit status")
        nginx.stop()
        weir = Weir(stage, nginx.base, cache=weir.cache, header=nginx.header)
        play_all(results, stage, weir, expected, ", without the origin")
        ranges(results, weir, folder, 125, ", without the origin")
        with results.check("weir did not try to connect to the origin") as check:
            equal(weir.asks(), [], "the requests to the origin")
            weir.stop()
            summary = weir.summary()
            equal((summary.origin, summary.origin_bytes), (0, 0), "requests and bytes from the origin")
            check.figure = f"{summary.asked} requests answered"


class Expected:
    """The results of the players with the files themselves."""

    def __init__(self, stage, folder):
        environment = stage.environment
        self.digests = {name: media.digest(folder / name) for name in media.MEDIA}
        self.mpv, self.ffmpeg = {}, {}
        for name in media.MEDIA:
            path = folder / name
            self.mpv[name] = (
                players.decoded_by_mpv(path, environment, stage.folder),
                players.decoded_by_mpv(path, environment, stage.folder, SEEK, SECONDS),
            )
            self.ffmpeg[name] = (
                players.decoded_by_ffmpeg(path, environment),
                players.decoded_by_ffmpeg(path, environment, SEEK, SECONDS),
            )


def play_all(results, stage, weir, expected, when):
    environment = stage.environment
    with results.check(f"ffmpeg decodes all kinds from the start and after a seek{when}") as check:
        for name in media.MEDIA:
            url = weir.url(name)
            # The seek comes first, so that it meets a cold cache.
            seen = players.decoded_by_ffmpeg(url, environment, SEEK, SECONDS)
            equal(seen, expected.ffmpeg[name][1], f"{name} after a seek")
            equal(players.decoded_by_ffmpeg(url, environment), expected.ffmpeg[name][0], name)
        check.figure = f"{len(media.MEDIA)} files"
    with results.check(f"mpv plays all kinds from the start and after a seek{when}") as check:
        for name in media.MEDIA:
            url = weir.url(name)
            seen = players.decoded_by_mpv(url, environment, stage.folder, SEEK, SECONDS)
            equal(seen, expected.mpv[name][1], f"{name} after a seek")
            equal(players.decoded_by_mpv(url, environment, stage.folder), expected.mpv[name][0], name)
        check.figure = f"{len(media.MEDIA)} files"
    with results.check(f"curl reads each file completely and from the middle, with equal SHA-256{when}") as check:
        for name in media.MEDIA:
            equal(players.read_by_curl(weir.url(name), environment), expected.digests[name], f"SHA-256 of {name}")
            pieces = players.run(["curl", "-sS", "--fail", "-r", "100000-", weir.url(name)], environment)
            expect(pieces == (media.folder() / name).read_bytes()[100_000:], f"{name} from the middle differs")
        check.figure = f"{len(media.MEDIA)} files"
    with results.check(f"the media type comes from the bytes, not from the origin{when}"):
        for name, kind in media.MEDIA.items():
            answer = web.fetch(weir.url(name), method="HEAD")
            equal(answer.headers.get("content-type"), kind, f"the type of {name}")


def random_ranges(results, stage, folder, nginx):
    """Requests random ranges with an empty cache, so that the ranges meet holes of every shape."""
    weir = Weir(stage, nginx.base, header=nginx.header)
    ranges(results, weir, folder, 2500 if results.is_long else 130, ", the cache empty at first")
    weir.stop()


def ranges(results, weir, folder, count, when):
    seed = random.randrange(1 << 32)
    names = list(media.MEDIA)
    with results.check(f"{count * len(names)} random ranges have the file's bytes{when}") as check:
        generator = random.Random(seed)
        files = {name: (folder / name).read_bytes() for name in names}
        tags = {}
        with web.Line(weir.base) as line:
            for number in range(count * len(names)):
                name = generator.choice(names)
                field, lower, upper = a_range(generator, len(files[name]))
                answer = line.ask(name, {"Range": field})
                what = f"{field} of {name}, number {number} of seed {seed},"
                equal(answer.status, 206, f"the status for {what}")
                told = answer.headers.get("content-range")
                equal(told, f"bytes {lower}-{upper - 1}/{len(files[name])}", f"Content-Range for {what}")
                equal(answer.headers.get("content-length"), str(upper - lower), f"Content-Length for {what}")
                tag = answer.headers.get("etag", "")
                expect(tag.startswith('"'), f"the ETag for {what} is not strong: {tag!r}")
                equal(tags.setdefault(name, tag), tag, f"the ETag for {what}")
                expect(answer.body == files[name][lower:upper], f"the bytes for {what} differ")
        check.figure = f"seed {seed}"


def a_range(generator, length):
    """A Range field and its bounds."""
    lower = generator.randrange(length)
    size = min(length - lower, int(2 ** generator.uniform(0, 18)))
    match generator.randrange(10):
        case 0:
            suffix = min(length, size)
            return f"bytes=-{suffix}", length - suffix, length
        case 1 if length - lower < 1 << 19:
            return f"bytes={lower}-", lower, length
        case 2:
            # An end behind the file's end means the file's end.
            lower = max(lower, length - (1 << 16))
            return f"bytes={lower}-{length + size}", lower, length
        case _:
            return f"bytes={lower}-{lower + size - 1}", lower, lower + size
