# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Where a list may lead: its origin, public addresses and named hosts. Every other listener counts 0 connections.

In a network of its own, where this is possible, an origin and its lists have public, private and link-local addresses,
and names that a hosts file resolves.
"""

import contextlib
import ctypes
import os
import shutil
import socket
import subprocess
import threading
from urllib.parse import urljoin

from check_results import Skipped, equal, expect
from hls_inputs import HEAD, END
from hls_lists import addresses, fetched
from servers.hls_origin import HLSOrigin
from stage import hls, web
from stage.weir import Weir

CLONE_NEWNET = 0x40000000
PUBLIC, PRIVATE, LINK_LOCAL, UNIQUE_LOCAL = "93.184.215.14", "10.77.0.2", "169.254.77.1", "fd77::2"
SHARED = "100.64.7.7"
NAMES = {"public.example": PUBLIC, "inside.example": PRIVATE, "here.example": "127.0.0.1", "link.example": LINK_LOCAL}


class Listener:
    """A listener that counts its connections, and answers each request with a segment."""

    def __init__(self, stage, address="127.0.0.1"):
        self.count = 0
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.socket = socket.socket(family)
        self.socket.bind((address, 0))
        self.socket.listen(16)
        self.address = address
        self.body = (hls.folder() / "ts" / "s00.ts").read_bytes()
        stage.callback(self.stop)
        threading.Thread(target=self.accept, daemon=True).start()

    def host(self, name=None):
        address = f"[{self.address}]" if ":" in self.address else self.address
        return f"{name or address}:{self.socket.getsockname()[1]}"

    def accept(self):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            self.count += 1
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client, contextlib.suppress(OSError):
            client.settimeout(10)
            head = b""
            while b"\r\n\r\n" not in head and (piece := client.recv(4096)):
                head += piece
            client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: video/mp2t\r\nETag: \"s\"\r\nConnection: close\r\n"
                           b"Content-Length: %d\r\n\r\n" % len(self.body) + self.body)

    def stop(self):
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


def asked(weir, origin, targets):
    """Asks for each target as the segment of a list, and through redirects of a segment and of a list; returns the answers."""
    statuses = {}
    for what, target in targets.items():
        name = "".join(letter if letter.isalnum() else "-" for letter in what)
        origin.routes[f"/odd/{name}.m3u8"] = (HEAD + f"#EXTINF:2.0,\n{target}\n#EXTINF:2.0,\nhops/{name}.ts\n" + END).encode()
        origin.routes[f"/odd/hops/{name}.ts"] = lambda handler, target=target: handler.answer(302, Location=target)
        origin.routes[f"/odd/master-{name}.m3u8"] = f"#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nhops/{name}.m3u8\n".encode()
        origin.routes[f"/odd/hops/{name}.m3u8"] = origin.routes[f"/odd/hops/{name}.ts"]
        url = f"{weir.base}odd/{name}.m3u8"
        listed = addresses(fetched(url).text)
        for way, address in (("", listed[0]), (", by a redirect", listed[1])):
            answer = web.fetch(urljoin(url, address))
            statuses[what + way] = answer
        master = f"{weir.base}odd/master-{name}.m3u8"
        statuses[f"{what}, a list by a redirect"] = web.fetch(urljoin(master, addresses(fetched(master).text)[0]))
    return statuses


def segments(statuses):
    """The answers of segments; a listener has no list."""
    return {what: answer for what, answer in statuses.items() if "a list" not in what}


def expect_refused(statuses):
    for what, answer in statuses.items():
        expect(answer.status in (403, 404, 502), f"the status for {what} is {answer.status}")
        expect(len(answer.text.strip()) > 20 and "." in answer.text, f"the refusal of {what} is no sentence: {answer.text[:200]!r}")


def on_loopback(stage):
    """Another port of 127.0.0.1, and of localhost: 0 connections; with --hls-host, some."""
    origin, listener = HLSOrigin(stage), Listener(stage)
    targets = {"127.0.0.1": f"http://{listener.host()}/s.ts", "localhost": f"http://{listener.host('localhost')}/s.ts",
               "0.0.0.0": f"http://{listener.host('0.0.0.0')}/s.ts", "a number": f"http://{listener.host('2130706433')}/s.ts",
               "mapped": f"http://{listener.host('[::ffff:127.0.0.1]')}/s.ts"}
    weir = Weir(stage, origin.base)
    statuses = asked(weir, origin, targets)
    equal(listener.count, 0, "the connections to the other port")
    expect_refused(statuses)
    weir.stop()
    weir = Weir(stage, origin.base, "--hls-host", "127.0.0.1", "--hls-host", "localhost")
    named = asked(weir, origin, {name: targets[name] for name in ("127.0.0.1", "localhost")})
    for what, answer in segments(named).items():
        expect(answer.status == 200, f"the status for {what} with --hls-host is {answer.status}: {answer.text[:200]!r}")
    expect(listener.count >= 2, f"{listener.count} connections with --hls-host")
    weir.stop()
    return f"{len(statuses)} requests without, {listener.count} connections with --hls-host"


def in_own_network(stage):
    """The same for private and public addresses and names; runs in a thread that gets a network of its own."""
    found = {}

    def work():
        try:
            found["value"] = _in_own_network(stage)
        except BaseException as error:  # Whatever it is, the check reports it.
            found["error"] = error

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if "error" in found:
        raise found["error"]
    return found["value"]


def _in_own_network(stage):
    if os.geteuid() != 0:
        raise Skipped("only root can make a network of its own")
    tools = {name: shutil.which(name, path=stage.environment["PATH"]) for name in ("ip", "unshare", "mount")}
    if not all(tools.values()) or ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
        raise Skipped("this machine does not allow a network of its own")

    def ip(*words):
        subprocess.run([tools["ip"], *words], check=True, capture_output=True, timeout=60)

    ip("link", "set", "lo", "up")
    for address in (PUBLIC, PRIVATE, LINK_LOCAL, SHARED):
        ip("address", "add", f"{address}/32", "dev", "lo")
    ip("-6", "address", "add", f"{UNIQUE_LOCAL}/128", "dev", "lo", "nodad")
    hosts = stage.folder / "hosts"
    hosts.write_text("127.0.0.1 localhost\n" + "".join(f"{address} {name}\n" for name, address in NAMES.items()))
    # Weir gets a hosts file of its own, too.
    inside = ["unshare", "--mount", "sh", "-c", f'mount --bind "{hosts}" /etc/hosts && exec "$@"', "sh"]
    origin = HLSOrigin(stage, (PUBLIC, PUBLIC))
    forbidden = [Listener(stage, address) for address in ("127.0.0.1", PRIVATE, SHARED, UNIQUE_LOCAL)]
    here, private, shared, unique = forbidden
    link, public = Listener(stage, LINK_LOCAL), Listener(stage, PUBLIC)
    targets = {
        "loopback": here.host(), "a private address": private.host(), "a shared address": shared.host(),
        "a unique local address": unique.host(), "a name with a private address": private.host("inside.example"),
        "a name with a loopback address": here.host("here.example"),
        "link-local": link.host(), "a name with a link-local address": link.host("link.example"),
    }
    targets = {what: f"http://{host}/s.ts" for what, host in targets.items()}
    weir = Weir(stage, origin.base, "--retry-for", "0s", before=inside)
    statuses = asked(weir, origin, targets)
    counts = {listener.address: listener.count for listener in (*forbidden, link)}
    equal(counts, dict.fromkeys(counts, 0), "the connections to addresses that are not public")
    expect_refused(statuses)
    allowed = asked(weir, origin, {"a public name": f"http://{public.host('public.example')}/s.ts"})
    for what, answer in segments(allowed).items():
        equal(answer.status, 200, f"the status for {what}, with {answer.text[:200]!r},")
    expect(public.count > 0, "the public address got no connection")
    weir.stop()
    names = ("10.77.0.2", "inside.example", LINK_LOCAL, "link.example")
    weir = Weir(stage, origin.base, "--retry-for", "0s", *(word for name in names for word in ("--hls-host", name)), before=inside)
    named = asked(weir, origin, {what: targets[what] for what in ("a private address", "a name with a private address")})
    for what, answer in segments(named).items():
        equal(answer.status, 200, f"the status for {what} with --hls-host, with {answer.text[:200]!r},")
    expect(private.count > 0, "the named private address got no connection")
    statuses |= asked(weir, origin, {what: targets[what] for what in ("link-local", "a name with a link-local address")})
    equal(link.count, 0, "the connections to a link-local address that is named")
    weir.stop()
    return f"{len(statuses)} requests refused, {private.count} connections with --hls-host, {public.count} to a public address"
