# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A folder of a thousand pages is listed page by page: every name once, in memory that does not grow with it."""

import json
import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from board import equal, expect
from clouds import User
from stage import place
from stage.stage import Stage


class Pages(BaseHTTPRequestHandler):
    """A disk with folders of so many files as their names say; the pages are of the size that is asked for."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        asked = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        total = int(asked["path"].rpartition("/")[2])
        answer = {"type": "dir", "name": str(total)}
        if "limit" in asked:
            start, limit = int(asked["offset"]), int(asked["limit"])
            self.server.pages += 1
            answer["_embedded"] = {
                "total": total,
                "items": [
                    {"name": f"song number {number} of a very large folder.mp3", "type": "file", "size": number,
                     "mime_type": "audio/mpeg", "modified": "2024-07-10T16:02:35+00:00", "md5": f"{number:032x}", "revision": number}
                    for number in range(start, min(start + limit, total))
                ],
            }
        text = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *words):
        pass


def run(board):
    with Stage("listing") as stage:
        server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
        server.pages = 0
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            api = f"http://127.0.0.1:{server.server_port}"
            user = User(stage, f'[sources.big]\nservice = "yandex-disk"\napi = "{api}"\ntoken = "y0_listing"\n')
            with board.check("a thousand pages are listed, every name once, in the memory of ten") as check:
                _, few = listed(user, 2_000)
                server.pages = 0
                names, many = listed(user, 200_000)
                # A full page may be the last one; that is learnt from the next.
                expect(server.pages in (1000, 1001), f"{server.pages} pages were asked for")
                equal(len(set(names)), 200_000, "names")
                # A page of JSON more or less, and what the allocator keeps.
                expect(many < few + 16 * 1024, f"{many} KiB resident for 1,000 pages, {few} KiB for 10")
                check.figure = f"{few / 1024:.0f} MiB for 10 pages, {many / 1024:.0f} MiB for 1,000"
        finally:
            server.shutdown()
            server.server_close()


def listed(user, count):
    """The names of a folder, and the most memory that was resident meanwhile, in KiB."""
    words = [str(place.weir_program()), "ls", f"big:/{count}", "--json"]
    program = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=user.environment)
    names = [json.loads(line)["name"] for line in program.stdout]
    _, status, usage = os.wait4(program.pid, 0)
    program.returncode = os.waitstatus_to_exitcode(status)
    equal(program.returncode, 0, "the exit status")
    return names, usage.ru_maxrss
