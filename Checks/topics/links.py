# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Presigned URLs of S3: before their expiry, after it, and one after another during a slow play."""

import json
import random
import time
from concurrent.futures import ThreadPoolExecutor

from check_results import equal, expect
from clouds import User, digest, same
from servers.s3 import S3
from stage import media, web
from stage.stage import Stage
from stage.weir import parse_summary

DATA = random.Random(61).randbytes(900_000)
OTHER = random.Random(62).randbytes(900_000)


def run(results):
    with Stage("links") as stage:
        s3 = S3(stage)
        s3.put("song.bin", DATA)
        s3.put("empty.bin", b"")
        s3.put("a b/ü & #1?.bin", DATA[5:])
        given(results, stage, s3)
        fresh(results, stage, s3)
        changes(results, stage, s3)
        slowly(results, stage, s3)
        with results.check("no request for a presigned URL has an Authorization field"):
            equal([str(asked) for asked in s3.requests if asked.authorization], [], "requests")


def bytes_sent(s3):
    return sum(asked.sent for asked in s3.requests if asked.status in (200, 206))


def source(s3, key="{}", seconds=60, **more):
    """A configuration with a command that prints a URL; {} is the path, which begins with a slash."""
    script = s3.url_command(key, seconds)
    if key == "{}":
        # The stage's command needs the key without the slash.
        words = ["sh", "-c", 'key=$1; shift; exec "$1" "$2" "$3" "${key#/}" "$4"', "sh", "{}", *script[:3], script[4]]
    else:
        words = script
    lines = ["[sources.s3]", 'service = "http"', f"url-command = {json.dumps(words)}"]
    lines += [f"{name} = {json.dumps(value)}" for name, value in more.items()]
    return "\n".join(lines) + "\n"


def given(results, stage, s3):
    """Passes presigned URLs on the command line."""
    user = User(stage)
    with results.check("a valid presigned URL: get, exec and serve"):
        same(user.get(s3.presigned("song.bin", 60)), DATA)
        same(user.get(s3.presigned("a b/ü & #1?.bin", 60)), DATA[5:])
        same(user.get(s3.presigned("empty.bin", 60)), b"")
        done = user.run("exec", s3.presigned("song.bin", 60), "-q", "--", "curl", "-s", "{}")
        same(done.output, DATA)
    with results.check("another URL of the same object: no byte is requested") as check:
        before = bytes_sent(s3)
        same(user.get(s3.presigned("song.bin", 61)), DATA)
        equal(bytes_sent(s3), before, "the bytes that S3 sent")
        held = [url for url in user.held() if "song.bin" in url]
        equal(len(held), 1, "entries of the cache")
        check.figure = held[0]
    with results.check("an expired URL ends with 3 and a message without its query, and held bytes play") as check:
        url = s3.presigned("song.bin", 5)
        s3.set_clock(60)
        fresh_user = User(stage)
        check.figure = fresh_user.fails(3, "get", url, "-o", "-")
        expect("X-Amz" not in check.figure and "Signature" not in check.figure, f"the query is shown: {check.figure}")
        same(user.get(url), DATA, "the held bytes")
        s3.set_clock(0)
    with results.check("a URL with a wrong signature and a missing object end with 3, and no query is shown") as check:
        for url in (s3.presigned("song.bin", 60)[:-4] + "0000", s3.presigned("none.bin", 60), s3.url("song.bin")):
            check.figure = User(stage).fails(3, "get", url, "-o", "-")
            expect("X-Amz" not in check.figure, f"the query is shown: {check.figure}")


def fresh(results, stage, s3):
    """Uses a command that prints a new URL."""
    user = User(stage, source(s3))
    with results.check("url-command: get, ranges through serve, an unusual name and an empty object"):
        same(user.get("s3:/song.bin"), DATA)
        same(user.get("s3:/a b/ü & #1?.bin"), DATA[5:])
        same(user.get("s3:/empty.bin"), b"")
        serving = User(stage, source(s3)).serve()
        generator = random.Random(1)
        with web.Line(serving.bases["s3"]) as line:
            for _ in range(30):
                lower = generator.randrange(len(DATA))
                answer = line.ask("song.bin", {"Range": f"bytes={lower}-{lower + 9999}"})
                equal(digest(answer.body), digest(DATA[lower:lower + 10_000]), f"the SHA-256 of bytes {lower}…")
        serving.stop()
    with results.check("url-command: a second get, with a new URL, requests no byte; --offline runs no command"):
        before = bytes_sent(s3)
        s3.set_clock(600)
        same(user.get("s3:/song.bin", "--revalidate", "always"), DATA)
        equal(bytes_sent(s3), before, "the bytes that S3 sent")
        count = len(s3.fresh_urls())
        same(user.get("s3:/song.bin", "--offline"), DATA)
        equal(len(s3.fresh_urls()), count, "runs of the command")
        s3.set_clock(0)
    with results.check("url-command: a missing object ends with 3 and a message") as check:
        check.figure = user.fails(3, "get", "s3:/none.bin", "-o", "-")
        expect("X-Amz" not in check.figure, f"the query is shown: {check.figure}")
    with results.check("url-command: ls says that it cannot list a folder") as check:
        check.figure = user.fails((2, 3), "ls", "s3:/")
    with results.check("url-command with url-life: the command runs again only after that time") as check:
        user = User(stage, source(s3, **{"url-life": "2s"}))
        serving = user.serve()
        s3.settings.with_suffix(".log").unlink(missing_ok=True)
        start = time.monotonic()
        with web.Line(serving.bases["s3"]) as line:
            for number in range(50):
                lower = number * 17_000
                same(line.ask("song.bin", {"Range": f"bytes={lower}-{lower + 99}"}).body, DATA[lower:lower + 100])
                # Requests come in real time, as from a player.
                time.sleep(max(0, start + number * 0.1 - time.monotonic()))
        serving.stop()
        took = time.monotonic() - start
        runs = len(s3.fresh_urls())
        expect(2 <= runs <= took / 2 + 2, f"the command ran {runs} times in {took:.1f} s")
        check.figure = f"{runs} runs in {took:.1f} s"


def changes(results, stage, s3):
    """The object changes between two links."""
    with results.check("an object that changes between two runs is complete and never mixed"):
        s3.put("changing.bin", DATA)
        user = User(stage, source(s3))
        serving = user.serve()
        web.fetch(serving.bases["s3"] + "changing.bin", {"Range": "bytes=0-99999"})
        serving.stop()
        s3.put("changing.bin", OTHER)
        same(user.get("s3:/changing.bin", "--revalidate", "always"), OTHER)
    for heeds in (True, False):
        told = "with If-Range supported" if heeds else "with If-Range ignored, as moto does"
        with results.check(f"an object that changes during a play is never mixed, {told}") as check:
            s3.front.heeds_if_range = heeds
            s3.put("changing.bin", DATA)
            serving = User(stage, source(s3, seconds=2)).serve("--read-ahead", "64KiB")
            first = web.fetch(serving.bases["s3"] + "changing.bin", {"Range": "bytes=0-99999"})
            same(first.body, DATA[:100_000])
            s3.put("changing.bin", OTHER)
            seen = []
            for lower in range(600_000, 900_000, 50_000):
                answer = web.fetch(serving.bases["s3"] + "changing.bin", {"Range": f"bytes={lower}-{lower + 49_999}",
                                                                         "If-Range": first.headers.get("etag", "")})
                if answer.status == 206:
                    same(answer.body, DATA[lower:lower + 50_000], "a part under the first ETag")
                elif answer.status == 200:
                    same(answer.body, OTHER, "the new version")
                seen.append(answer.status)
            same(web.fetch(serving.bases["s3"] + "changing.bin").body, OTHER, "the whole object, afterwards")
            serving.stop()
            s3.front.heeds_if_range = False
            check.figure = ", ".join(map(str, seen))


def slowly(results, stage, s3):
    """Uses URLs of 5 s, whose bodies end at their expiry, with a slow get and two readers that seek."""
    seconds = 600 if results.is_long else 24
    size = seconds * 400_000
    big = random.Random(63).randbytes(size)
    s3.put("big.bin", big)
    s3.front.cuts_at_expiry = True
    s3.front.rate = 600_000
    with results.check("URLs of 5 s, a slow get and two seeking readers: every byte is right and fetched once") as check:
        user = User(stage, source(s3, "big.bin", 5))
        other = User(stage, source(s3, "big.bin", 5))
        serving = other.serve("--read-ahead", "64KiB")
        s3.settings.with_suffix(".log").unlink(missing_ok=True)
        start = time.monotonic()

        def reader(seed):
            order = list(range(0, size, 100_000))
            random.Random(seed).shuffle(order)
            with web.Line(serving.bases["s3"]) as line:
                for number, lower in enumerate(order):
                    answer = line.ask("big.bin", {"Range": f"bytes={lower}-{lower + 99_999}"})
                    same(answer.body, big[lower:lower + 100_000], f"the bytes at {lower}, status {answer.status},")
                    # Players wait for their clock.
                    time.sleep(max(0, start + seconds * (number + 1) / len(order) - time.monotonic()))

        with ThreadPoolExecutor(3) as pool:
            target = user.home / "big.bin"
            getting = pool.submit(user.works, "get", "s3:/big.bin", "-o", target, "-q", "--limit-rate", "400kB",
                                  limit=5 * seconds)
            for future in [pool.submit(reader, seed) for seed in (1, 2)]:
                future.result()
            getting.result()
        equal(media.digest(target), digest(big), "the SHA-256 of get's file")
        serving.stop()
        received = parse_summary(serving.log).origin_bytes
        expect(received <= 1.01 * size, f"{received} bytes came, for {size}")
        refused = sum(asked.status == 403 for asked in s3.requests if "big.bin" in asked.target)
        runs = len(s3.fresh_urls())
        took = time.monotonic() - start
        expect(runs <= 2 * took / 3 + 4, f"the command ran {runs} times")
        check.figure = (f"{took:.0f} s, {runs} URLs, {refused} refused, {sum(asked.was_cut for asked in s3.requests)} cut, "
                        f"{received / size:.3f} of the bytes")
    s3.front.cuts_at_expiry = False
    s3.front.rate = None
