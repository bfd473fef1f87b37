# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The user's files: without --force, no writer replaces an existing file or follows a link."""

import os
import shlex
import stat
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import speech
from check_results import equal, expect
from stage import media, place, sounds
from stage.origin import Origin, content
from stage.stage import Stage
from stage.weir import Weir, command
from topics import disks

PRECIOUS = b"what must not be lost\n"
# The object at the target path, and whether --force replaces it.
OCCUPANTS = {"file": True, "link": True, "broken": True, "link-to-folder": True, "folder": False}


def run(results):
    with Stage("files") as stage:
        files = Files(stage)
        for writer in files.writers():
            with results.check(f"{writer.name}: an existing file stays unchanged without --force") as check:
                check.figure = refuses(stage, writer)
            with results.check(f"{writer.name}: --force replaces a file or a link, but not the link's target or a folder"):
                forces(stage, writer)
        names(results, stage, files)
        devices(results, stage, files)
        descriptors(results, stage, files)
        wrong_key(results, stage, files)
        recording(results, stage, files)
        listed(results, stage, files)


class Writer:
    """A command that writes a file: `words` receives the path, or None if the command chooses the name.

    `name_in_folders` is the file's name if the path is a folder; None if the command refuses a folder."""

    def __init__(self, name, words, own_name=None, writes_pipes=False, name_in_folders=None):
        self.name = name
        self.words = words
        self.own_name = own_name
        self.writes_pipes = writes_pipes
        self.name_in_folders = name_in_folders

    def run(self, stage, folder, name, *more):
        path = None if self.own_name else folder / name
        return command(stage, *self.words(path), *more, folder=folder)


class Files:
    """An origin, a warm cache, and files to seal and to play."""

    def __init__(self, stage):
        self.stage = stage
        self.song = (media.folder() / "song.mp3").read_bytes()
        self.named = {}
        self.origin = Origin(stage, {"/song.mp3": content(self.song), "/named": self.answer_named})
        self.cache = stage.new_folder("cache")
        self.url = self.origin.base + "song.mp3"
        self.short = stage.folder / "short.wav"
        sounds.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "sine=duration=0.2", self.short])
        self.key = stage.folder / "film.key"
        self.key.write_text(os.urandom(32).hex())
        self.key.chmod(0o600)
        done = command(stage, "get", self.url, "-o", "-", "--quiet", "--cache", self.cache)
        equal(done.returncode, 0, f"the exit status, with {done.stderr.decode()!r},")

    def answer_named(self, handler):
        handler.answer(200, self.song, Content_Type="audio/mpeg", Content_Disposition=self.disposition, ETag='"1"')

    def get(self, path):
        return ["get", self.url, "--quiet", "--cache", self.cache, *(["-o", path] if path else [])]

    def export(self, path):
        return ["cache", "export", self.url, "--cache", self.cache, *(["-o", path] if path else [])]

    def seal(self, path):
        return ["seal", self.short, "--for", "aes-ctr", "--key-file", self.key, "-o", path, "--quiet"]

    def play(self, path):
        return ["play", self.short, "--sink", f"wav:{path}", "--quiet", "--cache", self.cache]

    def writers(self):
        yield Writer("get -o", self.get, writes_pipes=True, name_in_folders="song.mp3")
        yield Writer("get", self.get, own_name="song.mp3")
        yield Writer("cache export -o", self.export)
        yield Writer("cache export", self.export, own_name="song.mp3")
        yield Writer("seal -o", self.seal)
        yield Writer("play --sink wav:", self.play)


def scene(stage, occupant, name):
    """A folder with precious content, and the occupant under the given name."""
    folder = stage.new_folder("target")
    (folder / "precious").write_bytes(PRECIOUS)
    (folder / "precious-folder").mkdir()
    path = folder / name
    if occupant == "file":
        path.write_bytes(PRECIOUS)
    elif occupant == "folder":
        path.mkdir()
    elif occupant == "pipe":
        os.mkfifo(path)
    elif occupant:
        path.symlink_to({"link": "precious", "broken": "none", "link-to-folder": "precious-folder"}[occupant])
    return folder


def seen(folder):
    """The folder's whole content, without following links: names, kinds and contents."""
    found = {}
    for path in sorted(folder.rglob("*")):
        kind = stat.S_IFMT(path.lstat().st_mode)
        what = os.readlink(path) if path.is_symlink() else path.read_bytes() if stat.S_ISREG(kind) else b""
        found[str(path.relative_to(folder))] = (kind, what)
    return found


def refuses(stage, writer):
    occupants = list(OCCUPANTS) + ([] if writer.writes_pipes else ["pipe"])
    for occupant in occupants:
        name = writer.own_name or "new"
        folder = scene(stage, occupant, name)
        before = seen(folder)
        done = writer.run(stage, folder, name)
        if occupant == "folder" and writer.name_in_folders:
            enters(writer, done, folder / name, before)
            continue
        expect(done.returncode != 0, f"{occupant}: it ended with 0")
        equal(seen(folder), before, f"{occupant}: the files there")
        said = speech.sentence(done.stderr.decode(), done.returncode)
        if OCCUPANTS.get(occupant):
            equal(done.returncode, 2, f"{occupant}: the exit status")
            expect("--force" in said, f"{occupant}: {said!r} does not mention --force")
            if not writer.name.startswith("play"):
                expect("-o" in said, f"{occupant}: {said!r} does not mention -o")
    folder = scene(stage, None, "new")
    done = writer.run(stage, folder, writer.own_name or "new")
    equal(done.returncode, 0, f"the exit status without an existing file, with {done.stderr.decode()!r},")
    path = folder / (writer.own_name or "new")
    expect(path.is_file() and path.stat().st_size > 1000, f"{path} was not written")
    equal(set(seen(folder)), {"precious", "precious-folder", path.name}, "the files")
    read_only = disks.read_only_folder(stage)
    done = writer.run(stage, read_only, writer.own_name or "new")
    expect(done.returncode in (1, 5), f"in a folder that is read-only it ended with {done.returncode}")
    equal(list(read_only.iterdir()), [], "the files in the read-only folder")
    return speech.sentence(done.stderr.decode(), done.returncode)


def enters(writer, done, folder, before):
    """Expects that the command wrote its file into the folder, and changed no other file."""
    equal(done.returncode, 0, f"folder: the exit status, with {done.stderr.decode()!r},")
    after = seen(folder.parent)
    kind, what = after.pop(f"{folder.name}/{writer.name_in_folders}", (None, b""))
    expect(kind == stat.S_IFREG and len(what) > 1000, f"no file in the folder: {sorted(after)}")
    equal(after, before, "folder: the other files there")


def forces(stage, writer):
    for occupant, goes in OCCUPANTS.items():
        name = writer.own_name or "new"
        folder = scene(stage, occupant, name)
        before = seen(folder)
        done = writer.run(stage, folder, name, "--force")
        path = folder / name
        if occupant == "folder" and writer.name_in_folders:
            enters(writer, done, path, before)
            continue
        if not goes:
            expect(done.returncode != 0, f"{occupant}: it ended with 0")
            equal(seen(folder), before, f"{occupant}: the files there")
            continue
        equal(done.returncode, 0, f"{occupant}: the exit status, with {done.stderr.decode()!r},")
        expect(not path.is_symlink() and path.is_file() and path.stat().st_size > 1000, f"{occupant} was not replaced")
        after = seen(folder)
        after.pop(name)
        before.pop(name)
        equal(after, before, f"{occupant}: the other files there")


# Values of Content-Disposition that an origin may send, and the resulting file name.
DISPOSITIONS = {
    'attachment; filename=".bashrc"': "bashrc", 'attachment; filename="-"': "named", 'attachment; filename="--help"': "help",
    'attachment; filename="../../x.mp3"': "x.mp3", "attachment; filename*=UTF-8''..%2F%CC%81x.mp3": "\u0301x.mp3",
    'attachment; filename="/dev/stdout"': "stdout", "attachment; filename*=UTF-8''a%0Ab%1B%5B31m.mp3": "a b[31m.mp3",
    "attachment; filename*=UTF-8''evil%E2%80%AE3pm.exe": "evil3pm.exe", 'attachment; filename="con.mp3"': "_con.mp3",
    "attachment; filename*=UTF-8''" + "%C3%BC" * 300 + ".mp3": "ü" * 125 + ".mp3",
}


def names(results, stage, files):
    with results.check("names from servers cannot leave the folder, hide the file or act as options") as check:
        for disposition, name in DISPOSITIONS.items():
            files.disposition = disposition
            folder = stage.new_folder("target")
            cache = stage.new_folder("cache")
            done = command(stage, "get", files.origin.base + "named", "--quiet", "--cache", cache, folder=folder)
            equal(done.returncode, 0, f"the exit status of {disposition!r}, with {done.stderr.decode()!r},")
            equal(done.stdout, b"", f"the standard output of {disposition!r}")
            equal([path.name for path in folder.iterdir()], [name], f"the files of {disposition!r}")
        check.figure = f"{len(DISPOSITIONS)} names"


def devices(results, stage, files):
    with results.check("get writes to -o /dev/null, /dev/stdout and a pipe with a reader, and does not replace them"):
        done = command(stage, *files.get("/dev/null"))
        equal(done.returncode, 0, f"the exit status, with {done.stderr.decode()!r},")
        expect(Path("/dev/null").is_char_device(), "/dev/null was replaced")
        done = command(stage, *files.get("/dev/stdout"))
        expect(done.stdout == files.song, f"{len(done.stdout)} bytes came on standard output")
        folder = scene(stage, "pipe", "new")
        read = []
        reader = threading.Thread(target=lambda: read.append((folder / "new").read_bytes()), daemon=True)
        reader.start()
        done = command(stage, *files.get(folder / "new"))
        reader.join(10)
        expect(read == [files.song], "the song did not come through the pipe")
        expect((folder / "new").is_fifo(), "the pipe was replaced")


def descriptors(results, stage, files):
    with results.check("weir writes only to inherited descriptors, and does not reuse closed standard ones"):
        for number in range(5, 12):
            done = command(stage, *files.get(f"/dev/fd/{number}"))
            equal(done.returncode, 1, f"the exit status of -o /dev/fd/{number}")
        folder = scene(stage, None, "new")
        words = shlex.join(str(word) for word in [place.weir_program(), *files.get(folder / "new")])
        script = f"exec {words} <&- >&- 2>&-"
        done = subprocess.run(["bash", "-c", script], env=stage.environment, timeout=60)
        equal(done.returncode, 0, "the exit status without standard descriptors")
        expect((folder / "new").read_bytes() == files.song, "the file is not the song")
    with results.check("failing to write a list is an error"):
        with open("/dev/full", "wb") as full:
            words = [place.weir_program(), "cache", "path"]
            done = subprocess.run(words, env=stage.environment, stdout=full, stderr=subprocess.PIPE, timeout=60)
        equal(done.returncode, 1, f"the exit status, with {done.stderr.decode()!r},")


def wrong_key(results, stage, files):
    with results.check("a wrong key ends with 6 and changes no file; --force writes the bytes") as check:
        folder = stage.new_folder("target")
        wrong = stage.folder / "wrong.key"
        wrong.write_text(os.urandom(32).hex())
        wrong.chmod(0o600)
        sealed = folder / "sealed"
        equal(command(stage, *files.seal(sealed)).returncode, 0, "the exit status of seal")
        film = folder / "film.wav"
        film.write_bytes(files.short.read_bytes())

        def get(key, *more):
            return command(stage, "get", sealed, "-o", film, "--decrypt", "aes-ctr", "--iv", "prefix", "--key-file", key,
                           "--quiet", "--cache", stage.new_folder("cache"), *more)

        for path in (film, folder / "new.wav"):
            before = seen(folder)
            film = path
            done = get(wrong)
            equal(done.returncode, 2 if path.exists() else 6, f"the exit status, with {done.stderr.decode()!r},")
            equal(seen(folder), before, "the files there")
        check.figure = speech.sentence(done.stderr.decode(), 6)
        expect("--force" in check.figure, f"{check.figure!r} does not mention --force")
        equal(get(files.key).returncode, 0, "the exit status with the right key")
        expect(film.read_bytes() == files.short.read_bytes(), "the right key gives other bytes")
        equal(get(wrong, "--force").returncode, 0, "the exit status with --force")
        expect(film.stat().st_size == files.short.stat().st_size, "--force did not keep the bytes")
        expect(film.read_bytes() != files.short.read_bytes(), "--force did not replace the file")


def recording(results, stage, files):
    """Records a station whose name contains a path to another folder."""

    def station(handler):
        handler.send_response(200)
        for name, value in (("Content-Type", "audio/mpeg"), ("icy-name", "Evil"), ("Connection", "close")):
            handler.send_header(name, value)
        handler.end_headers()
        handler.close_connection = True
        handler.wfile.write(files.song[: 1 << 17])
        # Sends until the listener leaves: a station has no end.
        handler.rfile.read(1)

    files.origin.routes["/a%2F..%2F-evil"] = station
    words = ["play", files.origin.base + "a%2F..%2F-evil", "--record", "into", "--sink", "null", "--length", "0.5s", "--quiet"]
    name = "01 a_.._-evil.mp3"
    with results.check("play --record numbers its file if the name is taken; --force replaces a file or link"):
        cases = [(occupant, force) for occupant in (None, "file", "link", "broken", "folder", "pipe") for force in ([], ["--force"])]
        places = []
        for occupant, _ in cases:
            outer = stage.new_folder("target")
            scene(stage, occupant, name).rename(outer / "into")
            places.append((outer, seen(outer), stage.new_folder("cache")))

        def record(number):
            outer, _, cache = places[number]
            return command(stage, *words, *cases[number][1], "--cache", cache, folder=outer)

        # Each recording takes as long as its sound, so they run in parallel.
        with ThreadPoolExecutor(4) as pool:
            runs = list(pool.map(record, range(len(cases))))
        for (occupant, force), (outer, before, _), done in zip(cases, places, runs):
            equal(done.returncode, 0, f"{occupant}: the exit status, with {done.stderr.decode()!r},")
            goes = occupant is None or force and OCCUPANTS.get(occupant)
            other = name.replace(".mp3", " (2).mp3") if force else name.replace("01", "02")
            path = outer / "into" / (name if goes else other)
            expect(path.is_file() and not path.is_symlink() and path.stat().st_size > 1000,
                   f"{occupant} {force}: there are {list(seen(outer))}")
            after = seen(outer)
            after.pop(f"into/{path.name}")
            if goes:
                before.pop(f"into/{name}", None)
            equal(after, before, f"{occupant} {force}: the other files there")


# File names as bytes, and as `ls` prints them.
ODD = {
    b"a\nb.mp3": "a\\x0Ab.mp3", b"t\tab.mp3": "t\\x09ab.mp3", b"caf\xe9.mp3": "caf\\xE9.mp3", b"a\\x0Ab.mp3": "a\\x5Cx0Ab.mp3",
    b"back\\slash.mp3": "back\\slash.mp3", "ü 音#1?;x.mp3".encode(): "ü 音#1?;x.mp3",
}


def listed(results, stage, files):
    folder = stage.new_folder("odd")
    for name in ODD:
        with open(os.fsencode(folder) + b"/" + name, "wb") as file:
            file.write(files.song + name)
    with results.check("names with line breaks, invalid text or backslashes are listed, and the listed form opens them"):
        done = command(stage, "ls", folder)
        lines = done.stdout.decode().splitlines()
        equal([line[30:] for line in lines], sorted(ODD.values()), "the names")
        for name, text in ODD.items():
            got = command(stage, "get", f"{folder}/{text}", "-o", "-", "--quiet")
            expect(got.stdout == files.song + name, f"{text} does not open: {got.stderr.decode()!r}")
    with results.check("the URLs of their playlist open them too"):
        weir = Weir(stage, folder)
        lines = command(stage, "ls", folder, "--m3u").stdout.decode().splitlines()
        urls = [line for line in lines if not line.startswith("#")]
        equal(len(urls), len(ODD), "the number of URLs")
        bodies = set()
        for url in urls:
            target = url.partition("/origin/")[2]
            body = subprocess.run(["curl", "-sf", "--path-as-is", weir.url(target)], capture_output=True).stdout
            bodies.add(body)
        equal(bodies, {files.song + name for name in ODD}, "the bodies")
        weir.stop()
