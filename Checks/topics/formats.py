# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""This version reads an earlier version's data; an earlier version shares the cache folder or learns why it cannot.

WEIR_OLD_PROGRAM names a program of an earlier version, such as one built from commit 4550d8f. Without this variable,
the topic skips the checks with two programs. `make test` has a recording of that program's messages to another one.
"""

import json
import os
import shutil
import sqlite3
from pathlib import Path

import fixture
import speech
from check_results import Skipped, equal, expect
from stage import origin, place, waiting, web
from stage.program import Program
from stage.stage import Stage
from stage.weir import Weir, cached, command

DATA = fixture.plain(31, 300_000)
OTHER = fixture.plain(32, 200_000)
OWNERS = {"earlier": "an earlier owner and a later user", "later": "a later owner and an earlier user"}


def run(results):
    with Stage("formats") as stage:
        held(results, stage)
        newer(results, stage)
        settings(results, stage)
        for who in OWNERS:
            with results.check(f"{OWNERS[who]} share one folder, or the user gets the reason") as check:
                check.figure = at_one_folder(stage, who)
        with results.check("an earlier program uses a later one's folder: it plays, and no byte is lost") as check:
            check.figure = taking_turns(stage)


def unpacked(stage):
    """A copy of the fixture's cache folder."""
    folder = stage.new_folder("cache")
    shutil.copytree(fixture.FOLDER / "cache", folder, dirs_exist_ok=True)
    return folder


def held(results, stage):
    resources = fixture.resources()
    with results.check("every complete resource in an earlier version's cache plays without its origin") as check:
        cache = unpacked(stage)
        whole = [each for each in resources if each["held"] == [[0, each["storedLength"]]]]
        for each in whole:
            done = command(stage, "get", *fixture.options(each), "-o", "-", "--quiet", "--cache", cache)
            equal(done.returncode, 0, f"the status of {each['url']}, with {done.stderr.decode()!r},")
            expect(done.stdout == fixture.plain(each["seed"], each["size"]), f"{each['url']} has other bytes")
        check.figure = f"{len(whole)} of {len(resources)}"
    with results.check("the other resources are listed unchanged, and verify"):
        done = command(stage, "cache", "list", "--json", "--cache", cache)
        listed = {line["identifier"]: line for line in map(json.loads, done.stdout.decode().splitlines())}
        equal(len(listed), len(resources), "the count of resources")
        for each in resources:
            line = listed[each["identifier"]]
            equal(line["heldBytes"], sum(upper - lower for lower, upper in each["held"]), f"the held bytes of {each['url']}")
            equal((line["account"], line.get("bytes")), (each.get("account", ""), each["storedLength"]), each["url"])
        equal(command(stage, "cache", "verify", "--cache", cache).returncode, 0, "the exit status of verify")


def newer(results, stage):
    with results.check("a cache folder of a later version: get works, says so once, and does not change the folder") as check:
        cache, source = unpacked(stage), server(stage)
        equal(command(stage, "cache", "verify", "--cache", cache).returncode, 0, "the exit status of verify")
        with sqlite3.connect(cache / "catalogue.sqlite") as database:
            (version,) = database.execute("PRAGMA user_version").fetchone()
            database.execute(f"PRAGMA user_version = {version + 1}")
        database.close()
        files = [path for path in stage.files(cache) if path.suffix in (".data", ".journal", ".sqlite")]
        before = {path: path.read_bytes() for path in files}
        done = command(stage, "get", source.base + "a.flac", "-o", "-", "--cache", cache)
        equal((done.returncode, done.stdout == DATA), (0, True), f"status and bytes of get, with {done.stderr!r},")
        warnings = [line for line in done.stderr.decode().splitlines() if line.startswith("warning: ")]
        equal(len(warnings), 1, f"the number of warnings, in {done.stderr!r},")
        check.figure = warnings[0].removeprefix("warning: ")
        expect(f"format {version + 1}" in check.figure, f"it says {check.figure!r}")
        done = command(stage, "cache", "list", "--cache", cache)
        equal(done.returncode, 5, "the exit status of list")
        equal([path.name for path in files if path.read_bytes() != before[path]], [], "the changed files")
        found = {path for path in stage.files(cache) if path.suffix in (".data", ".journal", ".sqlite")}
        equal(found, set(files), "the files of the cache")


def settings(results, stage):
    with results.check("sources, stations and accounts of an earlier version remain"):
        home = stage.new_folder("settings")
        folder = home / "weir"
        shutil.copytree(fixture.FOLDER / "config", folder)
        for path in folder.iterdir():
            path.chmod(0o600)
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        environment = dict(stage.environment, XDG_CONFIG_HOME=str(home))

        def lines(*words):
            done = command(stage, *words, "--json", environment=environment)
            equal(done.returncode, 0, f"the exit status of {words}, with {done.stderr.decode()!r},")
            return [json.loads(line) for line in done.stdout.decode().splitlines()]

        equal(sorted(line["name"] for line in lines("radio", "list")), ["eho", "groove"], "the stations")
        found = sorted((line["service"], line["account"]) for line in lines("accounts"))
        equal(found, [("yandex", "plain"), ("yandex", "renewed")], "the accounts")
        names = {line["name"].rstrip(":/") for line in lines("ls")}
        expect({"archive", "cloud", "films", "home", "vault", "yandex"} <= names, f"the sources are {names}")
        equal({name: (folder / name).read_bytes() for name in before}, before, "the files afterwards")


def old_program():
    path = os.environ.get("WEIR_OLD_PROGRAM")
    if not path:
        raise Skipped("WEIR_OLD_PROGRAM names no program of an earlier version")
    return Path(path).absolute()


def server(stage):
    return origin.Origin(stage, {"/a.flac": origin.content(DATA), "/b.flac": origin.content(OTHER)})


def at_one_folder(stage, owner_is):
    """One program serves; the other gets a held file and a new file. Both programs must give the right bytes."""
    old, new = old_program(), place.weir_program()
    first, second = (old, new) if owner_is == "earlier" else (new, old)
    source, cache = server(stage), stage.new_folder("cache")
    words = [first, "serve", source.base, "--listen", "127.0.0.1:0", "--cache", cache, "--verbose"]
    owner = stage.put(Program(words, stage.folder, stage.name("owner"), stage.environment))
    base = waiting.until(lambda: owner.output.endswith("\n") and owner.output.splitlines()[0].strip(), 20, "the start")
    expect(web.fetch(base + "a.flac").body == DATA, "the owner serves other bytes")
    asked = len(source.asked)
    said = []
    for name, data in (("a.flac", DATA), ("b.flac", OTHER)):
        user = Program([second, "get", source.base + name, "-o", "-", "--cache", cache], stage.folder, stage.name("user"),
                       stage.environment)
        equal(user.wait(60), 0, f"the exit status, with {user.error!r},")
        expect(user.output_file.read_bytes() == data, f"{name} has other bytes")
        said += [line for line in user.error.splitlines() if line.startswith("warning: ")]
    for line in said:
        speech.check(line.removeprefix("warning: "))
    expect(said or len(source.asked) == asked + 1, f"{len(source.asked) - asked} requests, although the folder is shared")
    expect(web.fetch(base + "a.flac").body == DATA, "the owner serves other bytes afterwards")
    equal(owner.stop(), 0, "the owner's exit status")
    source.stop()
    return said[0] if said else "it is shared"


def taking_turns(stage):
    old, new = old_program(), place.weir_program()
    source, cache = server(stage), stage.new_folder("cache")
    said = []
    for number, program in enumerate((new, old, new, old)):
        name, data = (("a.flac", DATA), ("b.flac", OTHER))[number % 2]
        words = [program, "get", source.base + name, "-o", "-", "--cache", cache]
        for _ in range(2):
            user = Program(words, stage.folder, stage.name("turn"), stage.environment)
            equal(user.wait(60), 0, f"the exit status, with {user.error!r},")
            expect(user.output_file.read_bytes() == data, f"{name} has other bytes")
            said += [line for line in user.error.splitlines() if line.startswith("warning: ")]
    equal(set(cached(stage, cache)), {"a.flac", "b.flac"}, "the held files in the end")
    expect(said or len(source.asked) == 2, f"{len(source.asked)} requests, although no byte was lost")
    weir = Weir(stage, source.base, cache=cache)
    expect(web.fetch(weir.url("a.flac")).body == DATA, "it plays other bytes")
    weir.stop()
    source.stop()
    return said[0] if said else f"{len(source.asked)} requests for 9 plays"
