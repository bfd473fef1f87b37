# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Sources of the configuration: each mistake gets one sentence, its location and the right status."""

import os
import random
import signal
import time

from check_results import equal, expect
from clouds import User, beside, same
from servers import recorder
from servers.recorder import Recorder
from servers.yandex_disk import YandexDisk, section
from stage import origin, waiting, web
from stage.stage import Stage

DATA = random.Random(71).randbytes(50_000)
SECRET = "hush-source-4f4f"

# A wrong configuration, the line and column (0 if either may be right), and words of the message.
MALFORMED = {
    "invalid TOML": ("[sources.a\nservice = 'webdav'\n", 1, ()),
    "a text without quotes": ("[sources.a]\nservice = webdav\n", 2, ()),
    "a key twice": ("[sources.a]\nservice = 'files'\nservice = 'files'\n", 3, ()),
    "an unknown key at the top": ("cash = '/tmp'\n", 1, ("cash", "cache")),
    "an unknown key of a source": ("[sources.a]\nservice = 'files'\npaht = '/tmp'\n", 3, ("paht", "path")),
    "an unknown service": ("[sources.a]\nservice = 'yandex-disc'\n", 2, ("yandex-disk",)),
    "no service": ("\n[sources.a]\npath = '/tmp'\n", 2, ("service",)),
    "no URL": ("[sources.a]\nservice = 'webdav'\n", 1, ("url",)),
    "an invalid URL": ("[sources.a]\nservice = 'webdav'\nurl = 'nas.local/dav'\n", 3, ("http",)),
    "a number for a text": ("[sources.a]\nservice = 'webdav'\nurl = 5\n", 3, ("quotes",)),
    "a user without a password": ("[sources.a]\nservice = 'webdav'\nurl = 'http://a/'\nuser = 'me'\n", 1, ("password",)),
    "a password and a token": (f"[sources.a]\nservice = 'webdav'\nurl = 'http://a/'\nuser = 'me'\npassword = '{SECRET}'\n"
                               f"token = '{SECRET}'\n", 0, ("token",)),
    "a URL and a command": ("[sources.a]\nservice = 'http'\nurl = 'http://a/'\nurl-command = ['x']\n", 0, ("url-command",)),
    "a command that is not a list": ("[sources.a]\nservice = 'http'\nurl-command = 'x {}'\n", 3, ("list",)),
    "an empty command": ("[sources.a]\nservice = 'http'\nurl-command = []\n", 3, ("list",)),
    "a life that is not a time": ("[sources.a]\nservice = 'http'\nurl-command = ['x']\nurl-life = 'soon'\n", 4, ("10m",)),
    "an invalid header": (f"[sources.a]\nservice = 'http'\nurl = 'http://a/'\nheader = ['{SECRET}']\n", 4, ("Name",)),
    "a name that is a scheme": ("[sources.http]\nservice = 'files'\npath = '/tmp'\n", 1, ("name",)),
    "a name with a space": ("[sources.'my disk']\nservice = 'files'\npath = '/tmp'\n", 1, ("name",)),
    "an invalid size": ("cache-limit = 'much'\n", 1, ("20GB",)),
    "an unfinished secret": (f"[sources.a]\nservice = 'webdav'\ntoken = '{SECRET}\n", 3, ()),
    "a byte that is not UTF-8": ("# caf\udce9\n[sources.a]\n", 1, ()),
}

COMMANDS = {
    # The command's standard error goes to Weir's user; Weir adds its own message.
    "fails": ("exit 7", "7"),
    "prints nothing": ("true", "print"),
    "prints nonsense": ("echo not a url {secret}", "print"),
    "prints another scheme": ("echo ftp://a.example/{secret}", "http"),
    "prints a wrong header": ("echo {base}data.bin; echo no header {secret}", "header"),
    "prints without an end": ("yes {secret}", ""),
    "is killed": ("kill -9 $$", ""),
}


def run(results):
    with Stage("sources") as stage:
        malformed(results, stage)
        names(results, stage)
        commands(results, stage)
        permissions(results, stage)
        folders(results, stage)
        services(results, stage)


def malformed(results, stage):
    for name, (text, line, words) in MALFORMED.items():
        with results.check(f"a configuration with {name}: the error has file, line, column and the expected value") as check:
            user = User(stage)
            user.file.write_bytes(text.encode("utf-8", "surrogateescape"))
            user.file.chmod(0o600)
            said = user.fails(2, "ls", "a:/")
            place = f"{user.file}:"
            expect(place in said, f"it does not name the file: {said}")
            numbers = said.partition(place)[2].split(":")[:2]
            expect(len(numbers) == 2 and all(number.strip().isdecimal() for number in numbers), f"no line and column: {said}")
            expect(not line or int(numbers[0]) == line, f"line {line} was expected: {said}")
            expect(all(word in said for word in words), f"{words} were expected: {said}")
            expect(SECRET not in said, f"a secret is shown: {said}")
            check.figure = said.replace(str(user.file), "FILE")
    with results.check("every command that reads the configuration reports the same error"):
        user = User(stage, "[sources.a]\nservice = 'yandex-disc'\n")
        said = {user.fails(2, *words) for words in (
            ("ls",), ("ls", "a:/"), ("get", "a:/x", "-o", "-"), ("serve",), ("exec", "a:/x", "--", "true"))}
        equal(len(said), 1, "different messages")
    with results.check("a secret in a file that others can read is refused, with the next step") as check:
        user = User(stage, section("a", {"service": "webdav", "url": "http://127.0.0.1:1/", "token": SECRET}))
        user.file.chmod(0o644)
        check.figure = user.fails(2, "ls", "a:/").replace(str(user.file), "FILE")
        expect("chmod 600" in check.figure and SECRET not in check.figure, check.figure)
    with results.check("--config with a missing file ends with 3") as check:
        user = User(stage)
        check.figure = user.fails(3, "ls", "a:/", "--config", "/nowhere/config.toml")
    with results.check("missing secrets from a variable and a file are named") as check:
        user = User(stage, section("a", {"service": "webdav", "url": "http://127.0.0.1:1/", "token-env": "NO_SUCH"})
                    + section("b", {"service": "webdav", "url": "http://127.0.0.1:1/", "user": "x",
                                    "password-file": "/nowhere/password"}))
        check.figure = user.fails(2, "ls", "a:/")
        expect("NO_SUCH" in check.figure, check.figure)
        expect("/nowhere/password" in user.fails(3, "ls", "b:/"), "the file is not named")


def names(results, stage):
    folder = stage.new_folder("music")
    (folder / "one.bin").write_bytes(DATA)
    user = User(stage, section("music", {"service": "files", "path": str(folder)})
                + section("yandex", {"service": "yandex-disk", "token": SECRET}))
    for words, near in ((("ls", "musik:/"), "music"), (("get", "yandes:/x", "-o", "-"), "yandex"),
                        (("exec", "Music:/x", "--", "true"), "music"), (("serve", "musc:"), "music")):
        with results.check(f"a source that does not exist: {words[0]} names the nearest") as check:
            check.figure = user.fails(2, *words).replace(str(user.file), "FILE")
            expect(near in check.figure, f"{near} is not named")
    for service, near in (("yandx", "yandex"), ("dropbox", None)):
        with results.check(f"login {service}, logout {service}: an unknown service") as check:
            for words in (("login", service, "--client-id", "x"), ("logout", service)):
                check.figure = user.fails(2, *words)
                expect(near is None or near in check.figure, f"{near} is not named: {check.figure}")
    with results.check("a folder of this machine can be a source"):
        equal([entry["name"] for entry in user.list("music:/")], ["one.bin"], "the entries")
        same(user.get("music:/one.bin"), DATA)
        user.fails(3, "get", "music:/none.bin", "-o", "-")
        user.fails(2, "get", "music:/", "-o", "-")
        user.fails((2, 3), "get", "music:/../home-1/config", "-o", "-")
        serving = user.serve("music:")
        same(web.fetch(next(iter(serving.bases.values())) + "one.bin", {"Range": "bytes=5-9"}).body, DATA[5:10])
        serving.stop()


def commands(results, stage):
    here = Recorder(stage, {"/data.bin": origin.content(DATA)})

    def user_of(script):
        text = script.format(secret=SECRET, base=here.base)
        return User(stage, f'[sources.a]\nservice = "http"\nurl-command = ["sh", "-c", {text!r}, "sh", "{{}}"]\n')

    for name, (script, word) in COMMANDS.items():
        with results.check(f"a url-command that {name}: get and serve") as check:
            user = user_of(script)
            start = time.monotonic()
            check.figure = user.fails((4, 6), "get", "a:/data.bin", "-o", "-", limit=30)
            expect(word in check.figure, f"{word!r} is not in the message: {check.figure}")
            expect(SECRET not in check.figure, f"the command's output is shown: {check.figure}")
            serving = user.serve()
            answer = web.fetch(serving.bases["a"] + "data.bin", timeout=30)
            equal(answer.status, 502, "the status that a player gets")
            expect(SECRET not in answer.text, f"the command's output is shown: {answer.text}")
            equal(serving.stop(), 0, "weir's exit status")
            check.figure += f" ({time.monotonic() - start:.0f} s)"
    with results.check("a url-command that does not exist") as check:
        user = User(stage, '[sources.a]\nservice = "http"\nurl-command = ["no-such-program-5", "{}"]\n')
        check.figure = user.fails((2, 4), "get", "a:/data.bin", "-o", "-")
        expect("no-such-program-5" in check.figure, "the command is not named")
    with results.check("a hanging url-command: Ctrl-C ends weir and the command at once"):
        mark = stage.folder / "hangs"
        user = user_of(f"echo $$ > {mark}; exec sleep 300")
        program = user.start("get", "a:/data.bin", "-o", "-")
        until_written(mark)
        start = time.monotonic()
        equal(program.stop(2, 10), 130, "the exit status")
        expect(time.monotonic() - start < 5, "it took more than 5 s")
        gone(mark)
    if results.is_long:
        with results.check("weir ends a hanging url-command after a minute") as check:
            mark = stage.folder / "hangs-on"
            check.figure = user_of(f"echo $$ > {mark}; exec sleep 300").fails(4, "get", "a:/data.bin", "-o", "-", limit=90)
            gone(mark)


def until_written(path):
    waiting.until(lambda: path.exists() and path.read_text().strip(), 20, "the command's start")


def gone(mark):
    """Expects that the command ends within 5 s of Weir's end."""
    number = int(mark.read_text())

    def ended():
        try:
            os.kill(number, 0)
            with open(f"/proc/{number}/stat") as status:
                return status.read().rpartition(")")[2].split()[0] == "Z"
        except (ProcessLookupError, FileNotFoundError):
            return True

    try:
        waiting.until(ended, 5, "the command's end")
    except waiting.TookTooLong:
        # The check leaves no process behind.
        os.kill(number, signal.SIGKILL)
        raise


def permissions(results, stage):
    disk = YandexDisk(stage)
    user = User(stage, disk.section(token=SECRET) + disk.section("good") + disk.dav_section("dav", token=SECRET))
    for source in ("disk", "dav"):
        for words in (("ls", f"{source}:/"), ("get", f"{source}:/Music/one.mp3", "-o", "-"),
                      ("exec", f"{source}:/Music/one.mp3", "--", "curl", "-s", "{}")):
            with results.check(f"{source}: a refused token, {words[0]}") as check:
                check.figure = user.fails(3, *words)
                expect(SECRET not in check.figure, "the token is shown")
    for fault, status in {"forbidden": 3, "disk-full": 4, "download-limit": 4}.items():
        with results.check(f"{fault} at the API: get, exec and serve") as check:
            disk.behave(faults=[fault])
            check.figure = user.fails(status, "get", "good:/Music/one.mp3", "-o", "-")
            user.fails(status, "exec", "good:/Music/one.mp3", "--", "curl", "-s", "{}")
            serving = user.serve("good:")
            told = web.fetch(next(iter(serving.bases.values())) + "Music/one.mp3")
            expect(told.status in ((403,) if status == 3 else (429, 502, 503)), f"a player gets {told.status}")
            serving.stop()
            disk.behave(faults=[])


def folders(results, stage):
    here = Recorder(stage, default=recorder.page(200))
    with results.check("a server without WebDAV: ls says so") as check:
        user = User(stage, section("a", {"service": "webdav", "url": here.base}))
        check.figure = user.fails(6, "ls", "a:/")
    with results.check("ls says that it cannot list an HTTP source without links to files") as check:
        user = User(stage, section("a", {"service": "http", "url": here.base}))
        check.figure = user.fails((2, 6), "ls", "a:/")
    with results.check("no sources: ls and serve say what to do") as check:
        check.figure = User(stage).fails(2, "ls")
        User(stage).fails(2, "serve")


def services(results, stage):
    """Gives each service the address of a closed port."""
    port = origin.closed_port(stage)
    base = f"http://127.0.0.1:{port}"
    user = User(stage, section("disk", {"service": "yandex-disk", "api": base, "token": SECRET})
                + section("ydav", {"service": "yandex-webdav", "url": base, "token": SECRET})
                + section("dav", {"service": "webdav", "url": base, "token": SECRET})
                + section("web", {"service": "http", "url": base}))
    jobs = []
    for source in ("disk", "ydav", "dav", "web"):
        for words in (("ls", f"{source}:/"), ("get", f"{source}:/x.mp3", "-o", "-")):
            if words[0] != "ls" or source != "web":
                jobs.append((f"{source}: {words[0]}", lambda _, words=words: user.fails(4, *words)))
    for name, result in beside(jobs):
        with results.check(f"no server listens at the service, {name}") as check:
            check.figure = result()
            expect(SECRET not in check.figure, "a secret is shown")
