# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A Yandex.Disk: REST, link host, authorization server and WebDAV, by the program `weir-test-servers`.

The program is in weir's folder, or at the path in WEIR_TEST_SERVERS. `addresses` has the URL of each server.
`requests` are Asked with additional `server`, `time` and `violation`.
"""

import json
import os
from pathlib import Path

from check_results import Skipped
from servers.launch import Asked
from stage import place, waiting, web
from stage.program import Program

TOKEN = "y0_a-token-of-the-stage-4711"


def program():
    """The program of the test servers."""
    path = Path(os.environ.get("WEIR_TEST_SERVERS") or place.weir_program().parent / "weir-test-servers")
    if not os.access(path, os.X_OK):
        raise Skipped(f"there is no {path}; make release makes it")
    return path


class YandexDisk:
    """A running Yandex.Disk over a folder, or over a small generated disk."""

    def __init__(self, stage, folder=None, link_life=None, token_life=None, publish=(), token=TOKEN):
        words = [program(), "yandex", "--token", token]
        words += ["--folder", folder] if folder else []
        words += ["--link-life", link_life] if link_life else []
        words += ["--token-life", token_life] if token_life else []
        for public in publish:
            words += ["--publish", public]
        self.token = token
        self.program = stage.put(Program(words, stage.folder, stage.name("yandex"), stage.environment))
        # The server's output contains its own token, but no secret of Weir.
        self.addresses = json.loads(waiting.until(self.first_line, 20, "the start of weir-test-servers"))
        self.program.output_file.unlink()

    def first_line(self):
        if not self.program.is_alive():
            raise RuntimeError(f"weir-test-servers did not start: {self.program.error.strip()[-500:]}")
        return self.program.output if self.program.output.endswith("\n") else None

    def section(self, name="disk", **more):
        """A section of a configuration for the REST interface; a key with the value None is left out."""
        keys = {"service": "yandex-disk", "api": self.addresses["api"], "oauth": self.addresses["oauth"],
                "token": self.token, **more}
        return section(name, keys)

    def dav_section(self, name="dav", **more):
        """The same for WebDAV."""
        keys = {"service": "yandex-webdav", "url": self.addresses["webdav"], "oauth": self.addresses["oauth"],
                "token": self.token, **more}
        return section(name, keys)

    def control(self, method, path, data=None):
        line = web.Line(self.addresses["control"])
        try:
            line.connection.request(method, path, json.dumps(data) if data is not None else None)
            response = line.connection.getresponse()
            text = response.read()
            if response.status >= 300:
                raise RuntimeError(f"weir-test-servers answered {response.status}: {text[:300]!r}")
            return json.loads(text) if text else None
        finally:
            line.close()

    def behave(self, **switches):
        """Sets switches: linkLife, tokenLife, expiry, cutsBodiesAtExpiry, linksFollowChanges, faults …"""
        return self.control("POST", "/_behaviour", switches)

    @property
    def behaviour(self):
        return self.control("GET", "/_behaviour")

    @property
    def requests(self):
        """The requests in the order of arrival."""
        found = []
        for entry in self.control("GET", "/_record")["record"]:
            asked = Asked(entry["method"], entry["target"], [(field["name"], field["value"]) for field in entry["headers"]])
            asked.status, asked.sent, asked.is_over = entry["status"], entry["bodyBytesSent"], entry["hasEnded"]
            asked.server, asked.time, asked.violation = entry["server"], entry["time"], entry.get("violation")
            found.append(asked)
        return found

    @property
    def violations(self):
        return self.control("GET", "/_record")["violations"]

    def at(self, server):
        """The requests to one of the servers: api, link, oauth, webdav or other."""
        return [asked for asked in self.requests if asked.server == server]

    def forget(self):
        self.control("DELETE", "/_record")

    def media_bytes(self):
        """How many bytes of media the servers sent, after every body has ended."""
        waiting.until(lambda: all(asked.is_over for asked in self.requests), 10, "the end of every body")
        return sum(asked.sent for asked in self.requests
                   if asked.server in ("link", "other", "webdav") and asked.method == "GET" and asked.status < 300)

    def stop(self):
        self.program.stop()


def section(name, keys):
    """A section of a configuration with string values."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in keys.items() if value is not None]
    return "\n".join([f"[sources.{name}]", *lines, "", ""])
