# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The command in daily use: its messages when something fails, lists, folders, a service's socket and signals."""

import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading

import speech
from check_results import Skipped, equal, expect
from clouds import User
from sealed import by_age, by_passphrase
from servers import launch
from servers.nginx_dav import NginxDAV
from stage import media, origin, place, waiting, web
from stage.origin import Origin
from stage.program import Program
from stage.stage import Stage
from terminal import Terminal

BYTES = random.Random(7).randbytes(400_000)


def run(results):
    with Stage("everyday") as stage:
        song = (media.folder() / "song.mp3").read_bytes()
        server = Origin(stage, {
            "/": origin.page(),
            "/song.mp3": origin.content(song),
            "/b.mp3": origin.content(BYTES),
            "/401.mp3": origin.status(401, WWW_Authenticate="OAuth"),
            "/page.mp3": origin.page(),
        })
        says_why(results, stage, server)
        answers(results, stage, server, song)
        elsewhere(results, stage)
        gets(results, stage, server, song)
        lists(results, stage, server)
        encrypted(results, stage)
        plays(results, stage, song)
        web_folders(results, stage, song)
        reads_anew(results, stage, song)
        inherits(results, stage, server, song)


def says_why(results, stage, server):
    user = User(stage)
    with results.check("serve says once why a resource fails, and forwards a 401") as check:
        serving = user.serve(server.base)
        base = serving.bases["origin"]
        for _ in range(3):
            equal(web.fetch(f"{base}401.mp3").status, 401, "the status")
            equal(web.fetch(f"{base}page.mp3").status, 502, "the status")
            equal(web.fetch(f"{base}none.mp3").status, 404, "the status")
        said = waiting.until(lambda: told(serving.log) if len(told(serving.log)) >= 3 else None, 10, "three sentences")
        equal(len(said), 3, f"lines, of {said},")
        for line, name in zip(said, ("401.mp3", "page.mp3", "none.mp3")):
            expect(f"/origin/{name}: " in line, f"{line!r} does not name {name}")
            speech.check(line.partition(": ")[2].partition(": ")[2])
        serving.stop()
        check.figure = said[0]
    with results.check("exec says why its file fails, even if the player is silent") as check:
        done = user.run("exec", f"{server.base}page.mp3", "--", "curl", "-s", "-f", "{}")
        equal(done.status, 22, "the player's status")
        said = told(done.said)
        equal(len(said), 1, f"lines, of {done.said!r},")
        check.figure = said[0]


def told(text):
    return [line for line in text.splitlines() if line.startswith("weir: ")]


def answers(results, stage, server, song):
    files = stage.new_folder("music")
    (files / "Album").mkdir()
    (files / "Album" / "a: 1.mp3").write_bytes(song)
    (files / "notes.txt").write_text("x")
    user = User(stage, f'[sources.mine]\nservice = "files"\npath = "{files}"\n')
    with results.check("the URL that serve prints and its parent paths answer with a text") as check:
        serving = user.serve(server.base)
        page = web.fetch(serving.bases["origin"])
        equal((page.status, page.headers["content-type"]), (200, "text/html"), "status and type")
        expect("Append the path of a file to this address" in page.text, page.text)
        root = web.fetch(serving.bases["origin"].rpartition("/origin/")[0] + "/")
        expect(f"  origin/  {server.base}\n" in root.text, root.text)
        serving.stop()
        check.figure = next(line for line in page.text.splitlines() if not line.startswith("<"))
    with results.check("a folder is listed, and its playlist plays") as check:
        serving = user.serve()
        base = serving.bases["mine"]
        page = web.fetch(base).text
        expect(all(f'<a href="{name}">{name}</a>\n' in page for name in ("Album/", "notes.txt")), page)
        playlist = web.fetch(f"{base}Album/?m3u")
        equal(playlist.headers["content-type"], "audio/x-mpegurl", "the type")
        entries = [line for line in playlist.text.splitlines() if not line.startswith("#")]
        equal(entries, ["a%3A%201.mp3"], "the entries")
        expect(web.fetch(f"{base}Album/{entries[0]}").body == song, "the bytes differ")
        probed = subprocess.run(["mpv", "--no-config", "--ao=null", "--vo=null", "--length=0.2", "--msg-level=all=error",
                                 f"{base}Album/?m3u"], capture_output=True, timeout=60, env=stage.environment)
        equal((probed.returncode, probed.stdout), (0, b""), "mpv's status and output for the playlist")
        equal(web.fetch(f"{base}None/").status, 404, "the status of a folder that is not there")
        serving.stop()
        check.figure = f"{len(playlist.text)} bytes"
    with results.check("a host without a path means its root"):
        equal(user.run("get", server.base.rstrip("/")).status, 6, "the status of a page")
        serving = user.serve(server.base.rstrip("/"))
        expect(web.fetch(f"{serving.bases['origin']}song.mp3").body == song, "the bytes differ")
        serving.stop()


# A separate network that nothing outside can reach: a link between two interfaces, and no other machine.
NETWORK = (
    "ip link set lo up && ip link add weir0 type veth peer name weir1 && ip addr add 10.77.0.1/24 dev weir0 && "
    'ip link set weir0 up && ip link set weir1 up && exec "$@"'
)


def elsewhere(results, stage):
    user = User(stage)
    song = media.folder() / "song.mp3"
    with results.check("for other machines serve prints its addresses, answers at them and at NAME.local, and warns") as check:
        if os.geteuid() != 0 or not shutil.which("unshare") or not shutil.which("ip", path="/usr/sbin:/sbin:/usr/bin"):
            raise Skipped("this check needs root and a network namespace")
        program = stage.put(Program(
            ["unshare", "--net", "sh", "-c", NETWORK, "sh", place.weir_program(), "serve", song, "--listen", "0.0.0.0:0"],
            stage.folder, "elsewhere", dict(user.environment, PATH=f"/usr/sbin:{user.environment['PATH']}"),
        ))
        url = waiting.until(lambda: program.output.strip() or None, 20, "a URL")
        waiting.until(lambda: "warning: " in program.error, 10, "a warning")
        named = re.findall(r"^  from other machines: http://(\S+?):\d+/", program.error, re.MULTILINE)
        name = socket.gethostname().partition(".")[0].lower()
        equal(named, ["10.77.0.1"] + ([] if name in ("", "localhost") else [f"{name}.local"]), "the names")
        for host, status in [*((name, "200") for name in named), ("evil.example", "421")]:
            words = ["nsenter", "-t", program.pid, "-n", "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", f"Host: {host}"]
            asked = subprocess.run([*map(str, words), url], capture_output=True, text=True, timeout=30)
            equal(asked.stdout, status, f"the status at {host}")
        equal(program.stop(), 0, "the status")
        check.figure = ", ".join(named)


def gets(results, stage, server, song):
    files = stage.new_folder("tree")
    (files / "One" / "Two").mkdir(parents=True)
    (files / "One" / "a.mp3").write_bytes(song)
    (files / "One" / "Two" / "b.txt").write_bytes(BYTES)
    user = User(stage, f'[sources.mine]\nservice = "files"\npath = "{files}"\n')
    with results.check("get says at the end which file it saved where") as check:
        done = user.run("get", f"{server.base}song.mp3")
        equal(done.status, 0, f"the status, with {done.said!r},")
        last = done.said.strip().splitlines()[-1]
        expect(re.fullmatch(r"saved song\.mp3: .* in [\d.]+ s, .*/s", last), f"it ends with {last!r}")
        expect((user.home / "song.mp3").read_bytes() == song, "the bytes differ")
        check.figure = last
    with results.check("get says that it retries, and that it waits for a slow server") as check:
        gate = threading.Event()
        server.routes["/failing.mp3"] = failing_first(song, 2)
        server.routes["/slow.mp3"] = held_back(song, gate)
        failing = user.run("get", f"{server.base}failing.mp3", "-o", user.home / "failing.mp3")
        equal(failing.status, 0, f"the status, with {failing.said!r},")
        expect(f"  trying again (2 of 6) in 1 s for {server.base}failing.mp3: status 500" in failing.said, f"it says {failing.said!r}")
        slow = user.start("get", f"{server.base}slow.mp3", "-o", user.home / "slow.mp3")
        waiting.until(lambda: speech.patience(slow.error, "has not answered"), 20, "a message about it")
        gate.set()
        equal(slow.wait(20), 0, "the status")
        check.figure = failing.said.strip().splitlines()[0]
    with results.check("get of several files tries each one, and the status is that of the worst failure") as check:
        target = stage.new_folder("several")
        done = user.run("get", f"{server.base}none.mp3", f"{server.base}page.mp3", f"{server.base}b.mp3", "-o", target)
        equal(done.status, 6, f"the status, with {done.said!r},")
        equal([path.name for path in target.iterdir()], ["b.mp3"], "the files in the target")
        equal(len(told(done.said)), 2, "sentences")
        check.figure = " · ".join(told(done.said))[:120]
    with results.check("get -r copies folders with their subfolders, and skips existing files") as check:
        target = stage.new_folder("folders") / "new"
        done = user.run("get", "-r", "mine:/", "-o", target)
        equal(done.status, 0, f"the status, with {done.said!r},")
        expect((target / "One" / "a.mp3").read_bytes() == song, "the bytes differ")
        expect((target / "One" / "Two" / "b.txt").read_bytes() == BYTES, "the bytes differ")
        again = user.run("get", "-r", "mine:/", "-o", target)
        equal((again.status, again.said.count("exists already")), (0, 2), f"status and files, with {again.said!r},")
        check.figure = again.said.splitlines()[0]
    with results.check("get -r follows no symbolic link instead of a folder, and says what it skips") as check:
        target, outside = stage.new_folder("linked"), stage.new_folder("outside")
        (target / "One").symlink_to(outside)
        (files / "per%2f..%2fcent").write_bytes(song)
        done = user.run("get", "-r", "mine:/", "-o", target)
        equal((done.status, list(outside.iterdir())), (2, []), f"status and files outside, with {done.said!r},")
        expect("per%2f..%2fcent is left out" in done.said, f"it says {done.said!r}")
        (files / "per%2f..%2fcent").unlink()
        check.figure = told(done.said)[0]
    with results.check("get -r of a playlist copies its entries"):
        playlist = stage.new_folder("lists") / "list.m3u"
        playlist.write_text(f"{server.base}song.mp3\n{server.base}b.mp3\n")
        target = stage.new_folder("entries")
        done = user.run("get", "-r", playlist, "-o", target)
        equal(done.status, 0, f"the status, with {done.said!r},")
        equal(sorted(path.name for path in target.iterdir()), ["b.mp3", "song.mp3"], "the files in the target")
        playlist.write_text(f"{server.base}song.mp3\nnone.mp3\n{server.base}b.mp3\n")
        again = user.run("get", "-r", playlist, "-o", target)
        equal((again.status, again.said.count("exists already")), (3, 2), f"status and files, with {again.said!r},")


def failing_first(data, times):
    """A route that answers 500 the given number of times, and then serves the data."""
    left, good = [times], origin.content(data)

    def route(handler):
        if left[0] > 0:
            left[0] -= 1
            handler.answer(500, b"")
        else:
            good(handler)

    return route


def held_back(data, gate):
    """A route that answers when the gate opens."""
    good = origin.content(data)

    def route(handler):
        gate.wait(60)
        good(handler)

    return route


def lists(results, stage, server):
    user = User(stage)
    names = ("song.mp3", "b.mp3")
    for name in names:
        user.works("get", f"{server.base}{name}", "-o", "-")
    user.works("get", f"{server.base}b.mp3", "-o", "-", "--account", "me")
    with results.check("cache list: columns, a filter, an order, pins and accounts") as check:
        user.works("cache", "pin", f"{server.base}b.mp3", "--account", "me")
        text = user.works("cache", "list").decode()
        rows = text.splitlines()
        equal(len(rows), 3, f"rows, of\n{text}\n")
        equal(len({row.index("http://") for row in rows}), 1, f"where the URLs begin, of\n{text}\n")
        equal([("pinned" in row, " me " in row) for row in rows].count((True, True)), 1, "rows that are pinned and of the account me")
        equal(len(user.works("cache", "list", "song").splitlines()), 1, "rows with a filter")
        equal(len(user.works("cache", "list", "--account", "me").splitlines()), 1, "rows of an account")
        first = user.works("cache", "list", "--sort", "name").decode().splitlines()[0]
        expect(first.endswith("/b.mp3"), f"by name the first is {first!r}")
        check.figure = rows[0]
    with results.check("cache clear asks, says what it removes, and keeps pinned files") as check:
        check.figure = user.fails(2, "cache", "clear")
        equal(len(user.held()), 2, "the remaining names")
        expect(b"removed 2 resources" in user.works("cache", "clear", "--yes"), "the message is missing")
        equal(list(user.held()), [f"{server.base}b.mp3"], "the remaining files")
        user.works("cache", "clear", "--yes", "--pinned")
        equal(user.held(), {}, "the remaining files")


def encrypted(results, stage):
    folder = stage.new_folder("encrypted")
    plain = folder / "plain.mp3"
    plain.write_bytes(BYTES)
    for name, made in (("a.bin", by_passphrase), ("b.bin", by_age)):
        (folder / name).write_bytes(made(stage, name, plain).data)
    user = User(stage)
    for name, option in (("a.bin", "--decrypt aes-cbc --kdf pbkdf2"), ("b.bin", "--decrypt age")):
        with results.check(f"play recognises encrypted bytes and names the option: {option}") as check:
            done = user.run("get", folder / name, "-o", "-")
            equal(done.status, 0, "the status")
            expect(option in done.said, f"it says {done.said!r}")
            check.figure = done.said.splitlines()[0]


def plays(results, stage, song):
    folder = stage.new_folder("play")
    (folder / "CD 2").mkdir()
    (folder / "CD 1").mkdir()
    for name in ("CD 2/10.mp3", "CD 2/9.mp3", "CD 1/1.mp3", "0.mp3"):
        (folder / name).write_bytes(song)
    user = User(stage)
    with results.check("a folder plays with its subfolders, in natural order") as check:
        done = user.run("play", folder, "--sink", "null", "--length", "0.1s")
        equal(done.status, 0, f"the status, with {done.said!r},")
        expect("item 1 of 4: 0.mp3" in done.said, f"it says {done.said!r}")
        check.figure = done.said.splitlines()[0]
    with results.check("play says where the sound goes before it starts; --sink list lists the outputs") as check:
        lines = done.said.splitlines()
        sink = next(number for number, line in enumerate(lines) if line.startswith("sound: "))
        playing = next((number for number, line in enumerate(lines) if "playing" in line), len(lines))
        expect(sink < playing, f"it says {done.said!r}")
        listed = user.run("play", "--sink", "list")
        expect(listed.status in (0, 1) and (listed.output.startswith(b"null ") or listed.said.startswith("weir: ")),
               f"it lists {listed.output!r} and says {listed.said!r}")
        check.figure = f"{len(listed.output.splitlines())} lines"
    with results.check("play names an unplayable entry of a list, with the reason") as check:
        playlist = folder / "list.m3u"
        playlist.write_text("0.mp3\nnone.mp3\n")
        done = user.run("play", playlist, "--sink", "null", "--length", "0.1s")
        equal(done.status, 3, f"the status, with {done.said!r},")
        line = next((line for line in done.said.splitlines() if line.startswith("  none.mp3: ")), None)
        expect(line, f"it says {done.said!r}")
        check.figure = line.strip()


def web_folders(results, stage, song):
    files = stage.new_folder("web")
    (files / "Album & Co").mkdir()
    for name in ("Album & Co/2 ü.mp3", "Album & Co/1.mp3", "0.mp3", "notes.txt"):
        (files / name).write_bytes(song)
    names = ["0.mp3", "1.mp3", "2 ü.mp3"]
    plain = f"location /plain/ {{ alias {files}/; autoindex on; types {{ audio/mpeg mp3; text/plain txt; }} }}"
    nginx = NginxDAV(stage, files, is_open=True, more=plain)
    python = launch.at_free_port(stage, "http-server", lambda port: [
        sys.executable, "-m", "http.server", port, "--bind", "127.0.0.1", "--directory", files
    ])
    for kind, base in (("nginx", f"{nginx.base}plain/"), ("python", f"http://127.0.0.1:{python[1]}/")):
        user = User(stage, f'[sources.web]\nservice = "http"\nurl = "{base}"\n')
        with results.check(f"{kind}: the folder of a plain web server can be listed, copied and played with its subfolders") as check:
            listed = user.works("ls", base).decode().splitlines()
            equal(sorted(line.split("  ")[-1] for line in listed), ["0.mp3", "Album & Co/", "notes.txt"], "the listed entries")
            equal(len(user.works("ls", "web:/Album & Co").splitlines()), 2, "entries of a folder of a source")
            target = stage.new_folder(f"got-{kind}") / "new"
            user.works("get", "-r", base, "-o", target)
            equal(sorted(path.name for path in target.rglob("*.*")), [*names, "notes.txt"], "files")
            done = user.run("play", base, "--sink", "null", "--length", "0.1s")
            expect("item 1 of 3: 0.mp3" in done.said, f"it says {done.said!r}")
            check.figure = listed[-1].strip()
        with results.check(f"{kind}: offline, a folder lists its cached files") as check:
            for thing, words in ((base, "ls"), ("web:/", "ls"), (base, "play"), ("web:/Album & Co", "play")):
                more = ["--sink", "null", "--length", "0.1s"] if words == "play" else []
                done = user.run(words, thing, "--offline", *more)
                equal(done.status, 0, f"the status of {words} {thing}, with {done.said!r},")
            done = user.run("exec", base, "--offline", "--", "curl", "-s", "{}")
            equal(len(done.output.splitlines()), 7, f"lines, with {done.said!r},")
            check.figure = user.fails(4, "ls", f"{base}none/", "--offline")
        with results.check(f"{kind}: serve and exec give a playlist of the folder, and its addresses work") as check:
            serving = user.serve(base)
            entry = serving.bases["origin"]
            page = web.fetch(entry)
            equal(page.headers["content-type"], "text/html", "the type of the folder's page")
            expect('<a href="Album%20%26%20Co/">Album &amp; Co/</a>' in page.text, f"no link to its folder: {page.text!r}")
            lines = web.fetch(f"{entry}?m3u").body.decode().splitlines()
            equal([line.partition(",")[2] for line in lines[1::2]], names, "titles")
            for address in lines[2::2]:
                expect(web.fetch(f"{entry}{address}").body == song, f"the bytes of {address} differ")
            equal(web.fetch(f"{entry}none/").status, 404, "the status of a folder that is not there")
            words = [launch.program(stage, "rclone"), "lsf", "-R", "--files-only", ":http:", "--http-url", entry]
            told = subprocess.run(words, capture_output=True, text=True, env=stage.environment, timeout=60)
            expect(len(told.stdout.splitlines()) >= len(names), f"rclone lists {told.stdout!r}: {told.stderr[-300:]!r}")
            root = web.fetch(f"{entry.partition('/origin/')[0]}/?m3u").body.decode().splitlines()
            equal(len(root), 7, f"lines, of {root},")
            serving.stop()
            for thing in (base, "web:/", str(files)):
                done = user.run("exec", thing, "--", "curl", "-s", "{}")
                equal(len(done.output.splitlines()), 7, f"lines for {thing}, with {done.said!r},")
            check.figure = lines[-1]
    with results.check("a user's playlist: paths of a source, and full URLs of a host from the command line") as check:
        playlist = stage.new_folder("own") / "mine.m3u"
        playlist.write_text("web:/0.mp3\nweb:/Album & Co/1.mp3\n")
        target = stage.new_folder("own-got")
        user.works("get", "-r", playlist, "-o", target)
        equal(sorted(path.name for path in target.iterdir()), ["0.mp3", "1.mp3"], "the files in the target")
        playlist.write_text(f"{base}0.mp3\n")
        silent = user.run("get", "-r", playlist, "-o", target / "a", "--header", "X-Token: t")
        expect("does not send the headers of the command line" in silent.said, f"it says {silent.said!r}")
        named = user.run("get", "-r", playlist, f"{base}notes.txt", "-o", target / "b", "--header", "X-Token: t")
        equal((named.status, "does not send the headers of the command line" in named.said), (0, False), f"status and warning, with {named.said!r},")
        check.figure = told_of_headers(silent.said)
    with results.check("get copies a folder of the command line under its own name, and a file beside it") as check:
        target = stage.new_folder("copied")
        done = subprocess.run([place.weir_program(), "get", "-r", f"{base}Album%20&%20Co/", f"{base}notes.txt"], cwd=target,
                              env=user.environment, capture_output=True, timeout=60)
        equal(done.returncode, 0, f"the status, with {done.stderr!r},")
        equal(sorted(str(path.relative_to(target)) for path in target.rglob("*.*")),
              ["Album & Co/1.mp3", "Album & Co/2 ü.mp3", "notes.txt"], "files")
    nginx.stop()
    python[0].stop()
    with results.check("a folder of encrypted files: exec and play say which options play them") as check:
        sealed, user = stage.new_folder("sealed"), User(stage)
        (sealed / "a.mp3.age").write_bytes(by_age(stage, "a", files / "0.mp3").data)
        for words in (("exec", sealed, "--", "true"), ("play", sealed, "--sink", "null")):
            done = user.run(*words)
            expect(done.status in (2, 6) and "--decrypt age" in done.said, f"{words} ends with {done.status}: {done.said!r}")
        check.figure = done.said.strip()
    with results.check("exec hides variables with the origin's credentials from the player") as check:
        user = User(stage)
        user.environment["TOKEN"] = "OAuth s3cret"
        user.environment["OTHER"] = "s3cret"
        user.configure(f'[sources.web]\nservice = "http"\nurl = "{base}"\nheader-env = ["X-Token=OTHER"]\n')
        words = ("exec", files / "0.mp3", "--header-env", "Authorization=TOKEN", "--", "sh", "-c", "echo [$TOKEN$OTHER]")
        check.figure = user.works(*words).decode().strip()
        equal(check.figure, "[]", "the player's variables")


def told_of_headers(text):
    return next(line for line in text.splitlines() if "does not send the headers of the command line" in line)


def reads_anew(results, stage, song):
    files = stage.new_folder("first")
    other = stage.new_folder("second")
    for folder in (files, other):
        (folder / "a.mp3").write_bytes(song * 40)
    section = '[sources.{name}]\nservice = "files"\npath = "{path}"\n'
    user = User(stage, section.format(name="one", path=files))
    with results.check("SIGHUP without a terminal: serve reads the configuration again, and a reader continues") as check:
        program = stage.put(Program(
            ["setsid", "--wait", place.weir_program(), "serve", "--listen", "127.0.0.1:0"], stage.folder, "again", user.environment
        ))
        base = waiting.until(lambda: program.output.strip() or None, 20, "a URL")
        pid = int(subprocess.run(["pgrep", "-P", str(program.pid)], capture_output=True, check=False).stdout or program.pid)
        reader = web.Download(f"{base}a.mp3")
        expect(reader.read_exactly(100_000) == (song * 40)[:100_000], "the bytes differ")
        user.configure(section.format(name="two", path=other))
        os.kill(pid, signal.SIGHUP)
        added = waiting.until(lambda: next((line for line in program.output.splitlines() if "/two/" in line), None), 20, "another URL")
        expect(web.fetch(f"{added}a.mp3").body == song * 40, "the bytes differ")
        equal(web.fetch(f"{base}a.mp3").status, 404, "the status of a source that is no longer served")
        expect(reader.read_exactly(len(song) * 40 - 100_000) == (song * 40)[100_000:], "the reader's bytes differ")
        user.configure("[sources.")
        os.kill(pid, signal.SIGHUP)
        waiting.until(lambda: "warning: The served sources have not changed." in program.error, 20, "a warning")
        expect(web.fetch(f"{added}a.mp3").status == 200, "serve stopped working")
        os.kill(pid, signal.SIGTERM)
        equal(program.wait(), 0, "the status")
        check.figure = program.error.strip().splitlines()[0][:100]
    with results.check("SIGHUP from its terminal ends serve with 0"):
        user.configure(section.format(name="one", path=files))
        terminal = Terminal(stage, 90, 24, environment=user.environment)
        file = stage.folder / "pid-serve"
        terminal.type(f"clear; (echo $BASHPID >{file}; exec {place.weir_program()} serve --listen 127.0.0.1:0); echo ended-$?")
        terminal.wait_for("/one/")
        os.kill(int(file.read_text()), signal.SIGHUP)
        terminal.wait_for("ended-0")
        terminal.close()


def inherits(results, stage, server, song):
    user = User(stage)
    with results.check("serve accepts a listening socket from a service manager") as check, socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        # The shell passes the socket as systemd does: it is descriptor 3, and LISTEN_PID names the process.
        words = f'exec 3<&{listener.fileno()}; LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"'
        program = subprocess.Popen(
            ["sh", "-c", words, "sh", str(place.weir_program()), "serve", server.base],
            pass_fds=[listener.fileno()], env=user.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        try:
            base = program.stdout.readline().strip()
            expect(f"127.0.0.1:{port}/" in base, f"it serves {base}")
            expect(web.fetch(f"{base}song.mp3").body == song, "the bytes differ")
            program.send_signal(signal.SIGTERM)
            equal(program.wait(20), 0, "the status")
            check.figure = f"port {port}"
        finally:
            program.kill()
            program.wait()
            program.stdout.close()
