# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Secrets do not leak: they are in no file, log or error, and no other host receives them."""

import stat

import speech
from check_results import equal, expect
from stage import certificates, media, origin, web
from stage.nginx import Nginx
from stage.origin import Origin
from stage.stage import Stage
from stage.weir import Weir, command

TOKEN = "hush-5d0c9b1e"
SIGNATURE = "signature-a71f33"
PASSWORD = "password-c0ffee55"


def run(results):
    with Stage("discretion") as stage:
        data = (media.folder() / "song.mp3").read_bytes()
        here, there = Origin(stage), Origin(stage)
        here.routes.update({
            "/song.mp3": origin.content(data),
            "/near.mp3": origin.redirect("/song.mp3"),
            "/far.mp3": origin.redirect(f"{there.base}far.mp3?sig={SIGNATURE}"),
            "/refused.mp3": origin.status(403),
            "/failing.mp3": origin.status(500),
            "/page.mp3": origin.page(),
        })
        there.routes["/far.mp3"] = origin.content(data)
        caches = redirects(results, stage, here, there, data)
        caches += downgrade(results, stage, there)
        caches += failures(stage, here)
        nowhere(results, stage, caches)
        secret_of_the_path(results, stage, here)


def redirects(results, stage, here, there, data):
    weir = Weir(stage, here.base, header=f"Authorization: Bearer {TOKEN}")
    with results.check("after a redirect within the origin, the request has the token and the range"):
        answer = web.fetch(weir.url("near.mp3"), {"Range": "bytes=5000-5999"})
        expect(answer.body == data[5000:6000], f"the status is {answer.status}")
        last = here.asked_for("/song.mp3")[-1]
        equal(last.get("authorization"), f"Bearer {TOKEN}", "the token")
        expect(last.get("range", "").startswith("bytes=5000-"), f"the range is {last.get('range')}")
    with results.check("after a redirect to another host, the request has the range but not the token"):
        answer = web.fetch(weir.url("far.mp3"), {"Range": "bytes=5000-5999"})
        expect(answer.body == data[5000:6000], f"the status is {answer.status}")
        last = there.asked_for("/far.mp3")[-1]
        expect("authorization" not in last, "the other host got the token")
        expect(last.get("range", "").startswith("bytes=5000-"), f"the range is {last.get('range')}")
        here_asked = here.asked_for("/far.mp3")[-1]
        equal(here_asked.get("authorization"), f"Bearer {TOKEN}", "the token at its own origin")
    with results.check("no header of a player except its range reaches the origin"):
        nosy = {"Cookie": "a=b", "Referer": "http://x.example/", "Icy-MetaData": "1", "Sec-Fetch-Dest": "audio"}
        web.fetch(weir.url("song.mp3"), {"Range": "bytes=100000-100999", **nosy})
        last = here.asked_for("/song.mp3")[-1]
        equal([name for name in map(str.lower, nosy) if name in last], [], "the forwarded headers")
        equal(last.get("accept-encoding"), "identity", "Accept-Encoding")
    weir.stop()
    return [weir.cache]


def downgrade(results, stage, there):
    certificate = certificates.make(stage)
    more = f"location = /down.mp3 {{ return 302 {there.base}far.mp3; }}"
    nginx = Nginx(stage, media.folder(), certificate=certificate, more=more)
    cache = stage.new_folder("cache")
    with results.check("a redirect from https to http is refused") as check:
        asked = len(there.asked)
        words = ("get", nginx.base + "down.mp3", "-o", stage.folder / "down", "--cache", cache)
        done = command(stage, *words, "--ca-file", certificate.authority, "--header", f"Authorization: Bearer {TOKEN}")
        equal(done.returncode, 4, "the exit status")
        check.figure = speech.sentence(done.stderr.decode())
        equal(len(there.asked), asked, "requests at the target")
    return [cache]


def failures(stage, here):
    """Runs commands that print errors, with secrets in the header, the query and the user part."""
    cache = stage.new_folder("cache")
    user = here.base.replace("http://", f"http://listener:{PASSWORD}@")
    header = ("--header", f"Authorization: Bearer {TOKEN}", "--cache", cache, "--verbose")
    for name in ("song.mp3", "refused.mp3", "failing.mp3", "page.mp3", "missing.mp3"):
        target = stage.folder / f"got-{name}"
        command(stage, "get", f"{here.base}{name}?sig={SIGNATURE}", "-o", target, *header)
        command(stage, "get", f"{user}{name}", "-o", target, "--force", "--cache", cache, "--verbose")
        command(stage, "exec", f"{here.base}{name}?sig={SIGNATURE}", *header, "--", "curl", "-s", "-o", "/dev/null")
    command(stage, "get", f"{here.base}song.mp3?sig={SIGNATURE}", "--header", f"Authorization Bearer {TOKEN}")
    command(stage, "cache", "remove", f"{here.base}none.mp3?sig={SIGNATURE}", "--cache", cache)
    weir = Weir(stage, f"{here.base}song.mp3?sig={SIGNATURE}", cache=cache)
    web.fetch(weir.base)
    web.fetch(f"{weir.base}?sig={SIGNATURE}")
    weir.stop()
    return [cache]


def nowhere(results, stage, caches):
    secrets = {"the token": TOKEN, "the query's signature": SIGNATURE, "the password": PASSWORD}
    for what, secret in secrets.items():
        with results.check(f"no cache file, log or output has {what}") as check:
            files = [path for cache in caches for path in stage.files(cache)]
            files += stage.logs() + stage.files(stage.environment["HOME"])
            found = [path for path in files if secret.encode() in path.read_bytes()]
            equal([str(path.relative_to(stage.folder)) for path in found], [], f"files with {what}")
            expect(len(files) > 20, f"only {len(files)} files were examined")
            check.figure = f"{len(files)} files"
    with results.check("no file name contains a secret or a location"):
        for cache in caches:
            names = [str(path.relative_to(cache)) for path in stage.files(cache)]
            expect(not any("song" in name or secret in name for name in names for secret in secrets.values()), f"{names}")


def secret_of_the_path(results, stage, here):
    with results.check("the secret in the URLs stays the same, only the user can read it, and no log has it"):
        first = Weir(stage, here.base)
        second = Weir(stage, here.base)
        secret = first.base.split("/")[3]
        expect(len(secret) >= 22, f"{secret!r} is too short for 128 bits")
        equal(second.base.split("/")[3], secret, "the secret of the next run")
        web.fetch(first.url("song.mp3"))
        web.fetch(first.url("missing.mp3"))
        expect(secret not in first.log, "it is in the log")
        holders = [path for path in stage.files(stage.environment["XDG_CONFIG_HOME"])
                   if secret.encode() in path.read_bytes()]
        equal(len(holders), 1, "files that hold it")
        equal(stat.S_IMODE(holders[0].stat().st_mode), 0o600, "the file's mode")
        for weir in (first, second):
            weir.stop()
        third = Weir(stage, here.base, "--new-secret")
        expect(third.base.split("/")[3] != secret, "--new-secret did not change it")
        third.stop()
