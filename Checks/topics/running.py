# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""`weir exec` runs a player and ends as it ends; `weir --help` teaches."""

import signal

import speech
from board import equal, expect
from stage import media, place, waiting
from stage.nginx import Nginx
from stage.program import Program
from stage.stage import Stage
from stage.weir import command, parse_summary


def run(board):
    folder = media.folder()
    with Stage("running") as stage:
        nginx = Nginx(stage, folder, token="exec-token-30bd")
        cache = stage.new_folder("cache")
        source = (nginx.base + "song.mp3", "--header", nginx.header, "--account", "me", "--cache", cache)
        digest = media.digest(folder / "song.mp3")
        with board.check("exec puts the URL in the place of {}"):
            script = 'curl -sS --fail "$1" | sha256sum; echo "$2"'
            done = command(stage, "exec", *source, "--", "sh", "-c", script, "sh", "{}", "x{}y")
            words = done.stdout.decode().split()
            equal((done.returncode, words[0]), (0, digest), "exit status and SHA-256")
            expect(words[2].startswith("xhttp://127.0.0.1:") and words[2].endswith("/song.mp3y"), f"{words[2]}")
        with board.check("exec puts the URL at the end where there is no {}"):
            done = command(stage, "exec", *source, "--", "curl", "-sS", "--fail")
            expect(done.stdout == (folder / "song.mp3").read_bytes(), f"{done.stderr.decode()[:300]}")
        with board.check("exec ends with the player's exit code, or 128 and its signal"):
            for script, status in (("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137)):
                done = command(stage, "exec", *source, "--", "sh", "-c", script)
                equal(done.returncode, status, f"the exit status of {script!r}")
        with board.check("SIGTERM to exec reaches the player"):
            words = [place.weir_program(), "exec", *source, "--", "sh", "-c", "echo up; exec sleep 60"]
            program = stage.put(Program(words, stage.folder, "exec", stage.environment))
            waiting.until(lambda: "up" in program.output, 20, "the player's start")
            equal(program.stop(signal.SIGTERM), 128 + signal.SIGTERM, "the exit status")
        with board.check("a player that is not there is said") as check:
            done = command(stage, "exec", *source, "--", "no-such-player")
            equal(done.returncode, 1, "the exit status")
            check.figure = speech.sentence(done.stderr.decode())
        with board.check("mpv plays through exec") as check:
            words = ("mpv", "--no-config", "--ao=null", "--vo=null", "--length=1", "--really-quiet", "{}")
            done = command(stage, "exec", *source, "--verbose", "--", *words)
            equal(done.returncode, 0, f"the exit status, with {done.stderr.decode()[-300:]!r},")
            summary = parse_summary(done.stderr.decode())
            expect(summary is not None, "there is no summary")
            check.figure = f"{summary.asked} requests, {summary.origin} of the origin"
        helps(board, stage)


def helps(board, stage):
    with board.check("--help lists the commands and the exit status, every command has examples"):
        text = command(stage, "--help").stdout.decode()
        for word in ("serve", "exec", "get", "cache", "EXIT STATUS", "130"):
            expect(word in text, f"{word} is not in weir --help")
        for words in (("serve",), ("exec",), ("get",), ("cache", "list"), ("cache", "remove"), ("cache", "clear")):
            done = command(stage, *words, "--help")
            equal(done.returncode, 0, "the exit status")
            expect("EXAMPLES" in done.stdout.decode(), f"weir {' '.join(words)} --help has no examples")
    with board.check("--version prints a version"):
        expect(command(stage, "--version").stdout.strip()[:1].isdigit(), "it prints none")
