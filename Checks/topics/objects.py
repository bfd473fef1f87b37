# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The --json output of every command, compared with the tables of Documentation/JSON.md."""

import json
import random
import re
import signal

from check_results import equal, expect
from clouds import User
from stage import media, origin, place, waiting, web
from stage.origin import Origin
from stage.stage import Stage

KINDS = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "time": lambda value: isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", value),
    "object": lambda value: isinstance(value, dict),
    "list of strings": lambda value: isinstance(value, list) and all(isinstance(each, str) for each in value),
    "list of objects": lambda value: isinstance(value, list) and all(isinstance(each, dict) for each in value),
    "list of pairs": lambda value: isinstance(value, list) and all(
        isinstance(each, list) and len(each) == 2 and all(map(KINDS["integer"], each)) for each in value
    ),
}


class Table:
    """The fields of an object: kinds, and whether they may be missing or null; and the tables of nested objects."""

    def __init__(self, text, within=None):
        self.fields = {}
        for name, kind in re.findall(r"^\| `(\w+)` \| ([^|]+?) \|", text, re.MULTILINE):
            kind, _, rest = kind.partition(", ")
            if kind not in KINDS or rest not in ("", "may be missing", "may be null"):
                raise RuntimeError(f"{name} is of no kind: {kind}, {rest}")
            self.fields[name] = (kind, rest)
        self.within = {} if within is None else within

    def fault(self, each):
        """The fault of an object, or `None`."""
        for name, value in each.items():
            if name not in self.fields:
                return f"there is no field {name!r} in the table"
            kind, rest = self.fields[name]
            if value is None and rest == "may be null":
                continue
            if not KINDS[kind](value):
                return f"{name!r} is not as in the table"
            for part in {"object": [value], "list of objects": value}.get(kind, []):
                fault = self.within[name].fault(part) if name in self.within else None
                if fault:
                    return f"{fault} of {name!r}"
        missing = [name for name, (_, rest) in self.fields.items() if rest != "may be missing" and name not in each]
        return f"{missing} are missing" if missing else None


def tables():
    """The table of each event, by its name."""
    found = {}
    for part in (place.ROOT / "Documentation/JSON.md").read_text().split("\n### ")[1:]:
        title, _, body = part.partition("\n")
        text, *parts = body.split("\n#### ")
        within = {}
        for each in parts:
            within[re.match(r"`(\w+)`\n", each)[1]] = Table(each, within)
        table = Table(text, within)
        for name in re.findall(r"`(\w+)`", title):
            if name in found:
                raise RuntimeError(f"two tables have the name {name}")
            found[name] = table
    return found


class Held:
    """The tables, and the events seen so far."""

    def __init__(self):
        self.tables = tables()
        self.seen = set()
        self.count = 0

    def lines(self, output):
        """The objects of an output, each checked against its table."""
        objects = [json.loads(line) for line in output.splitlines()]
        for each in objects:
            name = each.get("event")
            expect(name in self.tables, f"there is no event {name!r} in the tables: {each}")
            fault = self.tables[name].fault({field: value for field, value in each.items() if field != "event"})
            expect(fault is None, f"{fault} in {each}")
            self.seen.add(name)
            self.count += 1
        return objects


def run(results):
    with Stage("objects") as stage:
        held = Held()
        song = (media.folder() / "song.mp3").read_bytes()
        film = origin.content(random.Random(5).randbytes(16 << 20))
        server = Origin(stage, {"/song.mp3": origin.content(song), "/film.bin": film, "/page.mp3": origin.page()})
        files = stage.new_folder("files")
        (files / "Album").mkdir()
        (files / "song.mp3").write_bytes(song)
        (files / "list.m3u").write_text("#EXTM3U\nsong.mp3\n")
        user = User(stage, f'[sources.mine]\nservice = "files"\npath = "{files}"\n')
        gets(results, held, user, server)
        keeps(results, held, user, server)
        looks(results, held, user, files)
        names(results, held, user, stage)
        plays(results, held, user, stage, files)
        serves(results, held, user, server)
        looks_inside(results, held, user, server)
        with results.check("every event possible on one machine was seen") as check:
            # These events need a service, a lost station or a damaged file.
            others = {"loggedIn", "loggedOut", "account", "station", "recording", "concealed", "trouble", "skipped", "title"}
            equal(set(held.tables) - held.seen - others, set(), "events that were not seen")
            check.figure = f"{held.count} lines, {len(held.seen)} events"


def gets(results, held, user, server):
    with results.check("get and seal") as check:
        target = user.home / "song"
        lines = held.lines(user.works("get", f"{server.base}song.mp3", "-o", target, "--json", "--verbose"))
        done = [line["doneBytes"] for line in lines if line["event"] == "progress"]
        equal(done, sorted(done), "the progress")
        equal(lines[-1]["bytes"], target.stat().st_size, "the size")
        held.lines(user.works("seal", target, "--recipient", "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p", "--json"))
        check.figure = f"{len(lines)} lines"
    with results.check("an error is also an object, with the status") as check:
        for status, words in ((6, ("get", f"{server.base}page.mp3")), (2, ("get", "x", "--keep", "some")), (3, ("cache", "remove", "none"))):
            done = user.run(*words, "--json")
            equal(done.status, status, "the exit status")
            last = held.lines(done.output)[-1]
            equal((last["event"], last["status"]), ("error", status), "the last object")
            expect(last["message"] in done.said, f"{last['message']!r} is not in the output: {done.said!r}")
        check.figure = last["message"]


def keeps(results, held, user, server):
    url = f"{server.base}song.mp3"
    with results.check("cache: list, path, pin, unpin, verify, export, remove, clear"):
        line = held.lines(user.works("cache", "list", "--json"))[0]
        equal((line["url"], line["heldBytes"], line["pinned"]), (url, line["bytes"], False), "the held file")
        for words in (("path",), ("pin", url), ("unpin", url), ("verify",), ("export", url, "-o", user.home / "copy"),
                      ("remove", url), ("clear", "--yes")):
            lines = held.lines(user.works("cache", *words, "--json"))
            equal(len(lines), 1, f"lines of {words[0]}")


def looks(results, held, user, files):
    with results.check("ls and inspect"):
        held.lines(user.works("ls", "--json"))
        entries = held.lines(user.works("ls", "mine:/", "--json"))
        equal({entry["name"] for entry in entries}, {"Album", "song.mp3", "list.m3u"}, "the entries")
        held.lines(user.works("inspect", files / "song.mp3", "--json"))
        listed = held.lines(user.works("inspect", files / "list.m3u", "--json"))
        equal(listed[0]["playlist"]["entries"][0]["location"], "song.mp3", "its entry")
        packets = held.lines(user.works("inspect", files / "song.mp3", "--json", "--packets"))
        expect(len(packets) > 100, f"there are {len(packets)} packets")


def names(results, held, user, stage):
    with results.check("radio, accounts and signed addresses"):
        held.lines(user.works("radio", "add", "jazz", "http://127.0.0.1:1/", "--json"))
        equal(held.lines(user.works("radio", "list", "--json"))[0]["name"], "jazz", "the station")
        held.lines(user.works("radio", "remove", "jazz", "--json"))
        equal(user.works("accounts", "--json"), b"", "accounts")
        signed = held.lines(user.works("sign", "mine:/song.mp3", "--base", "https://media.example.com", "--json"))
        expect(signed[0]["url"].endswith("/mine/song.mp3"), f"the signed URLs are {signed}")
    with results.check("doctor: each result, and the worst one decides the status") as check:
        found = held.lines(user.run("doctor", "--json").output)
        subjects = [line["subject"] for line in found]
        equal(subjects[:6], ["configuration", "cache", "open files", "address", "decoders", "sound"], "the examined subjects")
        expect("mine:/" in subjects, f"the source is not among {subjects}")
        check.figure = ", ".join(f"{line['subject']} {line['level']}" for line in found)


def plays(results, held, user, stage, files):
    with results.check("play: states with their reasons, items, formats and failures") as check:
        (files / "none.mp3").write_bytes(b"no sound at all " * 2000)
        done = user.run("play", files / "none.mp3", files / "song.mp3", "--sink", "null", "--length", "0.3s", "--json")
        lines = held.lines(done.output)
        stops = [line["reason"] for line in lines if line["event"] == "state" and line["state"] == "stopped"]
        equal(stops[-1:], ["length"], "why it stopped")
        whole = held.lines(user.run("play", files / "song.mp3", "--sink", f"wav:{stage.folder}/a.wav", "--json").output)
        equal(whole[-1]["reason"], "endOfStream", "why it stopped at its end")
        film = held.lines(user.run("play", media.folder() / "film.mp4", "--sink", "null", "--length", "0.1s", "--json").output)
        expect(any(line["event"] == "note" for line in film), f"no note says which track of the film plays: {film}")
        listed = held.lines(user.works("play", "--sink", "list", "--json"))
        equal({line["event"] for line in listed}, {"availableSink"}, "the events of a list of sinks")
        check.figure = f"{len(lines)} lines"


def serves(results, held, user, server):
    with results.check("serve and exec") as check:
        program = user.start("serve", server.base, "--listen", "127.0.0.1:0", "--json")
        waiting.until(lambda: '"page"' in program.output, 20, "the first two lines")
        base = json.loads(program.output.splitlines()[0])["url"]
        equal(web.fetch(f"{base}page.mp3").status, 502, "the status")
        waiting.until(lambda: '"resourceFailed"' in program.output, 10, "a failure")
        equal(program.stop(signal.SIGINT), 130, "the status")
        lines = held.lines(program.output)
        equal([line["event"] for line in lines], ["served", "page", "resourceFailed"], "the events")
        done = user.run("exec", f"{server.base}song.mp3", "--json", "--", "sh", "-c", "exit 7")
        equal(done.status, 7, "the status")
        equal([line["event"] for line in held.lines(done.output)], ["served", "playerEnded"], "the events")
        check.figure = lines[-1]["message"]


def looks_inside(results, held, user, server):
    with results.check("stats, top and open, with a reading player, a failure and a served station") as check:
        held.lines(user.works("radio", "add", "jazz", "http://127.0.0.1:1/", "--json"))
        program = user.start("serve", server.base, "jazz", "--listen", "127.0.0.1:0", "--json")
        waiting.until(lambda: '"page"' in program.output, 20, "the address of the page")
        started = held.lines(program.output)
        equal([line["event"] for line in started], ["served", "served", "page"], "the events")
        film = web.Download(f"{started[0]['url']}film.bin")
        equal(len(film.read_exactly(1000)), 1000, "bytes of the film")
        equal(web.fetch(f"{started[0]['url']}page.mp3").status, 502, "the status")
        lists = ("places", "resources", "stations", "readers", "fetches", "traffic", "events")

        def seen():
            state = held.lines(user.works("stats", "--json"))[0]
            return state if all(state[name] for name in lists) else None

        state = waiting.until(seen, 20, f"an entry in each of {lists}")
        equal(held.lines(user.works("top", "--json"))[0]["event"], "stats", "the event of top")
        equal(held.lines(user.works("open", "--json")), started[-1:], "the output of open")
        film.leave()
        equal(program.stop(signal.SIGINT), 130, "the status")
        held.lines(user.works("radio", "remove", "jazz", "--json"))
        check.figure = ", ".join(f"{len(state[name])} {name}" for name in lists)
