# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""No credential gets a byte, a length, a title or an entry that another credential fetched, through any front end."""

import base64
import json
import os
import random
import stat
import wave
from concurrent.futures import ThreadPoolExecutor

from check_results import equal, expect
from clouds import User, holders, same
from fleet_nodes import Node, expect_from_store, tier, until_stored
from servers import recorder
from servers.recorder import Recorder
from servers.s3 import S3
from stage import place, players, waiting, web
from stage.stage import Stage

SEED = int(os.environ.get("WEIR_SCOPES_SEED", 20261128))
STEPS = 60
RATE = 44100
PASSWORD = "hush-password-dan-4ab1"

MULTISTATUS = """<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">{}</d:multistatus>"""
FOLDER = """<d:response><d:href>{}</d:href><d:propstat><d:prop><d:resourcetype><d:collection/></d:resourcetype></d:prop>
<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"""
FILE = """<d:response><d:href>{}</d:href><d:propstat><d:prop><d:resourcetype/><d:getcontentlength>{}</d:getcontentlength>
<d:getlastmodified>{}</d:getlastmodified></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"""


def basic(user, password):
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


class Person:
    """A person with a credential; `samples` is the sound of the person's song, None if the credential is wrong."""

    def __init__(self, name, field=None, value="", user="", keys=""):
        self.name = name
        # The header that the origin checks, and the option and configuration keys that give it to Weir.
        self.field, self.value = field, value
        self.user = user
        self.keys = keys
        self.data = self.samples = None

    @property
    def options(self):
        return ["--header", f"{self.field}: {self.value}"] if self.field and not self.user else []

    @property
    def entries(self):
        return {"song.flac", f"only {self.name}.flac"}

    @property
    def modified(self):
        return f"{1 + len(self.name + self.value) % 27:02} Oct 2024 07:28:{len(self.data or b'') % 60:02} GMT"

    def section(self, name, service, url):
        header = f'header = ["{self.field}: {self.value}"]\n' if service == "http" and self.field else ""
        keys = self.keys if service == "webdav" else ""
        return f'[sources.{name}]\nservice = "{service}"\nurl = "{url}"\n{header}{keys}'


def people(stage):
    """Four persons with files and three kinds of credentials, two with wrong credentials, and one without any."""
    ann, bob, eve = (f"hush-token-{name}-77c1" for name in ("ann", "bob", "eve"))
    found = [
        Person("ann", "Authorization", f"Bearer {ann}", keys=f'token = "{ann}"\n'),
        Person("bob", "Authorization", f"Bearer {bob}", keys=f'token = "{bob}"\n'),
        Person("cat", "Cookie", "session=hush-cookie-cat-09d2"),
        Person("dan", "Authorization", basic("dan", PASSWORD), f"dan:{PASSWORD}@",
               f'user = "dan"\npassword = "{PASSWORD}"\n'),
        Person("eve", "Authorization", f"Bearer {eve}", keys=f'token = "{eve}"\n'),
        Person("mal", "Authorization", basic("dan", "hush-wrong-31f0"), "dan:hush-wrong-31f0@",
               'user = "dan"\npassword = "hush-wrong-31f0"\n'),
        Person("nil"),
    ]
    for number, person in enumerate(found[:4]):
        person.samples, person.data = song(stage, person.name, number)
    return found


def frames(number):
    """The length of each person's song, in frames."""
    return RATE + 700 * (number + 1)


def song(stage, name, number):
    """A song of a person: its samples, and a FLAC file of it with a title."""
    samples = random.Random(100 + number).randbytes(4 * frames(number))
    plain, packed = stage.folder / f"{name}.wav", stage.folder / f"{name}.flac"
    with wave.open(str(plain), "wb") as file:
        file.setparams((2, 2, RATE, 0, "NONE", ""))
        file.writeframes(samples)
    players.run(["ffmpeg", "-nostdin", "-v", "error", "-i", plain, "-metadata", f"title=Song of {name}", packed],
                stage.environment)
    return samples, packed.read_bytes()


class Guarded(Recorder):
    """An origin whose bytes, lengths, dates and entries depend on the credential; 401 without a valid one."""

    def __init__(self, stage, persons):
        super().__init__(stage, default=self.route)
        self.persons = persons

    def of(self, headers):
        """The person whose credential is in the headers, if it is valid."""
        return next((person for person in self.persons
                     if person.data and headers.get(person.field) == person.value), None)

    def route(self, handler):
        person = self.of(handler.headers)
        path = handler.path.partition("?")[0]
        if person is None:
            recorder.page(401)(handler)
        elif handler.command == "PROPFIND" and path.startswith("/dav/"):
            entries = [FILE.format(f"/dav/{name.replace(' ', '%20')}", len(person.data), person.modified)
                       for name in sorted(person.entries)]
            text = MULTISTATUS.format(FOLDER.format("/dav/") + "".join(entries))
            handler.answer(207, text.encode(), Content_Type="application/xml")
        elif handler.command not in ("GET", "HEAD"):
            handler.answer(405, b"", Allow="GET, HEAD")
        elif path.endswith("/"):
            links = "".join(f'<a href="{name.replace(" ", "%20")}">{name}</a>\n' for name in sorted(person.entries))
            handler.answer(200, f"<html><head><title>Index of {path}</title></head><body>\n{links}</body></html>".encode(),
                           Content_Type="text/html")
        else:
            self.file(handler, person)

    def file(self, handler, person):
        code, lower, upper = handler.asked_range(len(person.data))
        handler.send_response(code)
        for name, value in {"Content-Type": "audio/flac", "ETag": f'"{person.name}"', "Last-Modified": person.modified,
                            "Content-Length": str(upper - lower)}.items():
            handler.send_header(name, value)
        if code == 206:
            handler.send_header("Content-Range", f"bytes {lower}-{upper - 1}/{len(person.data)}")
        handler.end_headers()
        handler.wfile.write(person.data[lower:upper])

    def asked_by(self, person):
        """The number of requests with a person's credential, or without a credential."""
        return sum((asked.get(person.field) == person.value) if person.field else
                   not (asked.authorization or asked.get("Cookie")) for asked in self.requests)


def run(results):
    with Stage("scopes") as stage:
        persons = people(stage)
        server = Guarded(stage, persons)
        user = User(stage, configuration(server, persons))
        together(results, user, server, persons)
        steps(results, user, server, persons)
        shown(results, stage, user, persons)
        named(results, user, server, persons)
        warned(results, user, server, persons)
        nowhere(results, stage, user, persons)
        fleet(results, stage, server, persons)


def configuration(server, persons):
    """Sources for the same URLs, by header and by WebDAV, each with another credential."""
    text = 'revalidate = "1h"\n'
    for person in persons:
        if not person.user:
            text += person.section(person.name, "http", f"{server.base}web/")
        if person.keys or not person.field:
            text += person.section(f"{person.name}-dav", "webdav", f"{server.base}dav/")
    return text


def names_of(person):
    """The sources of a person."""
    return ([person.name] if not person.user else []) + (
        [f"{person.name}-dav"] if person.keys or not person.field else [])


def things(server, person, name=""):
    """The ways a person may name a file or the folder: by a URL with the credential, or by a source."""
    url = server.base.replace("http://", f"http://{person.user}")
    return [(f"{url}web/{name}", person.options), *((f"{source}:/{name}", []) for source in names_of(person))]


# MARK: front ends

class Bench:
    """Runs a front end for a person, and compares its output with the data that the person may see."""

    def __init__(self, user, server, generator):
        self.user, self.server, self.generator = user, server, generator
        # The files that a command fetched whole and the folders that it listed, by their names on the command line.
        self.held = set()
        self.serving = None

    def command(self, person, words, thing, options, is_offline):
        """Runs a command; if a credential is wrong, the origin itself must refuse it in this run."""
        before = self.server.asked_by(person)
        more = ["--offline"] if is_offline else []
        done = self.user.run(*words[:1], thing, *options, *more, *words[1:])
        asked = self.server.asked_by(person) - before
        if is_offline:
            equal(asked, 0, "requests of an offline command")
        elif not person.data:
            equal(done.status, 3, f"the exit status of {words[0]} for {person.name}, with {done.said[-300:]!r},")
            expect(asked > 0, f"{person.name} was refused without a request to the origin")
        else:
            equal(done.status, 0, f"the exit status of {words[0]} for {person.name}, with {done.said[-300:]!r},")
        return done

    def outcome(self, person, key, is_offline, has_worked):
        """Whether a run must produce output; where this is not certain, `has_worked`."""
        if not person.data:
            return False
        if not is_offline:
            self.held.add(key)
            return True
        return True if key in self.held else has_worked

    def check(self, person, key, is_offline, done, seen, expected, nothing):
        """Expects the person's own data, or no output at all."""
        if self.outcome(person, key, is_offline, done.status == 0 and seen != nothing):
            same_or_equal(seen, expected, f"the bytes that {person.name} sees")
        else:
            equal(seen, nothing, f"the bytes that {person.name} sees, with status {done.status},")
            expect(done.status != 0, f"a run without bytes for {person.name} ended with 0")

    def get(self, person, is_offline):
        thing, options = self.pick(person, "song.flac")
        done = self.command(person, ("get", "-o", "-", "--quiet"), thing, options, is_offline)
        self.check(person, ("file", thing), is_offline, done, done.output, person.data, b"")

    def inspect(self, person, is_offline):
        thing, options = self.pick(person, "song.flac")
        done = self.command(person, ("inspect", "--json"), thing, options, is_offline)
        text = done.output.decode()
        seen = sorted({other.name for other in self.server.persons if f"Song of {other.name}" in text})
        if self.outcome(person, ("file", thing), is_offline and ("file", thing) not in self.held, bool(seen)):
            equal(seen, [person.name], f"the owner of the title that {person.name} sees")
            same_length(text, person)
        else:
            events = [json.loads(line)["event"] for line in text.splitlines()]
            equal((seen, set(events) - {"error"}), ([], set()), f"the bytes that {person.name} sees")

    def ls(self, person, is_offline):
        thing, options = self.pick(person, "")
        done = self.command(person, ("ls", "--json"), thing, options, is_offline)
        told = [json.loads(line) for line in done.output.decode().splitlines()]
        told = [line for line in told if line["event"] != "error"]
        sizes = {line["bytes"] for line in told if "bytes" in line}
        expect(sizes <= {len(person.data or b"")}, f"{person.name} sees the sizes {sizes}")
        self.entries(person, done, {line["name"] for line in told}, is_offline)

    def m3u(self, person, is_offline):
        names = names_of(person)
        if not names:
            return self.ls(person, is_offline)
        thing = f"{self.generator.choice(names)}:/"
        done = self.command(person, ("ls", "--m3u"), thing, [], is_offline)
        self.entries(person, done, playlist(done.output.decode()), is_offline)

    def entries(self, person, done, seen, is_offline):
        if not person.data:
            equal(seen, set(), f"the entries that {person.name} sees")
        elif is_offline:
            # Offline, a folder lists the files that the cache holds.
            expect(seen <= person.entries, f"{person.name} sees {sorted(seen)}")
        else:
            equal(seen, person.entries, f"the entries that {person.name} sees, with {done.said!r},")

    def play(self, person, is_offline):
        thing, options = self.pick(person, "song.flac")
        file = self.user.stage.folder / f"{self.user.stage.name('played')}.wav"
        more = ["--offline"] if is_offline else []
        done = self.user.run("play", thing, *options, *more, "--sink", f"wav:{file}", "--quiet")
        seen = b""
        if file.exists():
            with wave.open(str(file)) as played:
                seen = played.readframes(played.getnframes())
            file.unlink()
        self.check(person, ("file", thing), is_offline, done, seen, person.samples, b"")

    def exec(self, person, is_offline):
        thing, options = self.pick(person, "song.flac")
        more = ["--offline"] if is_offline else []
        done = self.user.run("exec", thing, *options, *more, "--quiet", "--", "curl", "-s", "-f", "{}")
        self.check(person, ("file", thing), is_offline, done, done.output, person.data, b"")

    def serve(self, person, _):
        """GET, HEAD, a range, the playlist and the folder of a source of the running server, in random order."""
        names = names_of(person)
        if not names or not self.serving:
            return self.get(person, False)
        base = self.serving.bases[self.generator.choice(names)]
        kinds = ["GET", "HEAD", "Range", "?m3u", "folder"]
        for kind in self.generator.sample(kinds, 3):
            self.asks(person, base, kind)

    def asks(self, person, base, kind):
        lower = self.generator.randrange(40_000)
        field = {"Range": f"bytes={lower}-{lower + 999}"} if kind == "Range" else {}
        path = {"?m3u": "?m3u", "folder": ""}.get(kind, "song.flac")
        answer = web.fetch(base + path, field, "HEAD" if kind == "HEAD" else "GET")
        if not person.data:
            equal(answer.status, 404 if kind == "folder" and answer.status == 404 else 401,
                  f"the answer to {kind} of {person.name}")
            traces = [other.name for other in self.server.persons if other.data and (
                f"only {other.name}" in answer.text or f'"{other.name}' in str(answer.headers)
                or str(len(other.data)) in str(answer.headers) or other.data[:64] in answer.body)]
            equal(traces, [], f"whose traces {person.name} sees in {kind}: {answer.headers} {answer.text[:200]!r}")
        elif kind == "GET":
            same(answer.body, person.data, f"the bytes that {person.name} gets")
        elif kind == "HEAD":
            equal(answer.headers.get("content-length"), str(len(person.data)), f"the length that {person.name} gets")
        elif kind == "Range":
            same(answer.body, person.data[lower:lower + 1000], f"the range of {person.name}")
            equal(answer.headers["content-range"].rpartition("/")[2], str(len(person.data)), "the whole length")
        elif kind == "?m3u":
            equal(playlist(answer.text), person.entries, f"the playlist of {person.name}")
        else:
            others = [other.name for other in self.server.persons if other is not person
                      and f"only {other.name}" in answer.text]
            equal(others, [], f"whose entries {person.name} sees")

    def pick(self, person, name):
        return self.generator.choice(things(self.server, person, name))

    FRONTS = ("get", "inspect", "ls", "m3u", "play", "exec", "serve", "serve")


def same_or_equal(seen, expected, what):
    (same if isinstance(seen, bytes) else equal)(seen, expected, what)


def same_length(text, person):
    """If the output has a duration, it is that of the person's own song."""
    own = len(person.samples) // 4
    told = [count for count in map(frames, range(4)) if count != own and str(count) in text]
    equal(told, [], f"lengths of other songs that {person.name} sees")


def playlist(text):
    """The names of the files in a playlist."""
    lines = [line for line in text.lstrip("\ufeff").splitlines() if line and not line.startswith("#")]
    return {line.partition("?")[0].rpartition("/")[2].replace("%20", " ") for line in lines}


# MARK: the checks

def together(results, user, server, persons):
    with results.check("all users at once, each with a process of its own, at one empty cache folder") as check:
        bench = Bench(user, server, random.Random(SEED))
        with ThreadPoolExecutor(len(persons)) as pool:
            jobs = [pool.submit(bench.get, person, False) for person in persons for _ in range(2)]
            for job in jobs:
                job.result()
        check.figure = f"{len(server.requests)} requests"
    with results.check("the scope key was created once, and only the user may read it"):
        key = user.cache / "scope.key"
        equal(stat.S_IMODE(key.stat().st_mode), 0o600, "its mode")
        equal(key.stat().st_size, 32, "its size")
        equal([path.name for path in user.cache.iterdir() if path.name.endswith(".part")], [], "the remaining files")


def steps(results, user, server, persons):
    generator = random.Random(SEED)
    bench = Bench(user, server, generator)
    count = STEPS * (8 if results.is_long else 1)
    done = []
    with results.check(f"{count} steps of (credential, front end), seed {SEED}: each gets only its own files, also offline") as check:
        for number in range(count):
            # The first and the last third of the steps run without a server, and the second third runs beside a server
            # that owns the folder.
            if number == count // 3:
                bench.serving = user.serve()
            if number == 2 * count // 3:
                equal(bench.serving.stop(), 0, "weir's exit status")
                bench.serving = None
            person = generator.choice(persons)
            front = generator.choice(bench.FRONTS)
            is_offline = front != "serve" and generator.random() < 0.4
            done.append(f"{person.name} {front}{' offline' if is_offline else ''}")
            try:
                getattr(bench, front)(person, is_offline)
            except Exception as failure:
                expect(False, f"step {number} ({', '.join(done[-6:])}): {failure}")
        refused = sum(asked.status == 401 for asked in server.requests)
        check.figure = f"{len(set(done))} different pairs, {refused} refusals of {len(server.requests)} requests"


def shown(results, stage, user, persons):
    with results.check("two sources of one URL in one server: every answer belongs to its source") as check:
        server_of_users = user.serve()
        bench = Bench(user, Silent(persons), random.Random(SEED))
        bench.serving = server_of_users
        count = 0
        for person in persons:
            for name in names_of(person):
                for kind in ("HEAD", "GET", "Range", "?m3u", "folder", "HEAD"):
                    bench.asks(person, server_of_users.bases[name], kind)
                    count += 1
        check.figure = f"{count} requests, {len(server_of_users.bases)} sources"
    with results.check("the page and the list of the cache name accounts, and show no credential"):
        told = [json.loads(line) for line in server_of_users.program.output.splitlines()]
        base, _, secret = next(line["url"] for line in told if line["event"] == "page").partition("#")
        state = web.fetch(f"{base}state", {"Authorization": f"Bearer {secret}"}).text
        resources = json.loads(state)["resources"]
        lines = [json.loads(line) for line in user.works("cache", "list", "--json").decode().splitlines()]
        for found in (resources, lines):
            equal({line["account"] for line in found}, {"(credential)"}, "the accounts")
        equal(len({line["identifier"] for line in lines}), len(lines), "resources")
        shown = [name for name, secret in secrets_of(persons).items() if secret in state + json.dumps(lines)]
        equal(shown, [], "the shown credentials")
        equal(server_of_users.stop(), 0, "weir's exit status")


class Silent:
    """The persons, for checks that do not count requests."""

    def __init__(self, persons):
        self.persons = persons


def named(results, user, server, persons):
    with results.check("a named account finds files that an older token fetched; without the name, a newer token does not"):
        ann = persons[0]
        old, new = ann.value, "Bearer hush-token-ann-later-5e5e"
        url = f"{server.base}web/song.flac"
        same(user.get(url, "--account", "me", "--header", f"Authorization: {old}"), ann.data)
        before = len(server.requests)
        later = ("--header", f"Authorization: {new}", "--offline")
        same(user.get(url, "--account", "me", *later), ann.data)
        equal(len(server.requests), before, "requests")
        for words in (later, (*later, "--account", "you")):
            done = user.run("get", url, "-o", "-", "--quiet", *words)
            expect(done.status != 0 and not done.output, f"it ended with {done.status}, {len(done.output)} bytes")


def warned(results, user, server, persons):
    with results.check("weir warns once about a changing token without --account, and never with it") as check:
        url, words = f"{server.base}web/song.flac", ("--header", f"Authorization: {persons[0].value}")
        for things_of, options, count in (([url], [], 1), ([url, f"{server.base}web/only%20ann.flac"], [], 1),
                                       ([url], ["--account", "me"], 0)):
            place_of = user.stage.new_folder("got")
            target = place_of if len(things_of) > 1 else place_of / "song.flac"
            done = user.run("get", *things_of, "-o", target, *words, *options)
            equal((done.status, done.said.count("--account NAME")), (0, count), f"status and warnings in {done.said!r}")
            check.figure = check.figure or next(line for line in done.said.splitlines() if "--account" in line)


def secrets_of(persons):
    """Every credential, as a request sends it and as the user gives it."""
    found = {f"the credential of {person.name}": person.value.split(maxsplit=1)[-1].removeprefix("session=")
             for person in persons if person.field}
    return found | {"a password": PASSWORD, "a wrong password": "hush-wrong-31f0", "a later token": "ann-later-5e5e"}


def nowhere(results, stage, user, persons):
    with results.check("no cache file, log or output has a credential") as check:
        found, count = holders(stage, secrets_of(persons), [user.cache])
        equal(found[:5], [], "where credentials are")
        expect(count > 100, f"only {count} files were examined")
        check.figure = f"{count} files"


def fleet(results, stage, server, persons):
    ann, bob, eve = persons[0], persons[1], persons[4]
    store = S3(stage)

    def node(person):
        text = 'revalidate = "1h"\n' + tier(store.base) + person.section("it", "http", f"{server.base}web/")
        return Node(stage, text, "it:")

    with results.check("two machines with one token share a store; another or a wrong token gets no byte") as check:
        first = node(ann)
        same(first.read("song.flac").body, ann.data)
        until_stored(store, 1)
        before = server.asked_by(ann)
        second = node(ann)
        same(second.read("song.flac").body, ann.data)
        expect_from_store(second, server.asked_by(ann) - before)
        given, fetched = (second.count(f"weir_{name}_bytes_total") for name in ("tier_read", "origin_received"))
        # If the store is late, both sides may send the same bytes.
        if second.is_served_late():
            expect(given + fetched >= len(ann.data), f"{given} bytes of the store and {fetched} of the origin")
        else:
            equal((given, fetched), (len(ann.data), 0), "bytes of the store and of the origin")
        for person, status in ((eve, 401), (bob, 200)):
            third = node(person)
            answer = third.read("song.flac")
            equal(answer.status, status, f"the status that {person.name} gets")
            expect(ann.data[:64] not in answer.body, f"{person.name} gets bytes of another")
            equal(third.count("weir_tier_read_bytes_total"), 0, f"bytes of the store for {person.name}")
            third.stop()
        check.figure = f"{len(ann.data)} bytes"
        for machine in (first, second):
            machine.stop()
    with results.check("no object of the store and no log of the machines has a credential") as check:
        found, count = holders(stage, secrets_of(persons), [first.user.cache, second.user.cache])
        equal(found[:5], [], "where credentials are")
        names = "\n".join(request.path for request in store.requests)
        equal([name for name, secret in secrets_of(persons).items() if secret in names], [], "credentials in names")
        check.figure = f"{count} files"
