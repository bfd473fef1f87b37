# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Whatever a server answers, each kind of credential goes only to its own server, and is in no log or cache file."""

import base64
import random
import sys
from concurrent.futures import ThreadPoolExecutor

from check_results import equal, expect
from clouds import User, holders, same
from servers import recorder
from servers.recorder import Recorder
from servers.yandex_disk import YandexDisk, section
from stage import origin, web
from stage.stage import Stage

DATA = random.Random(51).randbytes(300_000)
USER = "listener"
PASSWORD = "hush-password-77c1"
SECRETS = {
    "the password": PASSWORD,
    "user and password in Base64": base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode(),
    "the bearer token": "hush-bearer-5d0c",
    "the OAuth token": "y0_hush-oauth-91bb",
    "the header of a configuration": "hush-header-a1f3",
    "the other header": "hush-key-0f0f",
    "the header from a variable": "hush-variable-3c3c",
    "the header of a command": "hush-command-6e21",
    "the signature of a link": "hush-signature-b7b7",
    "the key of a link": "hush-path-e4e4",
    "the signature of a redirect": "hush-onward-2d2d",
}
REDIRECTS = (301, 302, 303, 307, 308)
REFUSALS = (401, 403, 404, 410, 429, 500, 503)

# Weir repeats requests after these statuses for some seconds.
SLOW = (429, 500, 503)

MULTISTATUS = """<?xml version="1.0"?><d:multistatus xmlns:d="DAV:"><d:response><d:href>{path}</d:href><d:propstat><d:prop>
<d:resourcetype><d:collection/></d:resourcetype></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>
</d:multistatus>"""


def run(results):
    with Stage("credentials") as stage:
        here, there = Recorder(stage), Recorder(stage)
        make_routes(here, there)
        users = {name: User(stage, *made) if isinstance(made, tuple) else made
                 for name, made in sources(stage, here).items()}
        for name, user in users.items():
            goes_where_it_belongs(results, name, user, here, there)
        collections(results, users, here, there)
        yandex(results, stage)
        everything_said(results, stage, users, here)
        with results.check("no log, output, error or cache file has a secret") as check:
            found, count = holders(stage, SECRETS, [user.cache for user in users.values()])
            equal(found[:8], [], "where secrets are")
            expect(count > 100, f"only {count} files were examined")
            check.figure = f"{count} files, {len(SECRETS)} secrets"


def make_routes(here, there):
    """Gives both servers a file and refusals; `here` redirects to itself, to `there`, and there and back."""
    content = origin.content(DATA)
    here.routes["/data.bin"] = there.routes["/data.bin"] = content
    onward = SECRETS["the signature of a redirect"]
    for number in REDIRECTS:
        here.routes[f"/to-{number}.bin"] = recorder.onward(there, number, f"/data.bin?sig={onward}")
        here.routes[f"/near-{number}.bin"] = origin.redirect("/data.bin", number)
        here.routes[f"/back-{number}.bin"] = recorder.onward(there, number, f"/back-{number}.bin")
        there.routes[f"/back-{number}.bin"] = recorder.onward(here, number, "/data.bin")
        here.routes[f"/folder-{number}/"] = recorder.onward(there, number)
    for number in REFUSALS:
        here.routes[f"/is-{number}.bin"] = recorder.page(number)
        here.routes[f"/leads-to-{number}.bin"] = recorder.onward(there, 302, f"/is-{number}.bin?sig={onward}")
        there.routes[f"/is-{number}.bin"] = recorder.page(number)
        here.routes[f"/is-{number}/"] = recorder.page(number)
    digest = 'Digest realm="stage", nonce="abc123", qop="auth", algorithm=MD5'
    here.routes["/leads-to-digest.bin"] = recorder.onward(there, 302, "/leads-to-digest.bin")
    there.routes["/leads-to-digest.bin"] = recorder.page(401, WWW_Authenticate=digest)
    here.routes["/loop.bin"] = recorder.onward(there, 302, "/loop.bin")
    there.routes["/loop.bin"] = recorder.onward(here, 302)


def sources(stage, here):
    """A user for each way to give a credential; each user has the source `it`."""
    key, sign = SECRETS["the key of a link"], SECRETS["the signature of a link"]
    header = SECRETS["the header of a command"]
    # A link has the file's own path, and both secrets in its query.
    program = stage.folder / "link.py"
    program.write_text(f"import sys\nprint('{here.base}' + sys.argv[1].lstrip('/') + '?k={key}&X-Amz-Signature={sign}')\n"
                       f"print('Authorization: Link {header}')\n")
    dav = {"service": "webdav", "url": here.base}
    listed = f'header = ["Authorization: Bearer {SECRETS["the header of a configuration"]}", ' \
             f'"X-Api-Key: {SECRETS["the other header"]}"]\n'
    return {
        "headers of a configuration": (f'[sources.it]\nservice = "http"\nurl = "{here.base}"\naccount = "me"\n' + listed,),
        "a header from a variable": User(
            stage, f'[sources.it]\nservice = "http"\nurl = "{here.base}"\naccount = "me"\n'
            'header-env = ["Authorization=VARIABLE"]\n', VARIABLE=SECRETS["the header from a variable"]),
        "a password": (section("it", dict(dav, user=USER, password=PASSWORD)),),
        "a password for Basic": (section("it", dict(dav, user=USER, password=PASSWORD, auth="basic")),),
        "a password for Digest": (section("it", dict(dav, user=USER, password=PASSWORD, auth="digest")),),
        "a token": (section("it", dict(dav, token=SECRETS["the bearer token"])),),
        "a Yandex token for WebDAV": (section("it", {"service": "yandex-webdav", "url": here.base,
                                                     "token": SECRETS["the OAuth token"]}),),
        "a command's link": (f'[sources.it]\nservice = "http"\nurl-command = ["{sys.executable}", "{program}", "{{}}"]\n',),
    }


def carried(asked):
    """The credentials in a request."""
    text = "\n".join(f"{name}: {value}" for name, value in asked.headers) + asked.target
    found = [name for name, secret in SECRETS.items() if secret in text and "redirect" not in name]
    return found + (["Authorization"] if asked.authorization else []) + (["a cookie"] if asked.get("Cookie") else [])


def goes_where_it_belongs(results, name, user, here, there):
    with results.check(f"{name}: no redirect takes it to the other server, even if that refuses") as check:
        here.requests.clear()
        there.requests.clear()
        for number in REDIRECTS:
            for kind in ("to", "near", "back"):
                same(user.get(f"it:/{kind}-{number}.bin"), DATA, f"the bytes of {kind}-{number}.bin")
        is_thorough = results.is_long or name in ("headers of a configuration", "a password", "a command's link")
        numbers = [number for number in REFUSALS if is_thorough or number not in SLOW]
        with ThreadPoolExecutor(len(numbers)) as pool:
            # Weir reports refusals of the second server as if they came from the first.
            list(pool.map(lambda number: user.fails((3, 4), "get", f"it:/leads-to-{number}.bin", "-o", "-", "--quiet"),
                          numbers))
        user.fails(3, "get", "it:/leads-to-digest.bin", "-o", "-", "--quiet")
        user.fails((1, 4, 6), "get", "it:/loop.bin", "-o", "-", "--quiet")
        leaked = {f"{asked.method} {asked.path}: {', '.join(found)}" for asked in there.requests
                  if (found := [what for what in carried(asked)])}
        equal(sorted(leaked), [], "the credentials sent to the other server")
        with_it = sum(bool(asked.authorization) for asked in here.requests)
        check.figure = f"{with_it} of {len(here.requests)} requests carried it, none of {len(there.requests)} elsewhere"


def collections(results, users, here, there):
    """Checks redirected and refused PROPFIND requests."""
    for name in ("a password", "a password for Basic", "a password for Digest", "a token", "a Yandex token for WebDAV"):
        user = users[name]
        with results.check(f"{name}: a redirected PROPFIND goes to another host without it, or not at all") as check:
            here.requests.clear()
            there.requests.clear()
            for number in REDIRECTS:
                there.routes[f"/folder-{number}/"] = recorder.demand("unknown", recorder.page(500))
                user.fails((1, 3, 4, 6), "ls", f"it:/folder-{number}")
            leaked = {f"{asked.method} {asked.path}: {', '.join(found)}" for asked in there.requests
                      if (found := carried(asked))}
            equal(sorted(leaked), [], "the credentials sent to the other server")
            check.figure = f"{len(here.requests)} requests, {len(there.requests)} elsewhere"


def yandex(results, stage):
    with results.check("a Yandex token goes to the API and WebDAV, never to a link's host or its redirects") as check:
        files = stage.new_folder("files")
        (files / "data.bin").write_bytes(DATA)
        disk = YandexDisk(stage, files, token=SECRETS["the OAuth token"])
        user = User(stage, disk.section() + disk.dav_section())
        for fault in ("link-redirected", "link-forbidden", "link-unauthorized", "link-gone", "link-broken"):
            disk.behave(faults=[f"{fault}*1"])
            same(user.get("disk:/data.bin"), DATA, f"the bytes after {fault}")
            user.works("cache", "clear", "--yes")
        same(user.get("dav:/data.bin"), DATA)
        sent = {asked.server for asked in disk.requests if asked.authorization}
        equal(sent, {"api", "webdav"}, "the servers that got the token")
        equal(disk.violations, [], "violations")
        check.figure = ", ".join(f"{asked.server} {asked.status}" for asked in disk.requests)
    with results.check("an API that redirects gets the token, and the target gets none") as check:
        api, elsewhere = Recorder(stage), Recorder(stage)
        for number in REDIRECTS:
            api.default = recorder.onward(elsewhere, number)
            user = User(stage, section("disk", {"service": "yandex-disk", "api": api.base.rstrip("/"),
                                                "token": SECRETS["the OAuth token"]}))
            check.figure = user.fails((1, 3, 4, 6), "get", "disk:/data.bin", "-o", "-", "--quiet")
            user.fails((1, 3, 4, 6), "ls", "disk:/")
        equal([str(asked) for asked in elsewhere.requests if carried(asked)], [], "the requests with a token elsewhere")


def everything_said(results, stage, users, here):
    """Makes every command print all its messages, for success and failure; a later check searches the messages."""
    sign = SECRETS["the signature of a link"]
    with results.check("every command runs with --verbose"):
        with ThreadPoolExecutor(len(users)) as pool:
            list(pool.map(lambda pair: says_all(results, *pair), users.items()))
        user = User(stage, section("it", {"service": "http", "url": f"{here.base.replace('//', f'//{USER}:{PASSWORD}@')}"}))
        for words in (("get", "it:/data.bin", "-o", "-"), ("get", "it:/is-403.bin", "-o", "-"), ("ls", "it:/"),
                      ("get", f"{here.base}is-403.bin?X-Amz-Signature={sign}", "-o", "-"),
                      ("get", f"{here.base}data.bin?X-Amz-Signature={sign}&sig={sign}", "-o", "-"),
                      ("cache", "list"), ("cache", "list", "--json")):
            user.run(*words, "--verbose")


def says_all(results, name, user):
    """Runs one user's commands; checks the answers to players at once, and leaves other output for a later check."""
    is_thorough = results.is_long or name in ("a password", "a command's link")
    slow = ["is-500.bin", "leads-to-500.bin"] if is_thorough else []
    for path in ["data.bin", "to-302.bin", "is-401.bin", "is-403.bin", "is-404.bin", "leads-to-403.bin", *slow]:
        user.run("get", f"it:/{path}", "-o", "-", "--verbose")
    user.run("exec", "it:/data.bin", "--verbose", "--", "curl", "-s", "-o", "/dev/null", "{}")
    user.run("ls", "it:/", "--verbose")
    user.run("ls", "it:/is-401", "--verbose")
    user.run("cache", "list", "--json")
    user.run("cache", "verify", "--verbose")
    serving = user.serve()
    for path in ("data.bin", "is-403.bin", "leads-to-403.bin", "none.bin", *slow):
        answer = web.fetch(serving.bases["it"] + path)
        told = answer.body if path != "data.bin" else b""
        expect(not any(secret.encode() in told + str(answer.headers).encode() for secret in SECRETS.values()),
               f"a player receives a secret: {told[:300]!r}")
    serving.stop()
