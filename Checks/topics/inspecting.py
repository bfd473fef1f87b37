# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""`weir inspect`: its reports on files, on an origin's files, and on data that is not audio."""

import json

import speech
from check_results import equal, expect
from stage import media
from stage.nginx import Nginx
from stage.origin import Origin
from stage.stage import Stage
from stage.weir import cached, command


def run(results):
    folder = media.folder()
    with Stage("inspecting") as stage:
        with results.check("inspect describes a file by its bytes, whatever its name is"):
            path = stage.folder / "wrong.txt"
            path.write_bytes((folder / "song.opus").read_bytes())
            done = command(stage, "inspect", path)
            equal(done.returncode, 0, f"the exit status, with {done.stderr.decode().strip()!r},")
            lines = done.stdout.decode().splitlines()
            expect("  format     opus, 48000 Hz, 2 channels" in lines, f"it says {lines}")
            expect("  duration   0:40.000, 1920000 samples, exact" in lines, f"it says {lines}")
        origin(results, stage, folder)
        no_audio(results, stage)
        with results.check("inspect reads the beginning of an endless stream"):
            endless(stage, folder)


def origin(results, stage, folder):
    nginx = Nginx(stage, folder, token="inspect-token-5c")
    cache = stage.new_folder("cache")
    words = (nginx.base + "song.m4a", "--header", nginx.header, "--account", "me", "--cache", cache, "--json")
    with results.check("an index at the end costs one request, and the fetched bytes are cached") as check:
        said = json.loads(command(stage, "inspect", *words).stdout)
        equal(said["formats"][0]["duration"]["samples"], 1764000, "the duration")
        asked = len(nginx.settled().requests())
        expect(asked <= 4, f"{asked} requests were sent")
        expect("song.m4a" in cached(stage, cache), "no byte was cached")
        again = json.loads(command(stage, "inspect", *words).stdout)
        equal(again, said, "the second description")
        equal(len(nginx.settled().requests()), asked, "the requests after the second description")
        check.figure = f"{asked} requests"
    with results.check("inspect reads only the beginning of a large resource"):
        (stage.folder / "large").mkdir()
        large = stage.folder / "large" / "large.mp3"
        large.write_bytes((folder / "song.mp3").read_bytes() * 120)
        nginx = Nginx(stage, large.parent)
        cache = stage.new_folder("cache")
        said = json.loads(command(stage, "inspect", nginx.base + "large.mp3", "--cache", cache, "--json").stdout)
        equal((said["isComplete"], said["formats"][0]["codec"]), (False, "mp3"), "completeness and codec")
        held = cached(stage, cache)["large.mp3"]["heldBytes"]
        expect(held < 8 << 20, f"{held} bytes were fetched")


def no_audio(results, stage):
    texts = {
        "page.mp3": ("<!DOCTYPE html><html><body>Log in</body></html>", "an HTML page"),
        "list.m3u8": ("#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:9,\na.ts\n", "playlist (HLS)"),
        "empty.mp3": ("", "no bytes"),
        "text.flac": ("nothing to be heard here, only words\n" * 40, "plain text"),
    }
    for name, (text, expected) in texts.items():
        with results.check(f"{name}: a file without audio ends with 6 and a message") as check:
            (stage.folder / name).write_text(text)
            done = command(stage, "inspect", stage.folder / name)
            equal((done.returncode, done.stdout), (6, b""), "exit status and output")
            check.figure = speech.sentence(done.stderr.decode())
            expect(expected in check.figure, f"it says {check.figure!r}")
    with results.check("inspect lists a playlist's entries"):
        path = stage.folder / "list.pls"
        path.write_text("[playlist]\nFile1=http://radio.example/a\nTitle1=A station\nLength1=-1\nNumberOfEntries=1\n")
        said = json.loads(command(stage, "inspect", path, "--json").stdout)
        equal(said["playlist"]["entries"], [{"location": "http://radio.example/a", "title": "A station"}], "the entries")


def endless(stage, folder):
    song = (folder / "song.mp3").read_bytes()

    def serve(handler):
        handler.send_response(200)
        handler.send_header("Content-Type", "audio/mpeg")
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.close_connection = True
        for _ in range(400):
            handler.wfile.write(song)

    server = Origin(stage, {"/radio": serve})
    said = json.loads(command(stage, "inspect", server.base + "radio", "--json").stdout)
    equal((said["isComplete"], said["formats"][0]["codec"]), (False, "mp3"), "completeness and codec")
