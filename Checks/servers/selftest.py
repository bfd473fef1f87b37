#!/usr/bin/env python3
# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Starts each server, sends requests with curl and prints a line for each answer.

python3 Checks/servers/selftest.py [apache|nginx|rclone|s3|recorder|icecast…]
"""

import hashlib
import os
import re
import subprocess
import sys
import xml.etree.ElementTree
from collections import namedtuple
from pathlib import Path

sys.dont_write_bytecode = True
CHECKS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(CHECKS), str(CHECKS.parent / "Scripts")]

import captures  # noqa: E402
import samples  # noqa: E402
from check_results import Failed, Results, equal, expect  # noqa: E402
from servers import recorder  # noqa: E402
from servers.apache_dav import ApacheDAV  # noqa: E402
from servers.icecast import FFmpegSource, Icecast, OggSource  # noqa: E402
from servers.nginx_dav import NginxDAV  # noqa: E402
from servers.rclone_dav import RcloneDAV  # noqa: E402
from servers.recorder import Recorder  # noqa: E402
from servers.relay import Relay  # noqa: E402
from servers.s3 import BUCKET, S3  # noqa: E402
from stage import certificates, origin, place, sounds, waiting  # noqa: E402
from stage.stage import Stage  # noqa: E402

DATA = bytes(range(256)) * 2000
NAME = "a song & ä.bin"
QUOTED = "a%20song%20%26%20%C3%A4.bin"
DAV = "{DAV:}"


Answer = namedtuple("Answer", "status headers body followed exit_status")


def curl(stage, url, *options, limit=30):
    """Runs curl once; the status is the last answer's, `followed` counts the others."""
    head = stage.folder / stage.name("head")
    words = ["curl", "--silent", "--max-time", str(limit), "--dump-header", head, "--globoff", *options, url]
    done = subprocess.run([str(word) for word in words], capture_output=True, timeout=limit + 10)
    blocks = [block.splitlines() for block in head.read_text(errors="replace").split("\n\n") if block.strip()]
    expect(blocks, f"curl ended with {done.returncode} and no answer")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in blocks[-1][1:])}
    return Answer(int(blocks[-1][0].split()[1]), headers, done.stdout, len(blocks) - 1, done.returncode)


def files(stage):
    folder = stage.new_folder("files")
    (folder / NAME).write_bytes(DATA)
    (folder / "empty.bin").write_bytes(b"")
    (folder / "album").mkdir()
    (folder / "album" / "one.bin").write_bytes(DATA[:1000])
    # Old enough that no program takes them for files being written.
    for path in (*folder.rglob("*"), folder):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    return folder


def propfind(stage, url, depth, *options):
    """The properties of each href."""
    answer = curl(stage, url, "--request", "PROPFIND", "--header", f"Depth: {depth}", *options)
    equal(answer.status, 207, "the status of PROPFIND")
    found = {}
    for response in xml.etree.ElementTree.fromstring(answer.body).iter(f"{DAV}response"):
        good = [part for part in response.iter(f"{DAV}propstat") if " 200 " in part.findtext(f"{DAV}status")]
        found[response.findtext(f"{DAV}href")] = {
            prop.tag.removeprefix(DAV): prop for part in good for prop in part.find(f"{DAV}prop")
        }
    return found


def webdav(results, stage, name, server, collections):
    for path, options in collections.items():
        base = server.base + path
        place_of = f"{name} at /{path}"
        with results.check(f"{place_of} answers PROPFIND, Depth 0 and 1") as check:
            one = propfind(stage, base + QUOTED, 0, *options)
            equal(len(one), 1, "hrefs at depth 0")
            (properties,) = one.values()
            equal(int(properties["getcontentlength"].text), len(DATA), "the length")
            etag = properties["getetag"].text if "getetag" in properties else None
            many = propfind(stage, base, 1, *options)
            equal(len(many), 4, "hrefs at depth 1")
            check.figure = f"getetag {etag}; {', '.join(many)}"
        with results.check(f"{place_of} answers ranges and refuses another version") as check:
            answer = curl(stage, base + QUOTED, "--range", "1000-1999", *options)
            equal((answer.status, answer.body), (206, DATA[1000:2000]), "the answer")
            if etag:
                equal(answer.headers["etag"], etag, "ETag")
            check.figure = f"ETag {answer.headers['etag']}, {answer.headers['content-range']}"
            other = ("--range", "0-1", "--header", 'If-Range: "other"')
            equal(curl(stage, base + QUOTED, *other, *options).status, 200, "the status for another If-Range")
            other = ("--header", 'If-Match: "other"')
            equal(curl(stage, base + QUOTED, *other, *options).status, 412, "the status for another If-Match")
        with results.check(f"{place_of} answers 404 for a missing file") as check:
            seen = {}
            for what, target in {"a folder": "album/", "one without slash": "album", "nothing": "none"}.items():
                seen[what] = curl(stage, base + target, *options).status
            equal(seen["nothing"], 404, "the status of a missing file")
            seen["empty, with a range"] = curl(stage, base + "empty.bin", "--range", "0-1", *options).status
            seen["past the end"] = curl(stage, base + QUOTED, "--range", "9999999-", *options).status
            equal(seen["past the end"], 416, "the status past the end")
            check.figure = ", ".join(f"{what}: {status}" for what, status in seen.items())
        if options:
            with results.check(f"{place_of} refuses a request without a password") as check:
                answer = curl(stage, base + QUOTED)
                equal(answer.status, 401, "the status")
                check.figure = answer.headers["www-authenticate"].partition(",")[0]
    with results.check(f"{name} records its requests") as check:
        # A line of the log appears after the answer.
        waiting.until(lambda: server.requests[-1].status, 5, "the last line of the log")
        asked = server.requests
        depths = {entry.get("Depth") for entry in asked if entry.method == "PROPFIND"}
        equal(depths, {"0", "1"}, "the depths in the log")
        expect(("bytes=1000-1999", 206) in [(entry.range, entry.status) for entry in asked], "no range in the log")
        check.figure = f"{len(asked)} requests, the last {asked[-1]}"


def digest(challenge, user, password, path):
    """The Authorization that answers a challenge, for GET, the first time (RFC 7616 3.4)."""
    told = dict(re.findall(r'(\w+)="?([^",]+)"?', challenge))

    def hashed(text):
        return hashlib.md5(text.encode()).hexdigest()

    first, second = hashed(f"{user}:{told['realm']}:{password}"), hashed(f"GET:{path}")
    response = hashed(f"{first}:{told['nonce']}:00000001:c0ffee:auth:{second}")
    fields = dict(username=user, realm=told["realm"], nonce=told["nonce"], uri=path, cnonce="c0ffee", response=response)
    return "Digest " + ", ".join(f'{name}="{value}"' for name, value in fields.items()) + ", qop=auth, nc=00000001"


def apache(results):
    with Stage("selftest") as stage:
        server = ApacheDAV(stage, files(stage))
        user = ("--user", f"{server.user}:{server.password}")
        webdav(results, stage, "Apache", server, {"open/": (), "basic/": user, "digest/": ("--digest", *user)})
        with results.check("Apache's Digest takes two steps, and the answer has the server's proof") as check:
            answer = curl(stage, server.base + "digest/" + QUOTED, "--digest", *user, "--range", "0-9")
            equal((answer.status, answer.body, answer.followed), (206, DATA[:10], 1), "status, bytes, earlier answers")
            check.figure = answer.headers["authentication-info"].partition(",")[0]
            equal(curl(stage, server.base + "digest/" + QUOTED, "--digest", "--user", "a:b").status, 401, "the status")
        with results.check("Apache's log has every header"):
            curl(stage, server.base + "open/" + QUOTED, "--header", "X-Weir: a|b c", "--range", "0-0")
            waiting.until(lambda: server.requests[-1].status, 5, "the last line of the log")
            equal(server.requests[-1].get("X-Weir"), "a|b c", "the header")
        with results.check("Apache's ETag is weak while a file is new") as check:
            (server.root / "new.bin").write_bytes(DATA)
            check.figure = curl(stage, server.base + "open/new.bin").headers["etag"]
            expect(check.figure.startswith("W/"), f"it is {check.figure}")
        with results.check("Apache reports a stale nonce, and exits cleanly") as check:
            short = ApacheDAV(stage, server.root, nonce_seconds=1)
            path = "/digest/empty.bin"
            challenge = curl(stage, short.base + path[1:]).headers["www-authenticate"]
            again = ("--header", f"Authorization: {digest(challenge, short.user, short.password, path)}")
            equal(curl(stage, short.base + path[1:], *again).status, 200, "the status at first")

            def refusal():
                answer = curl(stage, short.base + path[1:], *again)
                return answer.status == 401 and answer.headers["www-authenticate"]

            challenge = waiting.until(refusal, 10, "the end of the nonce", pause=0.2)
            expect("stale=true" in challenge, f"the challenge is {challenge}")
            check.figure = "stale=true"
            for each in (short, server):
                each.stop()
                equal(each.program.poll(), 0, "the exit status")
                expect("mpm_event:error]" not in each.errors, f"its log says {each.errors[-300:]}")


def nginx(results):
    with Stage("selftest") as stage:
        server = NginxDAV(stage, files(stage))
        webdav(results, stage, "nginx", server, {"": ("--user", f"{server.user}:{server.password}")})


def rclone(results):
    with Stage("selftest") as stage:
        folder = files(stage)
        server = RcloneDAV(stage, folder)
        options = ("--user", f"{server.user}:{server.password}")
        webdav(results, stage, "rclone", server, {"": options})
        with results.check("rclone --etag-hash MD5 uses the MD5 as the ETag") as check:
            hashed = RcloneDAV(stage, folder, etag_hash="MD5")
            check.figure = curl(stage, hashed.base + QUOTED, "--head", *options).headers["etag"]
            equal(check.figure, f'"{hashlib.md5(DATA).hexdigest()}"', "the ETag")
        with results.check("rclone notices a replaced file at once"):
            (folder / NAME).write_bytes(DATA[:500])
            equal(curl(stage, server.base + QUOTED, *options).body, DATA[:500], "the bytes")


BOTO = """
import sys, boto3
from botocore.config import Config
base, key_id, secret, bucket, key = sys.argv[1:]
client = boto3.client("s3", endpoint_url=base, aws_access_key_id=key_id, aws_secret_access_key=secret,
    region_name="us-east-1", config=Config(signature_version="s3v4", s3={"addressing_style": "path"}))
print(client.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": key}, ExpiresIn=60))
print(client.get_object(Bucket=bucket, Key=key, Range="bytes=5-9")["ContentRange"])
print(client.head_object(Bucket=bucket, Key=key)["ETag"])
"""


def s3(results):
    with Stage("selftest") as stage:
        server = S3(stage, files(stage))
        url = server.presigned(NAME, 5)
        with results.check("S3 answers a presigned URL and ranges of it") as check:
            answer = curl(stage, url, "--range", "10-19")
            equal((answer.status, answer.body), (206, DATA[10:20]), "the answer")
            equal(answer.headers["etag"], f'"{hashlib.md5(DATA).hexdigest()}"', "the ETag")
            check.figure = f"ETag {answer.headers['etag']}, {answer.headers['content-range']}"
        with results.check("S3 refuses HEAD, a wrong signature and a missing signature"):
            equal(curl(stage, url, "--head").status, 403, "the status of HEAD")
            changed = url[:-1] + ("0" if url[-1] != "0" else "1")
            expect(b"SignatureDoesNotMatch" in curl(stage, changed).body, "the signature is not compared")
            expect(b"<Code>AccessDenied" in curl(stage, server.url(NAME)).body, "an unsigned request is accepted")
        with results.check("S3 compares If-Match, and If-Range if configured"):
            other = ("--range", "0-9", "--header", 'If-Range: "other"')
            equal(curl(stage, url, "--header", 'If-Match: "other"').status, 412, "the status for another If-Match")
            equal(curl(stage, url, *other).status, 206, "the status for another If-Range")
            server.front.heeds_if_range = True
            equal(curl(stage, url, *other).status, 200, "the status for another If-Range, with support for it,")
            same = ("--range", "0-9", "--header", f'If-Range: "{hashlib.md5(DATA).hexdigest()}"')
            equal(curl(stage, url, *same).status, 206, "the status for the same If-Range, with support for it,")
        with results.check("S3 accepts botocore's signatures in the URL and in headers") as check:
            python = place.BUILD / "venv-moto" / "bin" / "python"
            words = [python, "-c", BOTO, server.base, server.keys.id, server.keys.secret, BUCKET, NAME]
            done = subprocess.run(words, capture_output=True, text=True, timeout=60, env=stage.environment)
            equal(done.returncode, 0, f"botocore's exit status, with {done.stderr[-300:]!r},")
            signed, part, _ = done.stdout.splitlines()
            equal(curl(stage, signed).body, DATA, "the bytes")
            check.figure = part
        with results.check("S3 refuses an expired URL, and a command prints a new one") as check:
            server.set_clock(10)
            answer = curl(stage, url)
            equal(answer.status, 403, "the status")
            expect(b"<Code>AccessDenied</Code><Message>Request has expired</Message>" in answer.body, f"{answer.body}")
            done = subprocess.run(server.url_command(NAME, 5), capture_output=True, text=True, timeout=20)
            equal(curl(stage, done.stdout.strip()).body, DATA, "the bytes of the new URL")
            equal(len(server.fresh_urls()), 1, "runs of the command")
            check.figure = str(server.front.asked_for(f"/{BUCKET}/{QUOTED}")[-1].status)
        with results.check("S3 sends 50 MB, and cuts a body when its URL expires") as check:
            server.put("big.bin", big := os.urandom(1 << 20) * 50)
            expect(curl(stage, server.presigned("big.bin")).body == big, "the bytes differ")
            server.front.cuts_at_expiry, server.front.rate = True, 10e6
            answer = curl(stage, server.presigned("big.bin", 2))
            equal(answer.exit_status, 18, "curl's exit status for a body that ends early")
            expect(big.startswith(answer.body) and 0 < len(answer.body) < len(big), f"{len(answer.body)} bytes came")
            expect(server.requests[-1].was_cut, "the front does not record the cut")
            check.figure = f"{len(answer.body) / 1e6:.1f} MB arrived"


def recording(results):
    with Stage("selftest") as stage:
        path = files(stage) / NAME
        here, there = Recorder(stage), Recorder(stage)
        here.routes.update({"/a": recorder.onward(there), "/b": recorder.file(path), "/c": recorder.onward(there)})
        there.routes.update({"/a": recorder.file(path), "/c": recorder.onward(here, 307, "/b")})
        token = ("--header", "Authorization: Bearer hush")
        with results.check("a recorder redirects to another one, and both record every header") as check:
            answer = curl(stage, here.base + "a?x=1", "--location", "--range", "5-9", "--header", "X-A: 1",
                          "--header", "X-A: 2", *token)
            equal((answer.status, answer.body), (206, DATA[5:10]), "the answer")
            equal(here.requests[-1].authorization, "Bearer hush", "the token here")
            equal(there.requests[-1].authorization, None, "the token there")
            equal(there.requests[-1].all("x-a"), ["1", "2"], "a header that arrived twice")
            check.figure = str(there.requests[-1])
        with results.check("a recorder redirects there and back"):
            equal(curl(stage, here.base + "c", "--location").followed, 2, "redirects")
            equal([asked.path for asked in here.requests[-2:]], ["/c", "/b"], "the requests here")
        with results.check("a recorder serves ranges of a file, and answers HEAD"):
            equal(curl(stage, here.base + "b").body, DATA, "the bytes")
            equal(here.requests[-1].sent, len(DATA), "the count")
            equal(int(curl(stage, here.base + "b", "--head").headers["content-length"]), len(DATA), "HEAD's length")
            equal(curl(stage, here.base + "b", "--range", "-7").body, DATA[-7:], "the last bytes")
            equal(curl(stage, here.base + "b", "--range", "9999999-").status, 416, "the status past the end")
            other = ("--range", "0-1", "--header", 'If-Range: "two"')
            equal(curl(stage, here.base + "b", *other).status, 200, "the status for another If-Range")
        with results.check("a recorder serves listing pages, and accepts the token in another form"):
            for number in (401, 403, 404, 500):
                here.default = recorder.page(number)
                answer = curl(stage, here.base + "x", "--request", "PROPFIND", "--data", "<a/>")
                equal(answer.status, number, "the status")
                equal(here.requests[-1].body, b"<a/>", "the body")
            here.routes["/t"] = recorder.demand("Bearer hush", origin.content(b"abc"))
            equal([curl(stage, here.base + "t", *more).status for more in ((), token)], [401, 200], "the statuses")
        with results.check("a recorder serves TLS"):
            certificate = certificates.make(stage)
            secure = Recorder(stage, {"/a": recorder.file(path)}, certificate=certificate)
            equal(curl(stage, secure.base + "a", "--cacert", certificate.authority).body, DATA, "the bytes")


def icecast(results):
    """The station and the relay in front of it; also checks that the comparison of sound detects differences."""
    with Stage("selftest") as stage:
        server = Icecast(stage, utf8=("/utf8.mp3",))
        wav = samples.programme(20)
        links = []
        for number in range(3):
            links.append(stage.folder / f"link-{number}.ogg")
            sounds.run(["oggenc", "-Q", "-t", f"Lied {number} ö", "--serial", 7 + number, "-o", links[-1], wav])
        OggSource(server, "/chain.ogg", links, ahead=1000)
        bare = ["-c:a", "libmp3lame", "-b:a", "128k", "-write_xing", 0, "-id3v2_version", 0]
        for mount in ("/live.mp3", "/utf8.mp3"):
            FFmpegSource(server, mount, wav, bare, "mp3", "audio/mpeg")
        for mount in ("/live.mp3", "/utf8.mp3", "/chain.ogg"):
            server.wait_for(mount)
        with results.check("icecast sends titles in the mount's charset, and the relay records the bytes that curl gets") as check:
            relay = Relay(stage, server.port)
            for mount, charset, title in (("/live.mp3", "cp1252", "Zoë; 'x'"), ("/utf8.mp3", "utf-8", "Песня 歌")):
                server.set_title(mount, title)
                answer = curl(stage, relay.base + mount, "--header", "Icy-MetaData: 1", limit=4)
                received = bytes(relay.connections[-1].received)
                expect(received.endswith(answer.body) and len(answer.body) > 20_000, f"{len(answer.body)} bytes came")
                stream = captures.stream(received)
                equal(stream.fields["icy-metaint"], "16000", "the interval")
                titles = [block.rstrip(b"\0").decode(charset) for _, block in stream.titles]
                expect(f"StreamTitle='{title}';" in titles, f"the titles are {titles}")
                frames = captures.frames(stream.sound)
                equal({frame.size for frame in frames} <= {417, 418}, True, "the sizes of packets")
                expect(sum(frame.size for frame in frames) > len(stream.sound) - 900, "packets are missing")
            check.figure = f"{len(received)} bytes"
        with results.check("icecast sends a chained Ogg with its header pages, and its links are distinct") as check:
            answer = curl(stage, relay.base + "/chain.ogg", limit=3)
            found = captures.links(captures.stream(bytes(relay.connections[-1].received)).sound)
            names = [captures.comment(link, "TITLE") for link in found]
            expect(names and set(names) <= {f"Lied {number} ö" for number in range(3)}, f"the titles are {names}")
            equal(captures.link_rate(found[0]), 44100, "the rate")
            check.figure = ", ".join(names)
        with results.check("a wrong sample and a missing frame are found"):
            data = samples.read_wave(wav).data
            changed = bytearray(data)
            changed[4 * 300_000] ^= 1
            for wrong in (bytes(changed), data[: 4 * 200_000] + data[4 * 200_001 :]):
                try:
                    samples.expect_equal(wrong, data, 2, "it")
                except Failed:
                    continue
                raise Failed("no difference was reported")
            found = samples.agreement(data[4 * 1234 :], data, 2)
            equal((found.shift, found.largest, found.frames), (1234, 0, len(data) // 4 - 1234), "the matching part")


SERVERS = {"apache": apache, "nginx": nginx, "rclone": rclone, "s3": s3, "recorder": recording, "icecast": icecast}


def main():
    results = Results()
    for name in sys.argv[1:] or SERVERS:
        results.run("servers", SERVERS[name])
    return results.close()


if __name__ == "__main__":
    sys.exit(main())
