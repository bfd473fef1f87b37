# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A station with the faults of real stations, by the program `weir-test-servers radio`.

    radio = HostileRadio(stage, [path], rate=16000, burst=32000, behaviours=["icy+lf+metaint=255*2", "close=3"])
    ... weir plays radio.url ...
    radio.record            # every request: its status, its first byte in the sound, how many bytes it got
"""

import json
from urllib.parse import urlsplit

from servers.yandex_disk import program
from stage import waiting, web
from stage.program import Program


class HostileRadio:
    """A running station; by default a connection joins the programme at its current position."""

    def __init__(self, stage, paths, rate, burst=0, behaviours=("plain",), titles=(), start="live", entries=()):
        words = [program(), "radio", *paths, "--rate", rate, "--burst", burst, "--start", start]
        for behaviour in behaviours:
            words += ["--behaviour", behaviour]
        for offset, text in titles:
            words += ["--title", f"{offset}={text}"]
        for entry in entries:
            words += ["--entry", entry]
        self.rate = rate
        self.program = stage.put(Program(words, stage.folder, stage.name("radio"), stage.environment))
        self.addresses = json.loads(waiting.until(self.first_line, 20, "the start of weir-test-servers"))

    def first_line(self):
        if not self.program.is_alive():
            raise RuntimeError(f"weir-test-servers did not start: {self.program.error.strip()[-500:]}")
        return self.program.output if self.program.output.endswith("\n") else None

    @property
    def url(self):
        return self.addresses["stream"]

    @property
    def port(self):
        return int(self.url.split("/")[2].rpartition(":")[2])

    def control(self, method, path, data=None):
        with web.Line(self.addresses["control"]) as line:
            line.connection.request(method, path, json.dumps(data) if data is not None else None)
            response = line.connection.getresponse()
            text = response.read()
            if response.status >= 300:
                raise RuntimeError(f"weir-test-servers answered {response.status}: {text[:300]!r}")
            if response.getheader("Content-Type") == "application/octet-stream":
                return text
            return json.loads(text) if text else None

    def sound(self, number):
        """The sound sent to a request of the record, without titles."""
        return self.control("GET", f"/_audio?{number}")

    @property
    def record(self):
        """Every request in the order of arrival, as dictionaries."""
        return self.control("GET", "/_record")

    def behave(self, *behaviours):
        self.control("POST", "/_behaviour", list(behaviours))

    def refuse(self):
        """Refuses connections from now on."""
        self.control("POST", "/_refuse")
        # The control answer comes before the port is closed.
        waiting.until(lambda: not web.is_listening(urlsplit(self.url).port), 20, "the end of listening")

    def close_connections(self):
        self.control("POST", "/_close")

    def stop(self):
        self.program.stop()
