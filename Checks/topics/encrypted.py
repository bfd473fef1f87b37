# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Encrypted media: five players, cold, over a narrow line; openssl and age; wrong keys; no plain bytes on the disk."""

import os
import random
from concurrent.futures import ThreadPoolExecutor

import rig
import sealed as seals
import speech
from check_results import Skipped, equal, expect
from stage import media, players, web
from stage.origin import Origin, content
from stage.stage import Stage
from stage.weir import Weir, cached, command
from topics.players import a_range

SECONDS = 75
PLAN = rig.Plan(start=2, seeks=(68, 12), after=1)
# A stored chunk of age: 64 KiB and a tag.
CHUNK = (64 << 10) + 16
NAME = "film.bin"


def run(results):
    with Stage("encrypted") as stage:
        film = Film(stage)
        main = [
            seals.by_openssl(stage, "ctr", "ctr", 256, film.path),
            seals.by_openssl(stage, "cbc", "cbc", 128, film.path, form="base64"),
            seals.by_age(stage, "age", film.path),
        ]
        others = [
            seals.by_openssl(stage, "ctr-prefixed", "ctr", 192, film.path, form="raw", is_prefixed=True),
            seals.by_openssl(stage, "cbc-prefixed", "cbc", 256, film.path, is_prefixed=True, is_in_environment=True),
            seals.by_openssl(stage, "ecb", "ecb", 128, film.path),
            seals.by_passphrase(stage, "cbc-passphrase", film.path),
            seals.by_age_passphrase(stage, "age-passphrase", film.path),
        ]
        origin = Origin(stage, {f"/{each.name}/{NAME}": content(each.data, f'"{each.name}"') for each in main + others})
        origin.routes[f"/plain/{NAME}"] = content(film.data)
        plays(results, stage, film, origin, main)
        for each in main + others:
            whole(results, stage, film, origin, each)
        for each in main:
            ranges(results, stage, film, origin, each)
        wrong_keys(results, stage, film, origin, main)
        damage(results, stage, film, origin, main[-1])
        secrets = sealing(results, stage, film)
        nothing_lies_about(results, stage, secrets + [secret for each in main + others for secret in each.secrets])


class Film:
    """A film with its index at the end, in which no two pieces are equal."""

    def __init__(self, stage):
        self.path = stage.folder / "film.mp4"
        sound = "anoisesrc=color=pink:amplitude=0.3:seed=7:sample_rate=44100"
        words = ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=size=320x180:rate=25:d={SECONDS}"]
        words += ["-f", "lavfi", "-i", f"{sound}:d={SECONDS}", "-c:v", "libx264", "-preset", "veryfast"]
        words += ["-b:v", "450k", "-maxrate", "600k", "-bufsize", "1M", "-pix_fmt", "yuv420p", "-g", "50"]
        players.run([*words, "-c:a", "aac", "-b:a", "96k", self.path], stage.environment)
        self.data = self.path.read_bytes()
        self.digest = media.digest(self.path)
        self.media = self.data.index(b"mdat")
        index = self.data.rindex(b"moov")
        expect(self.media < 100 and index > len(self.data) * 0.9, f"the index of the film is at {index}")
        self.pieces = seals.pieces(self.data[:index], self.media + 8)
        expect(len(self.pieces) > 500, f"the film has only {len(self.pieces)} pieces to look for")
        # Three times the film's bit rate, for all connections together.
        self.line = 3 * len(self.data) / SECONDS


def plays(results, stage, film, origin, main):
    """Plays each encrypted film in every player, each with its own line and cache; the players run at the same time."""
    there = {name: make(stage) for name, make in rig.PLAYERS.items() if rig.absence(name) is None}
    with ThreadPoolExecutor(len(rig.PLAYERS)) as pool:
        plain = {name: pool.submit(one.play, f"{origin.base}plain/{NAME}", PLAN) for name, one in there.items()}
        for each in main:
            links, weirs, seen = {}, {}, {}
            for name, one in there.items():
                links[name] = rig.Link(film.line)
                path = f"line/{name}/{each.name}/"
                origin.routes[f"/{path}{NAME}"] = links[name].route(each.data, f'"{each.name}"')
                weirs[name] = Weir(stage, origin.base + path, *each.words(stage.folder))
                seen[name] = pool.submit(one.play, weirs[name].url(NAME), PLAN)
            for name in rig.PLAYERS:
                with results.check(f"{name} plays {each.scheme} from the start, seeks forward and back") as check:
                    if name not in there:
                        raise Skipped(rig.absence(name))
                    played = seen[name].result()
                    equal(rig.faults(played, PLAN, SECONDS), [], "the faults of the play")
                    expect(played.same_as(plain[name].result()), f"it showed other pictures: {played.facts()}")
                    check.figure = f"{told(played)}; {links[name].sent / 1e6:.1f} of {len(each.data) / 1e6:.1f} MB sent"
            for name, weir in weirs.items():
                weir.stop()
            on_disk(results, stage, film, each, weirs)


def told(played):
    seeks = ", ".join(f"{step.seconds:.1f}" for step in played.steps)
    return f"{played.opening:.1f} s to open, {seeks} s to seek"


def on_disk(results, stage, film, each, weirs):
    with results.check(f"the caches of {each.scheme} have the encrypted bytes, and none of the film's") as check:
        stored, count, total = seals.pieces(each.data), 0, 0
        for name, weir in weirs.items():
            data = seals.held(weir.cache)
            plain = sum(piece in data for piece in film.pieces)
            equal(plain, 0, f"the count of the film's pieces in the cache of {name}")
            found = sum(piece in data for piece in stored)
            size = cached(stage, weir.cache)[NAME]["heldBytes"]
            # The end of the held bytes may cut a piece.
            expect(found * seals.STEP > size * 0.9 - 100_000, f"{name} holds {size} bytes, {found} pieces of them")
            expect(found > 20, f"the cache of {name} holds only {found} pieces of the stored file")
            count, total = count + found, total + size
        check.figure = (
            f"{count} stored pieces in {total / 1e6:.1f} MB, none of {len(film.pieces)} plain ones, {len(weirs)} caches"
        )


def whole(results, stage, film, origin, each):
    source = f"{origin.base}{each.name}/"
    words = each.words(stage.folder)
    environment = each.environment(stage)
    with results.check(f"{each.name}: get and the proxy give the whole file, as video/mp4") as check:
        target = stage.new_folder("target") / "film.mp4"
        cache = stage.new_folder("cache")
        done = command(
            stage, "get", source + NAME, "-o", target, *words, "--cache", cache, "--verbose", environment=environment
        )
        equal(done.returncode, 0, f"the exit status, with {done.stderr.decode().strip()!r},")
        equal(media.digest(target), film.digest, "the SHA-256")
        data = seals.held(cache)
        equal(sum(piece in data for piece in film.pieces[::16]), 0, "plain pieces in the cache of get")
        weir = Weir(stage, source, *words, environment=environment)
        equal(players.read_by_curl(weir.url(NAME), stage.environment), film.digest, "the SHA-256 through the proxy")
        answer = web.fetch(weir.url(NAME), method="HEAD")
        equal(answer.headers.get("content-type"), "video/mp4", "the type")
        equal(answer.headers.get("content-length"), str(len(film.data)), "the length")
        weir.stop()
        check.figure = f"{len(each.data)} bytes stored, {len(film.data)} plain"


def ranges(results, stage, film, origin, each):
    seed, count = random.randrange(1 << 32), 1500 if results.is_long else 150
    with results.check(f"{count} random ranges of {each.scheme} are the film's bytes, from an empty cache") as check:
        generator = random.Random(seed)
        weir = Weir(stage, f"{origin.base}{each.name}/", *each.words(stage.folder))
        with web.Line(weir.base) as line:
            for number in range(count):
                asked, lower, upper = a_range(generator, len(film.data))
                answer = line.ask(NAME, {"Range": asked})
                what = f"{asked}, number {number} of seed {seed},"
                equal(answer.status, 206, f"the status for {what}")
                told = answer.headers.get("content-range")
                equal(told, f"bytes {lower}-{upper - 1}/{len(film.data)}", f"Content-Range for {what}")
                expect(answer.body == film.data[lower:upper], f"the bytes for {what} differ")
        weir.stop()
        check.figure = f"seed {seed}"


def wrong_keys(results, stage, film, origin, main):
    ctr, cbc, age = main
    with results.check("age, a wrong identity: get ends with 6 and writes no file; the proxy sends no media") as check:
        other = seals.identity(stage)[0]
        done = got(stage, origin, age, other)
        check.figure = refused(done)
        equal(done.stdout, b"", "the written bytes")
        weir = Weir(stage, f"{origin.base}{age.name}/", *age.words(stage.folder, other))
        answer = web.fetch(weir.url(NAME))
        expect(answer.status >= 400, f"the proxy answers {answer.status} with {len(answer.body)} bytes")
        weir.stop()
    with results.check("aes-cbc, a wrong key: get ends with 6, and openssl fails too") as check:
        vector = bytes.fromhex(cbc.options[-1])
        stored = stage.folder / "cbc.stored"
        stored.write_bytes(cbc.data)
        while True:
            # With one wrong key in 256, the padding looks right. Neither openssl nor any other program can detect such
            # a key.
            key = os.urandom(16)
            if seals.opened_by_openssl(stage, cbc.scheme, key, vector, stored) is None:
                break
        check.figure = refused(got(stage, origin, cbc, key.hex().encode()))
    with results.check("aes-ctr, a wrong key, which the file cannot reveal: weir warns") as check:
        done = got(stage, origin, ctr, os.urandom(32).hex().encode(), options=())
        lines = [line for line in done.stderr.decode().splitlines() if line.startswith("warning: ")]
        warnings = [line for line in lines if "key" in line and "may be wrong" in line]
        expect(len(warnings) == 1, f"standard error says {done.stderr.decode()!r}")
        speech.check(warnings[0].removeprefix("warning: "))
        check.figure = f"{warnings[0]} (status {done.returncode})"


def got(stage, origin, each, key=None, name=None, options=("--quiet",)):
    """Runs `weir get` to standard output."""
    words = each.words(stage.folder, key)
    url = f"{origin.base}{name or each.name}/{NAME}"
    return command(stage, "get", url, "-o", "-", *words, "--cache", stage.new_folder("cache"), *options)


def refused(done):
    """The message of a get that ended with 6."""
    equal(done.returncode, 6, f"the exit status, with {done.stderr.decode().strip()!r},")
    return speech.sentence(done.stderr.decode())


def damage(results, stage, film, origin, age):
    """age detects every flipped bit and cut; the place of the damage decides how much Weir may write before."""
    data = age.data
    payload = data.index(b"\n--- ") + 5
    payload = data.index(b"\n", payload) + 1 + 16
    middle = payload + (len(data) - payload) // CHUNK // 2 * CHUNK
    flips = {
        "a flipped bit in the header": (data.index(b"\n-> X25519") + 20, 0),
        "a flipped bit in the header's MAC": (payload - 16 - 10, 0),
        "a flipped bit in the nonce": (payload - 5, 0),
        "a flipped bit in the first chunk": (payload + 1000, 0),
        "a flipped bit in a chunk in the middle": (middle + 5000, (middle - payload) // CHUNK * (64 << 10)),
        "a flipped bit in the last tag": (len(data) - 3, (len(data) - payload) // CHUNK * (64 << 10)),
    }
    cuts = {
        "the last chunk missing": payload + (len(data) - payload) // CHUNK * CHUNK,
        "a part of the last chunk missing": len(data) - 7,
        "cut in the middle of a chunk": middle + 777,
        "cut in the header": payload // 2,
    }
    damaged = {}
    for what, (at, right) in flips.items():
        # The lowest bit of a Base64 letter may be padding; this bit is not.
        damaged[what] = (data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :], right)
    for what, length in cuts.items():
        damaged[what] = (data[:length], max(0, length - payload) // CHUNK * (64 << 10))
    for number, (what, (stored, right)) in enumerate(damaged.items()):
        with results.check(f"age, {what}: get ends with 6 and writes no wrong byte") as check:
            name = f"damaged-{number}"
            origin.routes[f"/{name}/{NAME}"] = content(stored, f'"{name}"')
            done = got(stage, origin, age, name=name)
            sentence = refused(done)
            written = len(done.stdout)
            expect(film.data.startswith(done.stdout), f"{written} bytes were written, some of them wrong")
            expect(written <= right, f"{written} bytes were written, where only {right} could be verified")
            target = stage.new_folder("target")
            words = ("-o", target / "film.mp4", *age.words(stage.folder), "--cache", stage.new_folder("cache"))
            equal(command(stage, "get", f"{origin.base}{name}/{NAME}", *words).returncode, 6, "the status with a file")
            equal(list(target.iterdir()), [], "the remaining files of the download")
            check.figure = f"{written} bytes before; {sentence}"
    with results.check("age, a flipped bit in the middle: the proxy ends the answer there") as check:
        weir = Weir(stage, f"{origin.base}damaged-4/", *age.words(stage.folder))
        download = web.Download(weir.url(NAME))
        body = b""
        try:
            while piece := download.read(1 << 18):
                body += piece
        except (OSError, web.http.client.HTTPException):
            # Weir may break off the answer before its promised end.
            pass
        download.leave()
        expect(film.data.startswith(body) and len(body) < len(film.data), f"{len(body)} bytes arrived, or wrong ones")
        weir.stop()
        check.figure = f"{len(body)} of {len(film.data)} bytes"


def sealing(results, stage, film):
    """The tools for each format open the files that `weir seal` writes; returns the secrets."""
    keys = {bits: os.urandom(bits // 8) for bits in (128, 256)}
    identity, recipient, secret = seals.identity(stage)
    phrase = "sealed with " + os.urandom(9).hex()
    cases = [
        ("aes-ctr", "a key", keys[256].hex().encode(), []),
        ("aes-cbc", "a key", keys[128].hex().encode(), []),
        ("age", "an identity", identity, []),
        ("age", "a recipient", identity, ["--recipient", recipient]),
        ("age", "a passphrase", phrase.encode(), []),
    ]
    for number, (scheme, kind, key, recipients) in enumerate(cases):
        program, opened = ("age", opened_by_age) if scheme == "age" else ("openssl", opened_by_openssl)
        with results.check(f"weir seal --for {scheme} with {kind}: {program} and weir get decrypt it") as check:
            file, target = stage.folder / f"seal-{number}.key", stage.folder / f"seal-{number}.bin"
            file.write_bytes(key + b"\n")
            file.chmod(0o600)
            by_key = ["--key-file", file]
            words = ("seal", film.path, "--for", scheme, "-o", target)
            done = command(stage, *words, *(recipients or by_key), "--verbose")
            equal(done.returncode, 0, f"the exit status, with {done.stderr.decode().strip()!r},")
            expect(opened(stage, scheme, target, key) == film.data, f"{program} gives other bytes")
            sealed = target.read_bytes()
            equal(sum(piece in sealed for piece in film.pieces[::16]), 0, "plain pieces in the sealed file")
            origin = Origin(stage, {f"/{NAME}": content(sealed)})
            cache = ["--cache", stage.new_folder("cache")]
            done = command(stage, "get", origin.base + NAME, "-o", "-", "--decrypt", scheme, *by_key, *cache)
            expect(done.stdout == film.data, f"weir get gives other bytes: {done.stderr.decode().strip()!r}")
            done = command(stage, *words, *(recipients or by_key))
            expect(done.returncode != 0 and target.read_bytes() == sealed, "it replaced a file without --force")
            done = command(stage, *words, *(recipients or by_key), "--force")
            expect(done.returncode == 0 and target.read_bytes()[-4096:] != sealed[-4096:], "the same bytes came twice")
            check.figure = f"{len(film.data)} bytes plain, {len(sealed)} sealed"
    return [*keys.values(), secret.encode(), seals.bech32_bytes(secret), phrase.encode()]


def opened_by_openssl(stage, scheme, path, key):
    """Decrypts a sealed file with openssl; the first 16 bytes are the initialization vector."""
    data = path.read_bytes()
    body = path.with_suffix(".body")
    body.write_bytes(data[16:])
    return seals.opened_by_openssl(stage, scheme, bytes.fromhex(key.decode()), data[:16], body)


def opened_by_age(stage, scheme, path, key):
    if b"AGE-SECRET-KEY-1" in key:
        return players.run(["age", "-d", "-i", path.with_suffix(".key"), path], stage.environment)
    plain = path.with_suffix(".plain")
    seals.at_terminal(["age", "-d", "-o", plain, path], [key.decode()], stage.environment)
    return plain.read_bytes()


def nothing_lies_about(results, stage, secrets):
    with results.check("no log, message or cache file has a key or passphrase, in any encoding") as check:
        logs = [path for path in stage.logs() if path.stat().st_size]
        caches = sorted(stage.folder.glob("cache-*"))
        texts = {str(path.name): path.read_bytes() for path in logs}
        texts |= {path.name: seals.held(path) for path in caches}
        forms = {form for secret in secrets for form in seals.forms(secret)}
        for where, text in texts.items():
            equal(sum(form in text for form in forms), 0, f"the count of secrets in {where}")
        expect(len(logs) > 10 and len(caches) > 10, f"there are {len(logs)} logs and {len(caches)} caches")
        check.figure = f"{len(forms)} encodings of {len(secrets)} secrets, {len(logs)} logs, {len(caches)} caches"
