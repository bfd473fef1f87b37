# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""An S3 bucket as a source: moto's, behind a front with its own code to check every signature."""

import random

from check_results import equal, expect
from clouds import User, holders, same
from servers import sigv4
from servers.s3 import BUCKET, KEYS, S3
from stage import web
from stage.stage import Stage

BYTES = random.Random(22).randbytes(700_000)
NAMES = ["a b.bin", "Live/ü+%&=~'.bin", "Live/deep/er/z.bin", "日本.bin", "Live/(1) [x];@,$!*.bin"]


def run(results):
    with Stage("s3") as stage:
        store = S3(stage)
        for name in NAMES:
            store.put(name, BYTES)
        user = User(stage, section(store), SECRET=KEYS.secret)
        reads(results, user, store)
        lists(results, user, store)
        refuses(results, stage, user, store)
        finds_keys(results, stage, store)


def section(store, *lines, access=True):
    given = (f'access-key = "{KEYS.id}"', 'secret-key-env = "SECRET"') if access else ()
    head = ("[sources.store]", 'service = "s3"', f'bucket = "{BUCKET}"', f'endpoint = "{store.base}"')
    return "\n".join([*head, *given, *lines]) + "\n"


def reads(results, user, store):
    with results.check("get fetches objects with any name, and signs as the store does"):
        for name in NAMES:
            same(user.get(f"store:/{name}"), BYTES, name)
    with results.check("a player reads ranges, each byte is requested once, and versions are never mixed") as check:
        store.put("film.bin", BYTES)
        serving = user.serve()
        url = f"{serving.bases['store']}film.bin"
        count = len(store.requests)
        for first, last in ((600_000, 699_999), (0, 99_999), (50_000, 650_000)):
            answer = web.fetch(url, {"Range": f"bytes={first}-{last}"})
            equal(answer.status, 206, "the status")
            same(answer.body, BYTES[first:last + 1])
        asked = [request for request in store.requests[count:] if request.method == "GET" and "film.bin" in request.path]
        check.figure = f"{len(asked)} requests"
        expect(len(asked) <= 4, f"{len(asked)} requests for three ranges")
        store.put("film.bin", BYTES[::-1])
        answer = web.fetch(url, {"Range": "bytes=0-699999", "Cache-Control": "no-cache"})
        expect(answer.body in (BYTES, BYTES[::-1]), "two versions are mixed")
        serving.stop()
    with results.check("held bytes play without a request to the store"):
        same(user.get(f"store:/{NAMES[0]}", "--offline"), BYTES)


def lists(results, user, store):
    with results.check("ls shows common key prefixes as folders, over several pages, with the objects' sizes") as check:
        for number in range(1100):
            store.put(f"many/{number:04}.bin", b"x")
        names = [entry["name"] for entry in user.list("store:/many")]
        equal(sorted(names), [f"{number:04}.bin" for number in range(1100)], "the names")
        check.figure = f"{len(names)} objects"
        entries = {entry["name"]: entry for entry in user.list("store:/")}
        equal({name for name, entry in entries.items() if entry["kind"] == "folder"}, {"Live", "many"}, "the folders")
        equal(entries["a b.bin"]["bytes"], len(BYTES), "the size")
    with results.check("get copies a folder with all its files"):
        user.works("get", "-r", "store:/Live", "-o", user.home / "live", "--quiet")
        same((user.home / "live" / "deep" / "er" / "z.bin").read_bytes(), BYTES)
    with results.check("the source's name without a path means its root folder"):
        rooted = User(user.stage, section(store, 'root = "/Live/deep"'), SECRET=KEYS.secret)
        equal([entry["name"] for entry in rooted.list("store:/")], ["er"], "the entries")
        same(rooted.get("store:/er/z.bin"), BYTES)


def refuses(results, stage, user, store):
    with results.check("a missing and a forbidden object end with a message and their status"):
        expect("none.bin" in user.fails(3, "get", "store:/none.bin", "-o", "-"), "the message names the object")
        user.fails(3, "ls", "store:/nowhere")
        wrong = User(stage, section(store), SECRET="another")
        expect("secret access key" in wrong.fails(3, "ls", "store:/"), "the message names the key")
        expect("access-key" in User(stage, section(store, 'secret-key-env = "SECRET"', access=False), SECRET="x").fails(
            2, "ls", "store:/"), "the message names the missing object")
    with results.check("weir corrects a wrong clock by the store's"):
        store.set_clock(5 * 3600)
        other = User(stage, section(store), SECRET=KEYS.secret)
        same(other.get(f"store:/{NAMES[1]}"), BYTES)
        equal(len(other.list("store:/Live")), 3, "the entries")
        store.set_clock(0)
    with results.check("weir learns the right region from the store's answer"):
        lost = User(stage, section(store, 'region = "mars-north-1"'), SECRET=KEYS.secret)
        same(lost.get(f"store:/{NAMES[2]}"), BYTES)
        equal(len(lost.list("store:/Live")), 3, "the entries")
    with results.check("no log, message or cache file has a secret"):
        found, count = holders(stage, {"the secret": KEYS.secret}, [user.cache])
        equal(found, [], f"places, of {count},")


def finds_keys(results, stage, store):
    with results.check("weir finds the key in variables and in the shared file, with the token of a temporary key"):
        names = {"AWS_ACCESS_KEY_ID": KEYS.id, "AWS_SECRET_ACCESS_KEY": KEYS.secret}
        same(User(stage, section(store, access=False), **names).get(f"store:/{NAMES[0]}"), BYTES)
        temporary = sigv4.Keys("TEMPORARY0001", "another-secret", token="session/token+=")
        other = S3(stage, keys=temporary)
        other.put("x.bin", BYTES)
        user = User(stage, section(other, 'profile = "work"', access=False), AWS_EC2_METADATA_DISABLED="true")
        folder = user.home / ".aws"
        folder.mkdir()
        (folder / "credentials").write_text(
            "[default]\naws_access_key_id = NOBODY\naws_secret_access_key = x\n"
            f"[work]\naws_access_key_id = {temporary.id}\naws_secret_access_key = {temporary.secret}\n"
            f"aws_session_token = {temporary.token}\n"
        )
        same(user.get("store:/x.bin"), BYTES)
        other.stop()
    with results.check("without a key, weir says where it looked for one"):
        user = User(stage, section(store, access=False), AWS_EC2_METADATA_DISABLED="true")
        expect(".aws/credentials" in user.fails(3, "ls", "store:/"), "the message names the places")
