# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A new user follows `weir --help`: every example of it runs against servers on this machine."""

import re
import shlex

from check_results import equal, expect
from clouds import User, same
from servers import recorder
from servers.recorder import Recorder
from servers.yandex_disk import YandexDisk
from stage import media, players, waiting, web
from stage.stage import Stage
from stage.weir import Weir

COMMANDS = ("serve", "exec", "get", "ls", "cache", "login", "logout", "accounts")


def run(results):
    with Stage("newcomer") as stage:
        files = stage.new_folder("files")
        (files / "Music" / "Album").mkdir(parents=True)
        song = (media.folder() / "song.mp3").read_bytes()
        (files / "Music" / "a.mp3").write_bytes(song)
        (files / "Music" / "Album" / "b.mp3").write_bytes(song)
        disk = YandexDisk(stage, files)
        user = User(stage)
        examples = helps(results, user)
        logs_in(results, user, disk, examples)
        configures(results, user, disk)
        walks(results, user, disk, song, examples)
        other_kinds(results, stage, files, song)


def helps(results, user):
    """Reads all of the help; returns the examples."""
    examples = {}
    with results.check("weir --help fits on a screen or two and names every command") as check:
        text = user.works("--help").decode()
        lines = text.splitlines()
        expect(len(lines) <= 90 and max(map(len, lines)) <= 100, f"{len(lines)} lines, the longest {max(map(len, lines))}")
        missing = [name for name in COMMANDS if not re.search(rf"^  {name}\b", text, re.MULTILINE)]
        equal(missing, [], "commands that are not named")
        examples["weir"] = found(text)
        check.figure = f"{len(lines)} lines"
    with results.check("each command's help ends with examples") as check:
        for name in COMMANDS:
            examples[name] = found(user.works(name, "--help").decode())
            expect(len(examples[name]) >= 2 and any(words[1] == name for words in examples[name]),
                   f"the examples of {name} are {examples[name]}")
        check.figure = f"{sum(map(len, examples.values()))} examples"
    with results.check("the help shows a configuration, and its path"):
        expect("config.toml" in text and 'service = "yandex-disk"' in text and "[sources." in text, "a command is missing")
    return examples


def found(text):
    """The commands under EXAMPLES."""
    part = text.partition("EXAMPLES")[2]
    return [shlex.split(line) for line in re.findall(r"^  (weir .*)$", part.partition("\n\n")[0], re.MULTILINE)]


def logs_in(results, user, disk, examples):
    with results.check("the example of login, with the application's own id, logs in") as check:
        words = next(words for words in examples["weir"] if words[1] == "login")
        place = words.index("--client-id") + 1
        words = [*words[1:place], "weir-test-client", *words[place + 1:]]
        # By default, login uses Yandex's own address and a person's browser; the options replace both.
        program = user.start(*words, "--oauth", disk.addresses["oauth"], "--no-browser", "--port", "0")
        shown = waiting.until(lambda: re.search(r"^http://\S+$", program.error, re.MULTILINE), 20, "an address")
        players.run(["curl", "-sSL", "--max-time", "20", "-o", "/dev/null", shown.group()], user.environment)
        equal(program.wait(30), 0, f"the exit status, with {program.error!r},")
        check.figure = program.error.strip().splitlines()[-1]
    with results.check("the example of accounts shows the account"):
        expect(b"yandex" in user.works("accounts"), "a command is missing")


def configures(results, user, disk):
    with results.check("the configuration in the help is valid as shown"):
        text = user.works("--help").decode()
        shown = re.search(r"^ +(\[sources\.yandex\])\n +(service = \"yandex-disk\")$", text, re.MULTILINE)
        expect(shown, "the help shows no configuration")
        # The two additional lines lead to the server of this check.
        user.configure("\n".join([*shown.groups(), f'api = "{disk.addresses["api"]}"', f'oauth = "{disk.addresses["oauth"]}"',
                                  ""]))
        equal(user.works("ls"), b"yandex:/\n", "the output of ls without an argument")


def walks(results, user, disk, song, examples):
    for command in ("ls", "get", "exec"):
        for words in examples[command]:
            thing = next((word for word in words if word.startswith("yandex:")), None)
            if thing is None:
                continue
            with results.check(f"the example: {' '.join(words)}") as check:
                done = walk(user, words[1:])
                equal(done.status, 0, f"the exit status, with {done.said[-300:]!r},")
                check.figure = (done.output[:80].decode(errors="replace").strip().replace("\n", " · ")
                                if len(done.output) < 5000 else f"{len(done.output)} bytes")
                if command == "get":
                    same((user.home / "Album" / "b.mp3").read_bytes() if "-r" in words else done.output, song)
    with results.check("the very first example also plays with mpv"):
        done = user.run("exec", "yandex:/Music/a.mp3", "--quiet", "--", "mpv", "--no-config", "--ao=null", "--length=1",
                        "--msg-level=all=error", "{}")
        equal(done.status, 0, f"the exit status, with {done.said[-300:]!r},")
    with results.check("a playlist of ls --m3u plays through weir serve, at its addresses"):
        playlist = user.works("ls", "yandex:/Music", "--m3u").decode().splitlines()
        urls = [line for line in playlist if not line.startswith("#")]
        equal(len(urls), 1, "URLs in the playlist")
        # Another program may use the default port on this machine, so the server has another port and the same path.
        serving = user.serve()
        path = urls[0].split("/", 3)[3]
        base = serving.bases["yandex"]
        same(web.fetch(f"{base.split('/', 3)[0]}//{base.split('/')[2]}/{path}").body, song)
        serving.stop()
    with results.check("the examples of logout log out, and the next command says what to do") as check:
        user.works(*next(words for words in examples["logout"] if "--account" not in words)[1:])
        check.figure = user.fails(3, "ls", "yandex:/Music")


def walk(user, words):
    """Runs an example, adapted to this machine: without a shell, a screen or sound."""
    plain = [word for word in words[:words.index("|")]] if "|" in words else list(words)
    if ">" in plain:
        plain = plain[:plain.index(">")]
    if "--" in plain:
        place = plain.index("--")
        plain = [*plain[:place], "--", "ffmpeg", "-nostdin", "-v", "error", "-xerror", "-i", "{}", "-f", "null", "-"]
    return user.run(*plain)


def other_kinds(results, stage, files, song):
    with results.check("weir serve URL --header-env, as in the first example") as check:
        here = Recorder(stage)
        here.routes["/music/a.mp3"] = recorder.demand("OAuth of-mine", recorder.file(files / "Music" / "a.mp3"))
        weir = Weir(stage, here.base + "music/", "--header-env", "Authorization=TOKEN",
                    environment=dict(stage.environment, TOKEN="OAuth of-mine"))
        same(web.fetch(weir.url("a.mp3")).body, song)
        weir.stop()
        check.figure = weir.base.replace(weir.base.split("/")[3], "SECRET")
    with results.check("a folder of this machine: ls, get, exec and serve of a path"):
        user = User(stage)
        text = user.works("ls", str(files / "Music")).decode()
        expect("a.mp3" in text and "Album/" in text, f"ls says {text!r}")
        same(user.get(str(files / "Music" / "a.mp3")), song)
        done = user.run("exec", str(files / "Music" / "a.mp3"), "-q", "--", "curl", "-s", "{}")
        same(done.output, song)
        weir = Weir(stage, str(files / "Music"))
        same(web.fetch(weir.url("a.mp3")).body, song)
        weir.stop()
