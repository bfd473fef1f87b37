# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""S3: moto's server with a bucket, and a front that refuses requests as S3 does.

moto's answers (5.2.5):
- The ETag is the quoted MD5 of the stored bytes. Content-Type is binary/octet-stream unless the PUT has another.
- One range, also from the end: 206. Several ranges: 200 and the whole object, as in S3. A range past the end, and any
  range of an empty object: 416 with `InvalidRange` and no Content-Range.
- If-Match: 412. If-None-Match: 304. moto ignores If-Range: it sends the range of the new version with 206 and its ETag
  (`front.heeds_if_range` changes that).
- A missing key: 404 with `NoSuchKey`.
- moto checks no expiry and compares no signatures; the front does. A request without any signature is denied.
- moto reads the whole object for each range: 50 MB take some 60 ms.
"""

import http.client
import json
import re
import sys
from pathlib import Path
from urllib.parse import quote, urlsplit

from check_results import Skipped
from servers import sigv4
from servers.s3_front import S3Front
from stage import place, waiting
from stage.program import Program

KEYS = sigv4.Keys("STAGEKEY0000000000001", "secret-key-of-the-stage/4711+9c")
BUCKET = "music"


class S3:
    """A running S3 with one bucket; `front` has its requests and its settings.

        s3 = S3(stage, media.folder())
        weir = Weir(stage, s3.presigned("song.flac", seconds=5))
        s3.set_clock(10)                        # now it has expired
        s3.url_command("song.flac", 5)          # the words of a command that prints a fresh URL
    """

    def __init__(self, stage, root=None, keys=KEYS, verifies=True, rate=None, certificate=None):
        python = place.BUILD / "venv-moto" / "bin" / "python"
        if not python.exists():
            raise Skipped("there is no moto; Scripts/set-up clouds installs it")
        self.stage = stage
        self.keys = keys
        environment = dict(stage.environment, NO_COLOR="1", PYTHONUNBUFFERED="1")
        words = [python, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"]
        self.program = stage.put(Program(words, stage.folder, stage.name("moto"), environment))
        self.behind = waiting.until(self.printed_url, 60, "moto's start")
        self.ask("PUT", f"/{BUCKET}")
        self.front = S3Front(stage, self.behind, keys if verifies else None, rate, certificate)
        self.settings = stage.new_folder("fresh-url") / "settings.json"
        self.set_clock(0)
        if root is not None:
            for path in sorted(Path(root).iterdir()):
                if path.is_file():
                    self.put(path.name, path.read_bytes())

    def printed_url(self):
        if not self.program.is_alive():
            raise RuntimeError(f"moto did not start: {self.program.error.strip()[-500:]}")
        found = re.search(r"Running on (http://127\.0\.0\.1:\d+)", self.program.error)
        return found and found.group(1) + "/"

    @property
    def base(self):
        return self.front.base

    @property
    def requests(self):
        """The requests at the front in the order of arrival, with every header."""
        return self.front.requests

    def ask(self, method, target, body=None, **headers):
        """Makes a request directly to moto, without the front."""
        connection = http.client.HTTPConnection("127.0.0.1", urlsplit(self.behind).port, timeout=60)
        try:
            signed = sigv4.signed_headers(self.keys, self.behind.rstrip("/") + target, method)
            signed.update((name.replace("_", "-"), text) for name, text in headers.items())
            connection.request(method, target, body, signed)
            response = connection.getresponse()
            data = response.read()
            if response.status >= 300:
                raise RuntimeError(f"moto answered {response.status} to {method} {target}: {data[:300]!r}")
            return response.headers, data
        finally:
            connection.close()

    def put(self, key, data, **headers):
        """Stores or replaces an object; returns its ETag."""
        return self.ask("PUT", f"/{BUCKET}/{quote(key)}", data, **headers)[0]["ETag"]

    def delete(self, key):
        self.ask("DELETE", f"/{BUCKET}/{quote(key)}")

    def url(self, key):
        """The plain URL of an object; requests need signed headers."""
        return f"{self.base}{BUCKET}/{quote(key)}"

    def presigned(self, key, seconds=3600, method="GET"):
        """A fresh URL, by the front's clock."""
        return sigv4.presigned(self.keys, self.url(key), seconds, method, self.front.now())

    def url_command(self, key, seconds=3600):
        """The words of a command that prints a fresh URL, by the front's clock."""
        script = Path(__file__).resolve().parent / "fresh_url.py"
        return [sys.executable, str(script), str(self.settings), key, str(seconds)]

    def fresh_urls(self):
        """The times when the command ran, in seconds since 1970."""
        log = self.settings.with_suffix(".log")
        return [float(line) for line in log.read_text().splitlines()] if log.exists() else []

    def set_clock(self, ahead):
        """Sets the clocks of the front and the command forward, so that URLs expire without a wait."""
        self.front.ahead = ahead
        new = self.settings.with_suffix(".new")
        new.write_text(json.dumps({"base": f"{self.base}{BUCKET}/", "keys": self.keys, "ahead": ahead}))
        new.replace(self.settings)

    def stop(self):
        self.front.stop()
        self.program.stop()
