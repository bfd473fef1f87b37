# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The command's messages and statuses when something is refused, missing, silent, or misunderstood."""

import http.server
import random
import re
import signal
import socket
import subprocess
import sys
import threading

import speech
from check_results import equal, expect
from clouds import User
from sealed import by_passphrase
from servers import launch
from servers.nginx_dav import NginxDAV
from stage import media, origin, place, waiting, web
from stage.nginx import Nginx
from stage.origin import Origin
from stage.stage import Stage

BYTES = random.Random(35).randbytes(3_000_000)
NAME = "none.mp3"


def run(results):
    with Stage("refusals") as stage:
        song = (media.folder() / "song.mp3").read_bytes()
        server = Origin(stage, {
            "/song.mp3": origin.content(song),
            "/a.mp3": origin.content(BYTES),
            "/401.mp3": origin.status(401),
            "/403.mp3": origin.status(403),
        })
        credentials(results, stage, server)
        strangers(results, stage, server)
        plain_ports(results, stage)
        missing_files(results, stage, server)
        missing_caches(results, stage, server)
        second_server(results, stage, server)
        gets(results, stage, server)
        silence(results, stage, server)
        names(results, stage)
        stations(results, stage, song)
        passphrases(results, stage)


# MARK: credentials


def credentials(results, stage, server):
    user = User(stage, TOKEN="Bearer hush")
    header = user.home / "headers.txt"
    header.write_text("Authorization: Bearer hush\n")
    ways = {
        "none was sent": (),
        "the one in TOKEN was refused": ("--header-env", "Authorization=TOKEN"),
        "the one in --header was refused": ("--header", "Authorization: Bearer hush"),
        f"the one in {header} was refused": ("--header", f"@{header}"),
    }
    with results.check("for a 401 weir says whether it sent a credential, and where it read it") as check:
        for words, options in ways.items():
            for command in (("get", "-o", "-"), ("play", "--sink", "null"), ("inspect",)):
                said = user.fails(3, command[0], f"{server.base}401.mp3", *command[1:], *options)
                expect(words in said and "hush" not in said, f"{command[0]} with {options} says {said!r}")
        address = user.fails(3, "get", f"{server.base}401.mp3".replace("://", "://me:hush@"), "-o", "-")
        expect("the one in its address was refused" in address and "hush" not in address, address)
        check.figure = said
    with results.check("for a 403 it says the same") as check:
        none = user.fails(3, "get", f"{server.base}403.mp3", "-o", "-")
        expect("no credential was sent" in none, none)
        check.figure = user.fails(3, "get", f"{server.base}403.mp3", "-o", "-", "--header-env", "Authorization=TOKEN")
        expect("cannot be read with the credential in TOKEN" in check.figure, check.figure)
    files = stage.new_folder("dav")
    (files / "a.mp3").write_bytes(b"x" * 100)
    dav = NginxDAV(stage, files)
    sources = "".join(
        f'[sources.{name}]\nservice = "webdav"\nurl = "{dav.base}"\n{keys}\n'
        for name, keys in (("bare", ""), ("wrong", 'user = "me"\npassword-env = "PASSWORD"'), ("token", 'token-env = "PASSWORD"'))
    )
    user = User(stage, sources, PASSWORD="hush")
    with results.check("WebDAV: the same for a source, with ls and play") as check:
        for name, words in (("bare", "none was sent"), ("wrong", "the one in PASSWORD was refused"),
                            ("token", "the one in PASSWORD was refused")):
            for command in (("ls",), ("get", "-o", "-")):
                said = user.fails(3, command[0], f"{name}:/a.mp3", *command[1:])
                expect(words in said and "hush" not in said, f"{command[0]} of {name} says {said!r}")
        check.figure = said


def strangers(results, stage, server):
    """Checks answers to clients of weir serve, which must not learn the variables and files that its owner uses."""
    header = stage.folder / "header-of-mine.txt"
    header.write_text("Authorization: Bearer hush\n")
    server.routes["/music/a.mp3"] = origin.status(403)
    address = server.base.replace("://", "://me:hush@")
    sources = {
        "variable": f'service = "http"\nurl = "{server.base}"\nheader-env = ["Authorization=VARIABLE_OF_MINE"]',
        "token": f'service = "webdav"\nurl = "{server.base}"\ntoken-env = "TOKEN_OF_MINE"',
        "password": f'service = "webdav"\nurl = "{server.base}"\nuser = "me"\npassword-env = "PASSWORD_OF_MINE"',
        "bucket": f'service = "s3"\nbucket = "music"\nendpoint = "{server.base}"\naccess-key = "AKIA1"\n'
                  'secret-key-env = "SECRET_OF_MINE"',
        "role": f'service = "s3"\nbucket = "music"\nendpoint = "{server.base}"',
        "command": 'service = "http"\nurl-command = ["/bin/false-of-mine", "{}"]',
    }
    text = "".join(f"[sources.{name}]\n{lines}\n" for name, lines in sources.items())
    variables = {f"{name}_OF_MINE": "hush" for name in ("VARIABLE", "TOKEN", "PASSWORD", "SECRET")}
    user = User(stage, text, AWS_ACCESS_KEY_ID="AKIA2", AWS_SECRET_ACCESS_KEY="hush", **variables)
    own = {
        "a header of a file": (server.base, "--header", f"@{header}"), "an address": (address,),
        "a variable": (server.base, "--header-env", "Authorization=TOKEN_OF_MINE"),
    }
    servings = [("the configuration", user.serve())] + [(name, user.serve(*words)) for name, words in own.items()]
    secret = re.compile(r"OF_MINE|of-mine|AWS_|its address|hush")
    with results.check("weir serve says to its owner where it read a refused credential, but not to its client") as check:
        answers = 0
        for kind, serving in servings:
            for name, base in serving.bases.items():
                for song in ("401.mp3", "403.mp3", "a.mp3"):
                    for path in (song, f"{song}?m3u", ""):
                        answer = web.fetch(base + path, timeout=30)
                        answers += 1
                        found = secret.search(answer.text)
                        expect(not found, f"{kind}, {name}/{path}: {answer.status} {answer.text!r}")
        said = "".join(serving.log for _, serving in servings)
        for place_of_it in (*(name for name in variables), str(header), "its address", "AWS_ACCESS_KEY_ID", "false-of-mine"):
            expect(f" in {place_of_it}" in said or f"'/bin/{place_of_it}'" in said, f"the owner's message lacks {place_of_it}: {said}")
        check.figure = f"{answers} answers"
    with results.check("the events of the page do not say it either"):
        seen = user.works("stats", "--json").decode()
        expect("requestFailed" in seen or "401" in seen, f"there is no event of a refusal: {seen[-2000:]}")
        expect(not secret.search(seen), f"{secret.search(seen)} is shown: {seen[-2000:]}")
    for _, serving in servings:
        serving.stop()


# MARK: ports


class Closing:
    """A server that reads a greeting, sends a few bytes or none, and closes the connection."""

    def __init__(self, stage, answer=b""):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.answer = answer
        stage.callback(self.listener.close)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with client:
                client.recv(65536)
                client.sendall(self.answer)

    @property
    def base(self):
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}/"


class Threading:
    """An origin of Python's ThreadingHTTPServer that speaks HTTP/1.1."""

    def __init__(self, stage):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        stage.callback(server.shutdown)
        self.base = f"http://127.0.0.1:{server.server_address[1]}/"


class Mute:
    """A server that accepts connections and sends nothing."""

    def __init__(self, stage):
        self.listener = socket.create_server(("127.0.0.1", 0))
        stage.callback(self.listener.close)

    @property
    def address(self):
        return f"127.0.0.1:{self.listener.getsockname()[1]}"


def plain_ports(results, stage):
    user = User(stage)
    folder = media.folder()
    nginx = Nginx(stage, folder)
    python = launch.at_free_port(stage, "http-server", lambda port: [
        sys.executable, "-m", "http.server", port, "--bind", "127.0.0.1", "--directory", folder
    ])
    serving = user.serve(str(folder))
    servers = {
        "nginx": nginx.base, "Python": f"http://127.0.0.1:{python[1]}/",
        "weir": serving.bases["origin"].partition("/origin/")[0] + "/",
        "ThreadingHTTPServer": Threading(stage).base, "a server that closes without a byte": Closing(stage).base,
        "a server that closes after two bytes": Closing(stage, b"no").base,
    }
    for kind, base in servers.items():
        with results.check(f"{kind}: https to an http port says so") as check:
            secure = base.replace("http://", "https://")
            for words in (("get", f"{secure}song.mp3", "-o", "-"), ("ls", secure), ("inspect", f"{secure}song.mp3")):
                said = user.fails(4, *words)
                expect("TLS" in said and "http://" in said and "identity" not in said, f"{words[0]} says {said!r}")
            check.figure = said
    serving.stop()
    python[0].stop()


# MARK: missing


def missing_files(results, stage, server):
    secret = 'service = "webdav"\nurl = "http://127.0.0.1:1/"\nuser = "u"\npassword-file = "/nonexistent"'
    user = User(stage, f"[sources.secret]\n{secret}\n")
    (user.home / "here.mp3").write_bytes(b"x" * 1000)
    key = user.home / "a.key"
    key.write_text("00" * 16)
    key.chmod(0o600)
    here, url, none = user.home / "here.mp3", f"{server.base}a.mp3", user.home / "none"
    things = {
        "play": ("--sink", "null"), "get": ("-o", "-"), "exec": ("--", "true"), "serve": ("--listen", "127.0.0.1:0"),
        "inspect": (), "ls": (), "get -r": ("-o", str(user.home / "target")),
    }
    lines = [(*command.split(), name, *more) for command, more in things.items()
             for name in (NAME, f"./{NAME}", user.home / NAME, f"file://{user.home}/{NAME}", "no such folder/a.mp3")]
    lines += [("seal", name, "--for", "aes-ctr", "--key-file", key) for name in (NAME, user.home / NAME)]
    lines += [
        ("get", here, "-o", "-", "--decrypt", "aes-ctr", "--key-file", none),
        ("seal", here, "--key-file", none),
        ("get", url, "-o", "-", "--header", f"@{none}"),
        ("get", url, "-o", "-", "--ca-file", none),
        ("get", url, "-o", "-", "--config", none),
        ("serve", "--config", none), ("ls", "--config", none), ("sign", "s:/a", "--config", none),
        ("cache", "list", "--config", none), ("ls", "secret:/"),
    ]
    lines += [("cache", command, name) for command in ("pin", "unpin", "remove", "verify", "export")
              for name in (NAME, user.home / NAME)]
    with results.check("a missing local file has the status 3 in every command that takes one") as check:
        wrong = []
        for words in lines:
            done = user.run(*words)
            if done.status != 3:
                wrong.append(f"{' '.join(map(str, words))}: {done.status}, {done.said.strip()[:120]!r}")
                continue
            speech.sentence(done.said)
        equal(wrong, [], "command lines with another status")
        check.figure = f"{len(lines)} command lines"


def missing_caches(results, stage, server):
    user = User(stage)
    reading = [("cache", "list"), ("cache", "verify"), ("cache", "pin", "x"), ("cache", "unpin", "x"), ("cache", "remove", "x"),
               ("cache", "export", "x"), ("cache", "clear", "--yes"), ("ls", server.base, "--offline"),
               ("get", f"{server.base}a.mp3", "-o", "-", "--offline"), ("inspect", f"{server.base}a.mp3", "--offline"),
               ("play", f"{server.base}a.mp3", "--sink", "null", "--offline"),
               ("exec", f"{server.base}a.mp3", "--offline", "--", "true")]
    with results.check("--cache of a missing folder: an error for commands that only read, and they create no folder") as check:
        folder = user.home / "mistyped"
        for words in reading:
            split = words.index("--") if "--" in words else len(words)
            check.figure = user.fails(3, *words[:split], "--cache", folder, *words[split:])
            expect("There is no folder" in check.figure and "--cache" in check.figure, f"{words} says {check.figure!r}")
            expect(not folder.exists(), f"{words} created the folder")
        equal(user.works("cache", "path", "--cache", folder).decode().strip(), str(folder), "the path")
        user.works("get", f"{server.base}a.mp3", "-o", "-", "--cache", folder)
        expect(folder.exists(), "get created no folder")
    with results.check("a missing default cache folder counts as empty"):
        user.environment["WEIR_CACHE"] = str(user.home / "not-yet")
        equal(user.works("cache", "list"), b"", "the listed files")


# MARK: a second server


def second_server(results, stage, server):
    user = User(stage)
    first = user.start("serve", server.base, "--listen", "127.0.0.1:0")
    url = waiting.until(lambda: first.output.strip() or None, 20, "a URL")
    port = re.search(r":(\d+)/", url).group(1)
    with results.check("a second weir serve says that Weir already runs there, and what to do") as check:
        check.figure = user.fails(4, "serve", server.base, "--listen", f"127.0.0.1:{port}")
        expect(f"Another weir serve listens on 127.0.0.1:{port}" in check.figure, check.figure)
        expect("weir open" in check.figure and "--listen 127.0.0.1:0" in check.figure, check.figure)
        other = User(stage).fails(4, "serve", server.base, "--listen", f"127.0.0.1:{port}")
        expect("Another weir serve" in other and "weir open" not in other, f"another user's says {other!r}")
        equal(web.fetch(f"{url}a.mp3", {"Range": "bytes=0-9"}).status, 206, "the status of the first")
    with results.check("it also recognises one without a secret and a page, without a request to its origin") as check:
        bare = user.start("serve", server.base, "--listen", "127.0.0.1:0", "--no-secret", "--no-page", "--cache", stage.new_folder("bare"))
        address = waiting.until(lambda: bare.output.strip() or None, 20, "a URL").split("/")[2]
        asked = len(server.asked)
        check.figure = user.fails(4, "serve", server.base, "--listen", address)
        expect(f"Another weir serve listens on {address}" in check.figure, check.figure)
        equal(len(server.asked), asked, "the number of requests to the origin")
        bare.stop()
    with results.check("stats and open find the running server after another has ended or was killed"):
        for signal_number in (signal.SIGTERM, signal.SIGKILL):
            second = user.start("serve", server.base, "--listen", "127.0.0.1:0", "--cache", stage.new_folder("second"))
            waiting.until(lambda run=second: run.output.strip() or None, 20, "a URL")
            expect(f":{port}/" not in user.works("open").decode(), "it is not the newest server")
            second.stop(signal_number)
            expect("reading now" in user.works("stats").decode(), "stats shows no figures")
            expect(f"http://127.0.0.1:{port}/page/#" in user.works("open").decode(), "it is not the first server")
    first.stop()
    with results.check("serve reports another program at the port, and also a silent one"):
        for address in (f"127.0.0.1:{server.port}", Mute(stage).address):
            said = user.fails(4, "serve", server.base, "--listen", address)
            expect("another program already listens there" in said, f"it says {said!r}")


# MARK: get


def gets(results, stage, server):
    user = User(stage)
    with results.check("get into a pipe without a reader is silent") as check:
        for thing in (f"{server.base}a.mp3", user.home / "a.mp3"):
            (user.home / "a.mp3").write_bytes(BYTES)
            line = f"'{place.weir_program()}' get '{thing}' -o - -q | head -c 1000 >/dev/null"
            done = subprocess.run(["bash", "-o", "pipefail", "-c", line], capture_output=True, env=user.environment, timeout=60)
            equal((done.returncode, done.stderr), (0, b""), f"status and words of get {thing}")
        equal(user.works("get", f"{server.base}a.mp3", "-o", "-"), BYTES, "the bytes afterwards")
        check.figure = "status 0"
    with results.check("a resumed get: the speed excludes held bytes"):
        user = User(stage)
        gate = threading.Event()
        server.routes["/slow.mp3"] = origin.halved(BYTES, gate)
        half = user.start("get", f"{server.base}slow.mp3", "-o", user.home / "slow.mp3")
        held = waiting.until(lambda: half_held(user, f"{server.base}slow.mp3"), 30, "the first half")
        half.stop(2)
        gate.set()
        server.routes["/slow.mp3"] = origin.slow_line(Fixed(BYTES), 0.01, 2_000_000)
        done = user.run("get", f"{server.base}slow.mp3", "-o", user.home / "slow.mp3")
        equal(done.status, 0, f"the status, with {done.said!r},")
        last = done.said.strip().splitlines()[-1]
        found = re.fullmatch(r"saved .*slow\.mp3: 3\.0 MB in ([\d.]+) s, ([\d.]+) MB from the cache, ([\d.]+) (k|M)B/s", last)
        expect(found, f"it ends with {last!r}")
        speed = float(found.group(3)) * (1e6 if found.group(4) == "M" else 1e3)
        expect(speed < 2_300_000, f"{last!r} is faster than the line, of which {held} bytes were held")
    with results.check("the message of a repeated request says which attempt it is") as check:
        port = origin.closed_port(stage)
        done = user.run("get", f"http://127.0.0.1:{port}/a.mp3", "-o", "-")
        lines = [line for line in done.said.splitlines() if line.startswith("  trying again ")]
        equal([re.search(r"\((.*?)\)", line).group(1) for line in lines], ["2 of 3", "3 of 3"], f"attempts, with {done.said!r},")
        expect("byte 0" not in done.said, f"it says {done.said!r}")
        check.figure = lines[0].strip()


class Fixed:
    """Content for a slow line, made of the given bytes."""

    def __init__(self, data):
        self.data, self.length = data, len(data)

    def bytes(self, lower, upper):
        return self.data[lower:upper]


def half_held(user, url):
    """The number of held bytes of a resource, or None until it is more than a third."""
    held = user.held().get(url, {}).get("heldBytes", 0)
    return held if held > len(BYTES) // 3 else None


def silence(results, stage, server):
    user = User(stage)
    gate = threading.Event()

    def late(handler):
        gate.wait(60)
        origin.content(BYTES)(handler)

    server.routes["/late.mp3"] = late
    server.routes["/stalls.mp3"] = origin.halved(BYTES, gate)
    runs = {
        "has not answered": ("get", f"{server.base}late.mp3", "-o", user.home / "late.mp3"),
        "has sent nothing": ("get", f"{server.base}stalls.mp3", "-o", user.home / "stalls.mp3"),
    }
    fetching = "import sys, urllib.request; urllib.request.urlopen(sys.argv[1]).read()"
    with results.check("exec and serve report a silent origin, too") as check:
        server.routes["/late-2.mp3"] = late
        serving = user.serve(server.base)
        reader = threading.Thread(target=lambda: web.fetch(f"{serving.bases['origin']}late-2.mp3", timeout=60), daemon=True)
        reader.start()
        player = User(stage).start("exec", f"{server.base}late.mp3", "--", sys.executable, "-c", fetching, "{}")
        start = f"127.0.0.1:{server.port} has not answered"
        waiting.until(lambda: speech.patience(serving.log, start), 20, f"{start!r} in {serving.log!r}")
        line = waiting.until(lambda: speech.patience(player.error, start), 20, f"{start!r} in {player.error!r}")
        gate.set()
        equal(player.wait(20), 0, "the status of exec")
        reader.join(20)
        serving.stop()
        gate.clear()
        check.figure = line
    with results.check("a silent origin is reported with the time waited and the limit") as check:
        programs = {words: user.start(*line) for words, line in runs.items()}
        for words, program in programs.items():
            start = f"127.0.0.1:{server.port} {words}"
            line = waiting.until(lambda: speech.patience(program.error, start), 20, f"{start!r} in {program.error!r}")
        gate.set()
        for program in programs.values():
            equal(program.wait(20), 0, "the status")
        check.figure = line


# MARK: names, stations, passphrases


def names(results, stage):
    user = User(stage)
    files = {f"/Album%201/Track%20{number:03}.mp3": origin.content(BYTES[:5000 + number]) for number in (2, 24)}
    server = Origin(stage, {**files, "/other.mp3": origin.content(BYTES[:4000])})
    user.configure(
        f'[sources.archive]\nservice = "http"\nurl = "{server.base}"\n[sources.disk]\nservice = "files"\npath = "{user.home}"\n'
    )
    for path in server.routes:
        user.works("get", f"{server.base}{path[1:]}", "-o", "-")

    def pinned():
        return sorted(url.rpartition("/")[2] for url, entry in user.held().items() if entry["pinned"])

    with results.check("cache list TEXT matches the displayed names, not their escapes"):
        for text, count in (("k 002", 1), ("k%2002", 0), ("%20", 0), ("track 0", 2), (f"{server.base}Album%201/", 2), ("other", 1)):
            equal(len(user.works("cache", "list", text).splitlines()), count, f"lines for {text}")
    with results.check("cache pin and unpin accept folders, and the same arguments as cache list") as check:
        tracks = ["Track%20002.mp3", "Track%20024.mp3"]
        for name, expected in (("archive:/Album 1", tracks), (f"{server.base}Album%201", tracks),
                               (f"{server.base}Album 1/", tracks), ("track 02", ["Track%20024.mp3"]), ("other", ["other.mp3"])):
            check.figure = user.works("cache", "pin", name).decode().splitlines()[0]
            equal(pinned(), expected, f"the pinned files after pin {name}")
            user.works("cache", "unpin", name)
            equal(pinned(), [], f"the pinned files after unpin {name}")
    with results.check("every cache command selects files as cache list does") as check:
        for name, count in (("archive:", 3), ("archive:/Album 1", 2), (f"{server.base}Album 1", 2), ("track 0", 2), ("archive:/other.mp3", 1)):
            for words in (("list",), ("pin",), ("unpin",), ("verify", "--verbose")):
                lines = user.works("cache", words[0], name, *words[1:]).splitlines()
                equal(len(lines), count, f"lines of cache {words[0]} {name}")
        user.works("cache", "export", "track 02", "-o", user.home / "copy")
        equal((user.home / "copy").read_bytes(), BYTES[:5024], "the exported bytes")
        user.fails(3, "cache", "remove", "track 0")
        equal(len(user.held()), 3, "the number of held files after a text that remove refuses")
        user.works("cache", "remove", "archive:/Album 1")
        equal([url.rpartition("/")[2] for url in user.held()], ["other.mp3"], "the remaining files")
        check.figure = user.fails(3, "cache", "pin", "disk:/a?b.mp3")
        expect("the cache never holds them" in check.figure, check.figure)
    with results.check("the URL that cache list shows opens the listed file, and creates no second resource"):
        for name in ("100%25.mp3", "a%23b%3F.mp3", "%C3%BC%20(1).mp3"):
            server.routes[f"/{name}"] = origin.content(BYTES[:7000])
            user.works("get", f"{server.base}{name}", "-o", "-")
            shown = user.works("cache", "list", "--quiet").decode().splitlines()[0]
            url = shown[shown.index("http://"):]
            asked, held = len(server.asked), len(user.held())
            equal(user.works("get", url, "-o", "-"), BYTES[:7000], f"the bytes of {url}")
            equal((len(server.asked), len(user.held())), (asked, held), f"requests and resources after {url}")
    with results.check("ls --m3u uses the port of the running server; without one it says so"):
        folder = user.home / "album"
        folder.mkdir()
        (folder / "a.mp3").write_bytes(BYTES[:9000])
        done = user.run("ls", "disk:/album", "--m3u")
        expect("No running weir serve with a page serves disk:" in done.said, f"it says {done.said!r}")
        for words in ((), ("--no-secret",)):
            serving = user.serve(*words)
            done = user.run("ls", "disk:/album", "--m3u")
            expect("warning" not in done.said, f"it says {done.said!r}")
            lines = done.output.decode().splitlines()
            equal(lines[2:], [f"{serving.bases['disk']}album/a.mp3"], "the addresses")
            equal(web.fetch(lines[2]).body, BYTES[:9000], "the bytes")
            serving.stop()


def stations(results, stage, song):
    user = User(stage)
    gate = threading.Event()
    stage.callback(gate.set)

    def station(handler):
        handler.send_response(200)
        for name, value in (("Content-Type", "audio/mpeg"), ("icy-name", "Groove"), ("icy-genre", "Jazz"), ("icy-br", "128")):
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(song[:400_000])
        gate.wait(60)
        handler.close_connection = True

    server = Origin(stage, {"/groove": station})
    user.works("radio", "add", "groove", f"{server.base}groove")
    with results.check("inspect recognises a station by its name and by its URL") as check:
        for thing in ("groove", f"{server.base}groove"):
            lines = user.works("inspect", thing).decode().splitlines()
            equal(lines[0], thing, "the name")
            expect(lines[1].startswith(f"  station    {server.base}groove, without an end; weir play "), f"it says {lines}")
            expect("  name       Groove" in lines and "  genre      Jazz" in lines, f"it says {lines}")
            expect(any(line.startswith("  format     mp3") for line in lines), f"it says {lines}")
        check.figure = lines[1].strip()


def passphrases(results, stage):
    folder = stage.new_folder("sealed")
    plain = folder / "plain.mp3"
    plain.write_bytes(BYTES[:100_000])
    (folder / "a.bin").write_bytes(by_passphrase(stage, "a", plain).data)
    key = folder / "wrong.key"
    key.write_text("not this one\n")
    key.chmod(0o600)
    with results.check("for a wrong passphrase of openssl enc weir names the likely cause first") as check:
        check.figure = User(stage).fails(
            6, "get", folder / "a.bin", "-o", "-", "--decrypt", "aes-cbc", "--kdf", "pbkdf2", "--key-file", key
        )
        first = r"(^|: )(The passphrase is wrong|The key of .* is probably wrong)"
        expect(re.search(first, check.figure), f"it says {check.figure!r}")
