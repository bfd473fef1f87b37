# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""`weir exec` runs a player and ends with its status; `weir --help` shows how to begin."""

import hashlib
import os
import signal
import subprocess

import speech
from check_results import Skipped, equal, expect
from stage import media, place, waiting, web
from stage.nginx import Nginx
from stage.program import Program
from stage.stage import Stage
from stage.weir import command, parse_summary


def run(results):
    folder = media.folder()
    with Stage("running") as stage:
        nginx = Nginx(stage, folder, token="exec-token-30bd")
        cache = stage.new_folder("cache")
        source = (nginx.base + "song.mp3", "--header", nginx.header, "--account", "me", "--cache", cache)
        digest = media.digest(folder / "song.mp3")
        with results.check("exec puts the URL in the place of {}"):
            script = 'curl -sS --fail "$1" | sha256sum; echo "$2"'
            done = command(stage, "exec", *source, "--", "sh", "-c", script, "sh", "{}", "x{}y")
            words = done.stdout.decode().split()
            equal((done.returncode, words[0]), (0, digest), "exit status and SHA-256")
            expect(words[2].startswith("xhttp://127.0.0.1:") and words[2].endswith("/song.mp3y"), f"{words[2]}")
        with results.check("exec puts the URL at the end where there is no {}"):
            done = command(stage, "exec", *source, "--", "curl", "-sS", "--fail")
            expect(done.stdout == (folder / "song.mp3").read_bytes(), f"{done.stderr.decode()[:300]}")
        with results.check("exec ends with the player's exit code, or 128 and its signal"):
            for script, status in (("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137)):
                done = command(stage, "exec", *source, "--", "sh", "-c", script)
                equal(done.returncode, status, f"the exit status of {script!r}")
        with results.check("SIGTERM to exec reaches the player"):
            words = [place.weir_program(), "exec", *source, "--", "sh", "-c", "echo up; exec sleep 60"]
            program = stage.put(Program(words, stage.folder, "exec", stage.environment))
            waiting.until(lambda: "up" in program.output, 20, "the player's start")
            equal(program.stop(signal.SIGTERM), 128 + signal.SIGTERM, "the exit status")
        with results.check("a missing player is reported") as check:
            done = command(stage, "exec", *source, "--", "no-such-player")
            equal(done.returncode, 1, "the exit status")
            check.figure = speech.sentence(done.stderr.decode())
        with results.check("mpv plays through exec") as check:
            words = ("mpv", "--no-config", "--ao=null", "--vo=null", "--length=1", "--really-quiet", "{}")
            done = command(stage, "exec", *source, "--verbose", "--", *words)
            equal(done.returncode, 0, f"the exit status, with {done.stderr.decode()[-300:]!r},")
            summary = parse_summary(done.stderr.decode())
            expect(summary is not None, "there is no summary")
            check.figure = f"{summary.asked} requests, {summary.origin} of the origin"
        others(results, stage, source, digest)
        helps(results, stage)


def others(results, stage, source, digest):
    """Another user of the machine can read the player's arguments, but cannot read the media."""
    script = 'echo "$1"; exec sleep 60'
    words = [place.weir_program(), "exec", *source, "--verbose", "--", "sh", "-c", script, "sh", "{}"]
    program = stage.put(Program(words, stage.folder, "given", stage.environment))
    url = waiting.until(lambda: program.output.strip() or None, 20, "the player's URL")
    port = url.split("/")[2].rpartition(":")[2]
    target = url.partition(f":{port}")[2]
    with results.check("exec serves a player of the same user"):
        equal(hashlib.sha256(web.fetch(url).body).hexdigest(), digest, "SHA-256")
    with results.check("exec refuses another user of this machine, and says so once") as check:
        as_another_user("true")
        for _ in range(2):
            done = as_another_user("curl", "-sS", "--max-time", "20", url)
            expect(done.returncode != 0 and done.stdout == b"", f"curl ended with {done.returncode}: {done.stdout[:100]}")
        line = waiting.until(lambda: refusals(program) or None, 20, "the warning")
        equal(len(line), 1, "the number of warnings")
        check.figure = line[0]
    with results.check("another user who disconnects at once causes no fetch and gets no answer"):
        before = requests(program)
        leaving = f"exec 3<>/dev/tcp/127.0.0.1/{port}; printf 'GET {target} HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\n\\r\\n' >&3; exec 3>&-"
        for _ in range(20):
            as_another_user("bash", "-c", leaving)
        # Weir accepts connections in order: after this answer, it has handled all earlier ones.
        equal(hashlib.sha256(web.fetch(url).body).hexdigest(), digest, "SHA-256")
        waiting.until(lambda: requests(program) > before, 20, "the line of the last request")
        equal(requests(program), before + 1, "the number of answered requests")
    with results.check("the URL of exec is valid until exec ends, and the next run has another one"):
        program.stop(signal.SIGTERM)
        try:
            web.fetch(url)
        except OSError:
            pass
        else:
            expect(False, "the URL still answers")
        done = command(stage, "exec", *source, "--", "echo", "{}")
        again = done.stdout.decode().strip()
        expect(again.split("/")[3] != url.split("/")[3], "the secret is the same")


def refusals(program):
    return [line for line in program.error.splitlines() if "Weir refused a request of a program" in line]


def requests(program):
    return sum(line.startswith("GET ") for line in program.error.splitlines())


def as_another_user(*words):
    """Runs a program as `nobody`, the user who owns no files."""
    if os.geteuid() != 0:
        raise Skipped("a second user needs root")
    return subprocess.run(
        words, user=65534, group=65534, extra_groups=[], cwd="/", env={"PATH": "/usr/bin:/bin"},
        stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
    )


def helps(results, stage):
    with results.check("--help lists the commands and the exit status, every command has examples"):
        text = command(stage, "--help").stdout.decode()
        for word in ("serve", "exec", "get", "cache", "EXIT STATUS", "130"):
            expect(word in text, f"{word} is not in weir --help")
        for words in (("serve",), ("exec",), ("get",), ("cache", "list"), ("cache", "remove"), ("cache", "clear")):
            done = command(stage, *words, "--help")
            equal(done.returncode, 0, "the exit status")
            expect("EXAMPLES" in done.stdout.decode(), f"weir {' '.join(words)} --help has no examples")
    with results.check("--version prints a version"):
        expect(command(stage, "--version").stdout.strip()[:1].isdigit(), "it prints no version")
