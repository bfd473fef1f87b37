# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Servers of other people: packed though nobody asked, with Digest in front, with a file that grows, away for a while."""

import gzip
import shutil
import subprocess
from urllib.parse import quote

from board import equal, expect
from clouds import User
from servers.apache_dav import ApacheDAV
from stage import media, waiting, web
from stage.nginx import Nginx
from stage.stage import Stage
from stage.weir import Weir


def run(board):
    with Stage("others") as stage:
        packed(board, stage)
        digest(board, stage)
        grows(board, stage)
        away(board, stage)


def curl(stage, *words):
    """What curl reads."""
    done = subprocess.run(
        [shutil.which("curl"), "-sS", "--fail", *map(str, words)], capture_output=True, env=stage.environment, timeout=60
    )
    equal(done.returncode, 0, f"curl's exit status, with {done.stderr!r},")
    return done.stdout


def packed(board, stage):
    song = (media.folder() / "song.mp3").read_bytes()
    folder = stage.new_folder("packed")
    (folder / "song.mp3.gz").write_bytes(gzip.compress(song))
    (folder / "cut.mp3.gz").write_bytes(gzip.compress(song)[:-1000])
    nginx = Nginx(stage, folder, more="gzip_static always;")
    plain = Nginx(stage, folder, more="add_header Content-Encoding gzip;")
    weir = Weir(stage, nginx.base)
    with board.check("gzip that nobody asked for is taken off, and a range of what is held comes from here"):
        expect(web.fetch(nginx.base + "song.mp3").body[:2] == b"\x1f\x8b", "nginx sends it as it is")
        # Before the end has come nobody knows the length, and a part cannot be told from the whole.
        expect(curl(stage, "-r", "1000-1999", weir.url("song.mp3")) == song, "the whole in place of a range differs")
        asked = len(nginx.settled().requests())
        expect(curl(stage, weir.url("song.mp3")) == song, "what is held differs")
        expect(curl(stage, "-r", "1000-1999", weir.url("song.mp3")) == song[1000:2000], "the range differs")
        equal(len(nginx.settled().requests()), asked, "the number of requests")
    with board.check("gzip that is cut is an error in a sentence, and no end"):
        said = User(stage).fails(6, "get", nginx.base + "cut.mp3", "-o", stage.folder / "cut.mp3")
        expect("gzip that ends before its end" in said, f"it says {said!r}")
    with board.check("a file that is gzip itself stays packed, with its length and its ranges"):
        weir = Weir(stage, plain.base)
        data = (folder / "song.mp3.gz").read_bytes()
        expect(curl(stage, "-r", "500-999", weir.url("song.mp3.gz")) == data[500:1000], "the range differs")
        expect(curl(stage, weir.url("song.mp3.gz")) == data, "the whole differs")


def digest(board, stage):
    folder = stage.new_folder("digest")
    shutil.copy(media.folder() / "song.mp3", folder)
    song = (folder / "song.mp3").read_bytes()
    apache = ApacheDAV(stage, folder)
    user, password = quote(apache.user), quote(apache.password, safe="")
    address = apache.base.replace("//", f"//{user}:{password}@") + "digest/song.mp3"
    with board.check("user and password of an address are sent as Digest where Apache asks for it"):
        expect(User(stage).get(address) == song, "the bytes differ")
        sent = ["".join(asked.all("Authorization")).strip().partition(" ")[0] for asked in apache.requests]
        equal(sent[:2], ["Basic", "Digest"], "the schemes that it sends")
    with board.check("a wrong password is told after one answer to the challenge"):
        before = len(apache.requests)
        User(stage).fails(3, "get", address.replace(password, "wrong"), "-o", stage.folder / "wrong.mp3")
        equal(len(apache.requests) - before, 2, "the number of requests")


def grows(board, stage):
    folder = stage.new_folder("grows")
    song = (media.folder() / "song.mp3").read_bytes()
    half = len(song) // 2
    file = folder / "song.mp3"
    file.write_bytes(song[:half])
    nginx = Nginx(stage, folder)
    weir = Weir(stage, nginx.base)
    with board.check("a file that has grown is read behind its held end at once"):
        expect(curl(stage, weir.url("song.mp3")) == song[:half], "the first half differs")
        file.write_bytes(song)
        # nginx keeps what it knows of a file for a second.
        waiting.until(lambda: web.fetch(nginx.base + "song.mp3", method="HEAD").headers["content-length"] == str(len(song)),
                      10, "nginx's new length")
        expect(curl(stage, "-r", f"{half}-", weir.url("song.mp3")) == song[half:], "the second half differs")
        expect(curl(stage, weir.url("song.mp3")) == song, "the whole differs")


def away(board, stage):
    folder = stage.new_folder("away")
    shutil.copy(media.folder() / "song.mp3", folder)
    nginx = Nginx(stage, folder)
    nginx.stop()
    target = stage.folder / "away.mp3"
    with board.check("with --retry-for 0s an origin that is away is told at once"):
        User(stage).fails(4, "get", nginx.base + "song.mp3", "-o", target, "--retry-for", "0s")
    with board.check("with --retry-for an answer waits for an origin that is away, and gets the file"):
        getting = User(stage).start("get", nginx.base + "song.mp3", "-o", target, "--retry-for", "60s", "-v")
        # Three tries are all that there are without it.
        waiting.until(lambda: getting.error.count("trying again") > 3, 30, "the fourth try")
        Nginx(stage, folder, port=nginx.port)
        waiting.until(lambda: not getting.is_alive(), 30, "the end of get")
        equal(getting.poll(), 0, f"the exit status, with {getting.error[-300:]!r},")
        equal(media.digest(target), media.digest(folder / "song.mp3"), "its SHA-256")
