# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Every help text, and the message for every wrong command line, equals the stored text."""

import re

import texts
from check_results import equal, expect
from clouds import User
from stage.stage import Stage

# Wrong command lines; each is stored with its number of words and its message.
WRONG = [
    "plya",
    "help plya",
    "https://cloud.example/a.mp3",
    "cache lst",
    "help cache lst",
    "serve --lisen 127.0.0.1:0",
    "serve --listen 4747",
    "serve --no-secret --new-secret",
    "serve --no-secret --listen 0.0.0.0:0 http://127.0.0.1:1/",
    "serve",
    "exec http://127.0.0.1:1/a.mp3",
    "play",
    "play --sink wav",
    "play --length soon a.mp3",
    "play --volume 120 a.mp3",
    "get",
    "get a.mp3",
    "get http://",
    "get ftp://cloud.example/a.mp3",
    "get http://127.0.0.1:1/a.mp3 --cache-limit 20GX",
    "get http://127.0.0.1:1/a.mp3 --cache-age 30",
    "get http://127.0.0.1:1/a.mp3 --keep some",
    "get http://127.0.0.1:1/a.mp3 --header Authorization",
    "get http://127.0.0.1:1/a.mp3 http://127.0.0.1:1/b.mp3 -o -",
    "get http://127.0.0.1:1/a.mp3 --limit-rate 0",
    "ls nowhere:/",
    "cache remove nothing",
    "cache export",
    "radio add jazz",
    "seal",
    "login yandez --client-id x",
]


def run(results):
    with Stage("words") as stage:
        user = User(stage)
        with results.check("every help text") as check:
            commands = list(named(user, ()))
            for words in commands:
                text = user.works(*words, "--help").decode()
                name = "-".join(("help", *words))
                if not texts.KEEP:
                    longest = max(len(line) for line in text.splitlines() if not line.startswith("USAGE: "))
                    expect(longest <= 100, f"a line of {longest} characters in the help of {words}")
                texts.compare(name, text, {str(user.home): "HOME"})
                equal(user.works("help", *words).decode(), text, f"the text of weir help {' '.join(words)}")
            check.figure = f"{len(commands)} texts"
        with results.check("every wrong command line: the command's name, the error and the status") as check:
            said = []
            for line in WRONG:
                done = user.run(*line.split())
                said.append(f"$ weir {line}\n{done.said.rstrip()}\n[{done.status}]\n")
                expect(re.match(r"weir( [a-z]+)*: ", done.said), f"'weir {line}' says {done.said!r}")
            texts.compare("wrong", "\n".join(said), {str(user.home): "HOME"})
            check.figure = f"{len(WRONG)} command lines"
        with results.check("an invalid environment variable is named, with its valid values") as check:
            done = User(stage, WEIR_CACHE_LIMIT="20 GX").run("get", "http://127.0.0.1:1/a.mp3")
            equal(done.status, 2, "the status")
            texts.compare("wrong-variable", done.said)
            check.figure = done.said.splitlines()[0]


def named(user, words):
    """All commands, each as its words."""
    yield words
    text = user.works(*words, "--help").decode()
    part = text.partition("SUBCOMMANDS:\n")[2].partition("\n\n")[0]
    for name in re.findall(r"^  (\w+)\b", part, re.MULTILINE):
        yield from named(user, (*words, name))
