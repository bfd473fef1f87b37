# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The addresses that Weir listens at, its ways to an origin, and the sources of its request headers."""

from pathlib import Path

import speech
import usage
from check_results import Skipped, equal, expect
from servers.forward_proxies import Microsocks, Squid, Tinyproxy
from stage import certificates, media, origin, waiting, web
from stage.nginx import Nginx
from stage.origin import Origin, ForwardProxy
from stage.stage import Stage
from stage.weir import Weir, command


def run(results):
    folder = media.folder()
    with Stage("network") as stage:
        nginx = Nginx(stage, folder, token="net-token-0a4e")
        listens(results, stage, nginx)
        proxies(results, stage, nginx, folder)
        headers(results, stage, nginx, folder)
        several_origins(results, stage, folder)


def listens(results, stage, nginx):
    with results.check("serve listens on 127.0.0.1 only") as check:
        weir = Weir(stage, nginx.base, header=nginx.header)
        places = listening(weir.program.pid)
        equal(places, [f"127.0.0.1:{weir.port}"], "where it listens")
        check.figure = places[0]
        answer = web.fetch(f"http://127.0.0.1:{weir.port}/healthz")
        equal(answer.status, 200, "the status of /healthz")
        weir.stop()
    with results.check("--no-secret serves a single origin under its own path"):
        weir = Weir(stage, nginx.base, "--no-secret", header=nginx.header)
        equal(weir.base, f"http://127.0.0.1:{weir.port}/", "the URL")
        equal(web.fetch(weir.url("song.mp3")).status, 200, "the status")
        weir.stop()


def listening(pid):
    """The addresses at which a process accepts connections."""
    if not Path("/proc/net/tcp").exists():
        raise Skipped("this machine has no /proc/net/tcp")
    sockets = set()
    for target in usage.open_files(pid).values():
        if target.startswith("socket:["):
            sockets.add(target[8:-1])
    places = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] != "0A" or fields[9] not in sockets:
                continue
            address, port = fields[1].split(":")
            if len(address) == 8:
                address = ".".join(str(byte) for byte in bytes.fromhex(address)[::-1])
            places.append(f"{address}:{int(port, 16)}")
    return places


def proxies(results, stage, nginx, folder):
    whole = (folder / "song.mp3").read_bytes()

    def get(base, *options, **variables):
        words = ("get", base + "song.mp3", "-o", "-", "--quiet", "--cache", stage.new_folder("cache"), *options)
        done = command(stage, *words, environment=dict(stage.environment, **variables))
        expect(done.stdout == whole, f"it ended with {done.returncode}: {done.stderr.decode().strip()[:300]}")

    def refused(base, *options, **variables):
        words = ("get", base + "song.mp3", "-o", "-", "--quiet", "--cache", stage.new_folder("cache"), *options)
        done = command(stage, *words, environment=dict(stage.environment, **variables))
        equal(done.returncode, 3, "the status")
        return speech.sentence(done.stderr.decode())

    source = ("--header", nginx.header, "--account", "me")
    with results.check("HTTP_PROXY is used, except for hosts in NO_PROXY") as check:
        proxy = ForwardProxy(stage)
        get(nginx.base, *source, HTTP_PROXY=proxy.url)
        equal(proxy.targets, [f"GET {nginx.base}song.mp3"], "the requests to the proxy")
        check.figure = proxy.targets[0]
        get(nginx.base, *source, HTTP_PROXY=proxy.url, NO_PROXY="localhost,127.0.0.1")
        equal(len(proxy.targets), 1, "the number of requests to the proxy with NO_PROXY")
    with results.check("ALL_PROXY is used for schemes without another proxy"):
        proxy, other = ForwardProxy(stage), ForwardProxy(stage)
        get(nginx.base, *source, ALL_PROXY=proxy.url, HTTPS_PROXY=other.url)
        get(nginx.base, *source, ALL_PROXY=other.url, HTTP_PROXY=proxy.url)
        equal(proxy.targets, [f"GET {nginx.base}song.mp3"] * 2, "the requests to the proxy")
        equal(other.targets, [], "the requests to the other proxy")
    with results.check("HTTPS_PROXY is used, and TLS reaches the origin through it"):
        certificate = certificates.make(stage)
        secure = Nginx(stage, folder, certificate=certificate)
        proxy = ForwardProxy(stage)
        get(secure.base, "--ca-file", certificate.authority, HTTPS_PROXY=proxy.url, HTTP_PROXY="http://127.0.0.1:1")
        equal(proxy.targets, [f"CONNECT 127.0.0.1:{secure.port}"], "the requests to the proxy")
    for kind in (Tinyproxy, Squid):
        for wants_password in (False, True):
            name = f"{kind.name}, {'with' if wants_password else 'without'} a password"
            with results.check(f"{name}, forwards plain HTTP and opens tunnels only to the TLS port") as check:
                proxy = kind(stage, wants_password=wants_password, tls_port=secure.port)
                get(nginx.base, *source, HTTP_PROXY=proxy.url)
                get(secure.base, "--ca-file", certificate.authority, HTTPS_PROXY=proxy.url)
                wrong = proxy.url.replace(proxy.user, "nobody:none@") if wants_password else None
                if wrong:
                    check.figure = refused(nginx.base, *source, HTTP_PROXY=wrong)
    with results.check("a SOCKS 5 proxy forwards both HTTP and TLS"):
        proxy = Microsocks(stage, wants_password=False, tls_port=secure.port)
        get(nginx.base, *source, ALL_PROXY=proxy.url)
        get(secure.base, "--ca-file", certificate.authority, ALL_PROXY=proxy.url)
    secure.stop()


def headers(results, stage, nginx, folder):
    whole = (folder / "song.mp3").read_bytes()
    file = stage.folder / "headers.txt"
    file.write_text(f"{nginx.header}\n\nX-Other: 1\n")
    ways = {
        "--header": (("--header", nginx.header), {}),
        "--header @FILE": (("--header", f"@{file}"), {}),
        "--header-env": (("--header-env", "Authorization=SECRET"), {"SECRET": nginx.header.partition(": ")[2]}),
    }
    with results.check("headers come from the command line, a file and the environment") as check:
        for way, (options, variables) in ways.items():
            words = ("get", nginx.base + "song.mp3", "-o", "-", "--quiet", "--account", "me", *options)
            environment = dict(stage.environment, **variables)
            done = command(stage, *words, "--cache", stage.new_folder("cache"), environment=environment)
            expect(done.stdout == whole, f"{way}: {done.returncode} {done.stderr.decode().strip()[:300]}")
        check.figure = ", ".join(ways)
    with results.check("accounts share nothing: each sends its own credential"):
        cache = stage.new_folder("cache")
        words = ("get", nginx.base + "song.mp3", "-o", "-", "--quiet", "--cache", cache)
        equal(command(stage, *words, "--header", nginx.header, "--account", "a").returncode, 0, "the first's exit status")
        other = ("--header", "Authorization: OAuth none", "--account", "b")
        equal(command(stage, *words, *other).returncode, 3, "the exit status of an account without rights")
    with results.check("a volatile part of the query is not part of the key"):
        data = b"ID3" + bytes(range(256)) * 400
        server = Origin(stage, {"/a.mp3": origin.content(data)})
        cache = stage.new_folder("cache")
        for signature in ("1", "2"):
            words = ("get", f"{server.base}a.mp3?v=7&sig={signature}", "-o", "-", "--quiet", "--cache", cache)
            expect(command(stage, *words, "--volatile-query", "sig").stdout == data, "the bytes differ")
        equal(len(server.asked), 1, "requests")


def several_origins(results, stage, folder):
    with results.check("serve offers two origins under two names"):
        one, two = Nginx(stage, folder), Nginx(stage, folder)
        weir = Weir(stage, one.base, two.base)
        lines = waiting.until(
            lambda: weir.program.output.count("\n") == 2 and weir.program.output.split(), 20, "the second URL"
        )
        for line, name in zip(lines, ("origin", "origin2")):
            expect(f"/{name}/" in line, f"{line} does not name {name}")
            answer = web.fetch(line + "song.mp3", {"Range": "bytes=0-9"})
            equal(answer.body, media.part(folder / "song.mp3", 0, 10), "the bytes")
        weir.stop()
        for nginx in (one, two):
            waiting.until(nginx.requests, 5, "nginx's log entry: each origin was asked")
