# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Folders: a thousand pages in bounded memory, every listed name opens, and held files play without their server."""

import html
import json
import os
import random
import re
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

from check_results import equal, expect
from clouds import User
from servers.nginx_dav import NginxDAV
from stage import media, place, web
from stage.stage import Stage

PLAIN = "location /plain/ {{ alias {files}/; autoindex on; types {{ audio/mpeg mp3; image/jpeg jpg; }} }}"


class Pages(BaseHTTPRequestHandler):
    """A disk whose folder names tell how many files they have; the request sets the page size."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        asked = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        total = int(asked["path"].rpartition("/")[2])
        answer = {"type": "dir", "name": str(total)}
        if "limit" in asked:
            start, limit = int(asked["offset"]), int(asked["limit"])
            self.server.pages += 1
            answer["_embedded"] = {
                "total": total,
                "items": [
                    {"name": f"song number {number} of a very large folder.mp3", "type": "file", "size": number,
                     "mime_type": "audio/mpeg", "modified": "2024-07-10T16:02:35+00:00", "md5": f"{number:032x}", "revision": number}
                    for number in range(start, min(start + limit, total))
                ],
            }
        text = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *words):
        pass


def run(results):
    with Stage("listing") as stage:
        names(results, stage)
        without_server(results, stage)
        server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
        server.pages = 0
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            api = f"http://127.0.0.1:{server.server_port}"
            user = User(stage, f'[sources.big]\nservice = "yandex-disk"\napi = "{api}"\ntoken = "y0_listing"\n')
            with results.check("a thousand pages are listed, every name once, in the memory of ten pages") as check:
                _, few = listed(user, 2_000)
                server.pages = 0
                found, many = listed(user, 200_000)
                # A full page may be the last one; only the request for the next page tells.
                expect(server.pages in (1000, 1001), f"{server.pages} pages were asked for")
                equal(len(set(found)), 200_000, "names")
                # The tolerance: a page of JSON, and memory that the allocator keeps.
                expect(many < few + 16 * 1024, f"{many} KiB resident for 1,000 pages, {few} KiB for 10")
                check.figure = f"{few / 1024:.0f} MiB for 10 pages, {many / 1024:.0f} MiB for 1,000"
        finally:
            server.shutdown()
            server.server_close()


def listed(user, count):
    """The names in a folder, and the peak resident memory meanwhile, in KiB."""
    words = [str(place.weir_program()), "ls", f"big:/{count}", "--json"]
    program = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=user.environment)
    names = [json.loads(line)["name"] for line in program.stdout]
    _, status, usage = os.wait4(program.pid, 0)
    program.returncode = os.waitstatus_to_exitcode(status)
    equal(program.returncode, 0, "the exit status")
    return names, usage.ru_maxrss


def served_by_nginx(stage, files):
    """A plain web server over a folder, and a user of it with a source."""
    nginx = NginxDAV(stage, files, is_open=True, more=PLAIN.format(files=files))
    base = f"{nginx.base}plain/"
    return nginx, base, User(stage, f'[sources.archive]\nservice = "http"\nurl = "{base}"\n')


def names(results, stage):
    """Lists and opens files of a real server; a seed draws their names from all printable characters."""
    seed = 20261127
    generator = random.Random(seed)
    signs = [chr(code) for code in range(0x20, 0x7F) if chr(code) != "/"] + ["ü", "ж", "日", "%20", "%2e", "?v=2", ";", "\\x0A"]
    made = {"a #1 50% why?.mp3", "100%.flac", "a%20b.mp3", "a b.mp3"}
    while len(made) < 12:
        name = "x" + "".join(generator.choices(signs, k=7)) + ".mp3"
        if ".." not in name:
            made.add(name)
    files = stage.new_folder("names")
    (files / "Album").mkdir()
    for name in made:
        (files / "Album" / name).write_text(name)
    (files / "Album" / "%2e%2e").write_text("dots")
    _, _, user = served_by_nginx(stage, files)
    with results.check(f"names of all printable characters: get and serve open the names that ls prints, seed {seed}") as check:
        done = user.run("ls", "archive:/Album")
        equal(done.status, 0, f"the status, with {done.said!r},")
        # The columns are size, time and name; this server reports no size and no time.
        listed = [line[30:] for line in done.output.decode().splitlines()]
        expect("%2e%2e is left out" in done.said, f"it says {done.said!r}")
        equal(len(listed), len(made), "names")
        equal(sorted(listed), sorted(name.replace("\\x0A", "\\x5Cx0A") for name in made), "the names")
        things = [f"archive:/Album/{name}" for name in listed]
        target = stage.new_folder("names-got")
        for thing, name in zip(things, listed):
            equal(user.get(thing), name.replace("\\x5Cx0A", "\\x0A").encode(), thing)
        done = user.run("get", "-r", "archive:/Album", "-o", target)
        equal(sum(1 for path in target.rglob("*") if path.is_file()), len(made), "files")
        serving = user.serve()
        lines = playlist(web.fetch(f"{serving.bases['archive']}Album/?m3u").text)
        equal([unquote(line) for line in lines], [name.replace("\\x5Cx0A", "\\x0A") for name in listed], "the playlist")
        for line in lines:
            equal(web.fetch(f"{serving.bases['archive']}Album/{line}").body, unquote(line).encode(), line)
        serving.stop()
        check.figure = f"{len(listed)} names"


def without_server(results, stage):
    """The held files of a folder play after its server has stopped."""
    files = stage.new_folder("held")
    (files / "Album").mkdir()
    song = (media.folder() / "song.mp3").read_bytes()
    listed = ["1.mp3", "2.mp3", "9 not held.mp3", "10.mp3", "cover.jpg"]
    for name in listed:
        (files / "Album" / name).write_bytes(song)
    nginx, base, user = served_by_nginx(stage, files)
    held = [name for name in listed if name.endswith(".mp3") and "not" not in name]
    for place_of in (lambda name: f"archive:/{name}", lambda name: f"{base}{name}"):
        things = [place_of(f"Album/{name}") for name in held]
        user.works("get", *things, "-o", stage.new_folder("got"))
        user.works("ls", place_of("Album/"))
    nginx.stop()
    sentence = re.compile(r"warning: .* cannot be reached; playing the 3 files that are held\.")
    for thing in ("archive:/Album", f"{base}Album"):
        with results.check(f"the server has stopped: {'a folder of a source' if ':/A' in thing else 'the folder of a URL'} plays its held files") as check:
            done = user.run("ls", thing)
            equal((done.status, [line[30:] for line in done.output.decode().splitlines()]), (0, listed), "the status and names of ls")
            expect("cannot be reached; this is the listing of 2" in done.said, f"it says {done.said!r}")
            done = user.run("play", thing, "--sink", "null", "--length", "0.1s")
            equal(done.status, 0, f"the status, with {done.said!r},")
            said = sentence.search(done.said)
            expect(said and "item 1 of 3: 1.mp3" in done.said, f"it says {done.said!r}")
            done = user.run("exec", thing, "--", "curl", "-s", "-f", "{}")
            equal((done.status, playlist(done.output.decode())), (0, held), "the playlist")
            expect(sentence.search(done.said), f"it says {done.said!r}")
            offline = user.works("ls", thing, "--offline").decode().splitlines()
            equal([line[30:] for line in offline], held, "the names listed offline")
            check.figure = said.group(0)
    with results.check("the server has stopped: serve, started again, gives a playlist of the held files, and shows a browser the listing") as check:
        serving = user.serve()
        lines = playlist(web.fetch(f"{serving.bases['archive']}Album/?m3u").text)
        equal(lines, held, "the playlist")
        expect(web.fetch(f"{serving.bases['archive']}Album/{lines[0]}").body == song, "the bytes differ")
        serving.stop()
        serving = user.serve()
        shown = web.fetch(f"{serving.bases['archive']}Album/")
        equal(shown.status, 200, "the status for a browser")
        text = html.unescape(re.sub(r"<.*?>", "", shown.text.partition("<pre>")[2]))
        first, *rest = [line for line in text.splitlines() if line]
        expect("cannot be reached; this is the listing of 2" in first, f"it says {first!r}")
        equal([line[30:] for line in rest[:len(listed)]], listed, "the names in the browser")
        check.figure = first
        serving.stop()
    with results.check("the server has stopped: get -r copies the held files, and requests no other") as check:
        target = stage.new_folder("rest")
        done = user.run("get", "-r", "archive:/Album", "-o", target)
        equal((done.status, sorted(path.name for path in target.iterdir())), (4, sorted(held)), f"with {done.said!r}")
        lines = done.said.splitlines()
        expect(sum("trying again" in line for line in lines) <= 2, f"it says {done.said!r}")
        equal(sum("so Weir skipped 2 incomplete files" in line for line in lines), 1, f"sentences in {done.said!r}")
        check.figure = lines[-1]
    with results.check("ls --m3u without a source or URL is refused, with the next step") as check:
        check.figure = user.fails(2, "ls", "--m3u")


def playlist(text):
    """The addresses of a playlist."""
    return [line for line in text.lstrip("\ufeff").splitlines() if not line.startswith("#")]
