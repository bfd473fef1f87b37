# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Unusual servers: unrequested compression, Digest authentication, growing files, outages, and odd playlists.

The playlists have odd media types and names. Other servers have long chains of redirects, or lengths that no file
has."""

import gzip
import random
import shutil
import subprocess
from urllib.parse import quote

import samples
import speech
from check_results import equal, expect
from clouds import User
from servers.apache_dav import ApacheDAV
from stage import media, origin, waiting, web
from stage.nginx import Nginx
from stage.origin import Origin
from stage.stage import Stage
from stage.weir import Weir, command


def run(results):
    with Stage("others") as stage:
        packed(results, stage)
        digest(results, stage)
        grows(results, stage)
        away(results, stage)
        lists(results, stage)
        chains(results, stage)
        lengths(results, stage)


def curl(stage, *words):
    """The bytes that curl reads."""
    done = subprocess.run(
        [shutil.which("curl"), "-sS", "--fail", *map(str, words)], capture_output=True, env=stage.environment, timeout=60
    )
    equal(done.returncode, 0, f"curl's exit status, with {done.stderr!r},")
    return done.stdout


def packed(results, stage):
    song = (media.folder() / "song.mp3").read_bytes()
    folder = stage.new_folder("packed")
    (folder / "song.mp3.gz").write_bytes(gzip.compress(song))
    (folder / "cut.mp3.gz").write_bytes(gzip.compress(song)[:-1000])
    nginx = Nginx(stage, folder, more="gzip_static always;")
    plain = Nginx(stage, folder, more="add_header Content-Encoding gzip;")
    weir = Weir(stage, nginx.base)
    with results.check("unrequested gzip is removed, and a range of the held bytes comes from the cache"):
        expect(web.fetch(nginx.base + "song.mp3").body[:2] == b"\x1f\x8b", "nginx does not compress it")
        # The length is unknown until the end of the answer, so Weir can send only the whole file.
        expect(curl(stage, "-r", "1000-1999", weir.url("song.mp3")) == song, "the whole file instead of a range differs")
        asked = len(nginx.settled().requests())
        expect(curl(stage, weir.url("song.mp3")) == song, "the held bytes differ")
        expect(curl(stage, "-r", "1000-1999", weir.url("song.mp3")) == song[1000:2000], "the range differs")
        equal(len(nginx.settled().requests()), asked, "the number of requests")
    with results.check("truncated gzip is an error with a message, not an end"):
        said = User(stage).fails(6, "get", nginx.base + "cut.mp3", "-o", stage.folder / "cut.mp3")
        expect("gzip that ends too early" in said, f"it says {said!r}")
    with results.check("a gzip file stays compressed, with its length and ranges"):
        weir = Weir(stage, plain.base)
        data = (folder / "song.mp3.gz").read_bytes()
        expect(curl(stage, "-r", "500-999", weir.url("song.mp3.gz")) == data[500:1000], "the range differs")
        expect(curl(stage, weir.url("song.mp3.gz")) == data, "the whole file differs")


def digest(results, stage):
    folder = stage.new_folder("digest")
    shutil.copy(media.folder() / "song.mp3", folder)
    song = (folder / "song.mp3").read_bytes()
    apache = ApacheDAV(stage, folder)
    user, password = quote(apache.user), quote(apache.password, safe="")
    address = apache.base.replace("//", f"//{user}:{password}@") + "digest/song.mp3"
    with results.check("weir sends a URL's user and password as Digest if Apache asks for it"):
        expect(User(stage).get(address) == song, "the bytes differ")
        sent = ["".join(asked.all("Authorization")).strip().partition(" ")[0] for asked in apache.requests]
        equal(sent[:2], ["Basic", "Digest"], "the schemes that it sends")
    with results.check("weir reports a wrong password after one answer to the challenge"):
        before = len(apache.requests)
        User(stage).fails(3, "get", address.replace(password, "wrong"), "-o", stage.folder / "wrong.mp3")
        equal(len(apache.requests) - before, 2, "the number of requests")


def grows(results, stage):
    folder = stage.new_folder("grows")
    song = (media.folder() / "song.mp3").read_bytes()
    half = len(song) // 2
    file = folder / "song.mp3"
    file.write_bytes(song[:half])
    nginx = Nginx(stage, folder)
    weir = Weir(stage, nginx.base)
    with results.check("bytes behind the held end of a grown file are read at once"):
        expect(curl(stage, weir.url("song.mp3")) == song[:half], "the first half differs")
        file.write_bytes(song)
        # nginx caches the file's metadata for a second.
        waiting.until(lambda: web.fetch(nginx.base + "song.mp3", method="HEAD").headers["content-length"] == str(len(song)),
                      10, "nginx's new length")
        expect(curl(stage, "-r", f"{half}-", weir.url("song.mp3")) == song[half:], "the second half differs")
        expect(curl(stage, weir.url("song.mp3")) == song, "the whole file differs")


def away(results, stage):
    folder = stage.new_folder("away")
    shutil.copy(media.folder() / "song.mp3", folder)
    nginx = Nginx(stage, folder)
    nginx.stop()
    target = stage.folder / "away.mp3"
    with results.check("with --retry-for 0s weir reports an unreachable origin at once"):
        User(stage).fails(4, "get", nginx.base + "song.mp3", "-o", target, "--retry-for", "0s")
    with results.check("with --retry-for an answer waits for an unreachable origin, and gets the file"):
        getting = User(stage).start("get", nginx.base + "song.mp3", "-o", target, "--retry-for", "60s", "-v")
        # Without the option, there are only three tries.
        waiting.until(lambda: getting.error.count("trying again") > 3, 30, "the fourth try")
        Nginx(stage, folder, port=nginx.port)
        waiting.until(lambda: not getting.is_alive(), 30, "the end of get")
        equal(getting.poll(), 0, f"the exit status, with {getting.error[-300:]!r},")
        equal(media.digest(target), media.digest(folder / "song.mp3"), "its SHA-256")


def sent(body, **fields):
    """A route that answers 200 with the given fields."""
    return lambda handler: handler.answer(200, body, **fields)


def lists(results, stage):
    song = (media.folder() / "song.mp3").read_bytes()
    server = Origin(stage, {"/song.mp3": origin.content(song)})
    address = f"{server.base}song.mp3"
    texts = {
        "M3U": f"#EXTM3U\n#EXTINF:5,A song\n{address}\n",
        "M3U without its first line": f"{address}\n",
        "PLS": f"[playlist]\nFile1={address}\nLength1=5\n",
        "ASX": f'<ASX version="3.0"><Entry><Ref href="{address}"/></Entry></ASX>\n',
        "ASX without XML": f"[Reference]\r\nRef1={address}\r\n",
        "XSPF": f"<?xml version='1.0'?><playlist><trackList><track><location>{address}</location></track></trackList></playlist>",
    }
    types = ["application/octet-stream", "audio/mpeg", "text/html", "text/plain", "audio/x-pn-realaudio"]
    whole = samples.decoded(media.folder() / "song.mp3")
    with results.check("a URL that answers with a playlist is followed, whatever its name and type are") as check:
        count = 0
        for kind, text in texts.items():
            for number, media_type in enumerate(types):
                path = f"/{'list' if number % 2 else 'list.mp3'}?{count}"
                server.routes[path.partition("?")[0]] = sent(text.encode(), Content_Type=media_type)
                file = stage.folder / f"list-{count}.wav"
                done = command(stage, "play", server.base + path[1:], "--sink", f"wav:{file}", "--quiet", "--cache",
                               stage.new_folder("cache"))
                equal(done.returncode, 0, f"the exit status of {kind} as {media_type}, with {done.stderr.decode()!r},")
                expect(samples.read_wave(file).data == whole, f"{kind} as {media_type}: the samples differ")
                count += 1
        check.figure = f"{count} lists"
    with results.check("get -r and inspect also follow it; errors name a page and a text as such") as check:
        server.routes["/list"] = sent(texts["ASX without XML"].encode(), Content_Type="text/html")
        folder = stage.new_folder("got")
        done = command(stage, "get", "-r", server.base + "list", "-o", folder, "--cache", stage.new_folder("cache"))
        equal(done.returncode, 0, f"the exit status of get -r, with {done.stderr.decode()!r},")
        expect((folder / "song.mp3").read_bytes() == song, "the file differs")
        done = command(stage, "inspect", server.base + "list", "--cache", stage.new_folder("cache"))
        expect(b"ASX, 1 entry" in done.stdout, f"inspect says {done.stdout!r}")
        server.routes["/text"] = sent(b"Please sign in.", Content_Type="text/html")
        server.routes["/page"] = origin.page()
        for name, words in (("text", "plain text"), ("page", "an HTML page")):
            said = User(stage).fails(6, "get", server.base + name, "-o", stage.folder / name)
            expect(words in said, f"it says {said!r}")
    with results.check("a playlist that contains itself ends with 6 and a message") as check:
        server.routes["/self.m3u"] = sent(b"#EXTM3U\nself.m3u\n", Content_Type="audio/x-mpegurl")
        done = command(stage, "play", server.base + "self.m3u", "--sink", "null", "--quiet", "--cache",
                       stage.new_folder("cache"))
        equal(done.returncode, 6, "the exit status")
        check.figure = speech.sentence(done.stderr.decode(), 6)


def chains(results, stage):
    song = (media.folder() / "song.mp3").read_bytes()
    server = Origin(stage, {"/song.mp3": origin.content(song), "/round": origin.redirect("/and-round")})
    server.routes["/and-round"] = origin.redirect("/round")
    for length in (12, 20, 21):
        for number in range(length):
            target = "/song.mp3" if number + 1 == length else f"/{length}-{number + 1}"
            server.routes[f"/{length}-{number}"] = origin.redirect(target)
    with results.check("a chain of 20 redirects is followed") as check:
        for length in (12, 20):
            expect(User(stage).get(f"{server.base}{length}-0") == song, f"the bytes behind {length} redirects differ")
    with results.check("a longer chain is reported with its first and last address, after one attempt") as check:
        done = command(stage, "play", f"{server.base}21-0", "--sink", "null", "--quiet", "--cache", stage.new_folder("cache"))
        equal(done.returncode, 6, "the exit status")
        check.figure = speech.sentence(done.stderr.decode(), 6)
        expect("21-0 redirects more than 20 times" in check.figure, "the first address is not in it")
        expect("circle" not in check.figure, "the chain is not a loop")
        asked = sum(len(server.asked_for(f"/21-{number}")) for number in range(21))
        equal(asked, 21, "the number of requests")
    with results.check("a redirect loop is reported as one") as check:
        done = command(stage, "play", f"{server.base}round", "--sink", "null", "--quiet", "--cache", stage.new_folder("cache"))
        equal(done.returncode, 6, "the exit status")
        check.figure = speech.sentence(done.stderr.decode(), 6)
        expect("circle" in check.figure, "it does not say so")
        equal(len(server.asked_for("/round")) + len(server.asked_for("/and-round")), 2, "the number of requests")


def lengths(results, stage):
    song = (media.folder() / "song.mp3").read_bytes()
    whole = samples.decoded(media.folder() / "song.mp3")
    for length in ("9223372036854775807", "18446744073709551615", "-1"):
        with results.check(f"Content-Length: {length} is an unknown length") as check:
            server = Origin(stage, {"/song.mp3": unending(song, length, None),
                                    "/part.mp3": unending(song, length, f"bytes 0-{length}/{length}")})
            for name in ("song.mp3", "part.mp3"):
                file = stage.folder / f"{random.randbytes(4).hex()}.wav"
                done = command(stage, "play", server.base + name, "--sink", f"wav:{file}", "--quiet", "--cache",
                               stage.new_folder("cache"))
                equal(done.returncode, 0, f"the exit status, with {done.stderr.decode()!r},")
                expect(samples.read_wave(file).data == whole, "the samples differ")


def unending(data, length, part):
    """A route that states a length which no file has, and in the answer to a range request also the range `part`."""

    def route(handler):
        code = 206 if part and handler.headers["Range"] else 200
        handler.send_response(code)
        handler.send_header("Content-Type", "audio/mpeg")
        handler.send_header("Content-Length", length)
        if code == 206:
            handler.send_header("Content-Range", part)
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write(data)
        handler.close_connection = True

    return route
