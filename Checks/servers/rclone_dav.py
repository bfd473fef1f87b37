# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""`rclone serve webdav` over a folder, as people run it at home.

What it answers (1.60.1):
- `getetag` and ETag are the same: "mtime in nanoseconds, size" in hexadecimal, strong; with `--etag-hash` the hash.
- Ranges, several ranges, If-Range and If-Match as RFC 9110 has them; 416 with Content-Range. An empty file with a
  Range: 416 with `bytes */0`.
- PROPFIND of a folder without its slash: 207, and its href has one. GET of it: 405. GET of a folder: 200 and a page.
- PROPFIND with Depth infinity is answered, with the whole tree.
- Types go by the files' names.
"""

from pathlib import Path

from servers import launch
from servers.front import Front

USER, PASSWORD = "listener", "rclone sesame 4711"


class RcloneDAV:
    """A running rclone with a Front before it: rclone writes no log of what it is asked.

    `base` is the front's, `direct` rclone's own. `etag_hash` is "MD5", "auto", or None for rclone's own ETags.
    """

    user, password = USER, PASSWORD

    def __init__(self, stage, root, *options, etag_hash=None):
        program = launch.program(stage, "rclone")
        self.root = Path(root).resolve()
        # In the environment, where a list of processes does not show them.
        environment = dict(stage.environment, RCLONE_USER=USER, RCLONE_PASS=PASSWORD, RCLONE_CONFIG="/dev/null")
        more = [f"--etag-hash={etag_hash}"] if etag_hash else []

        def words(port):
            # A folder that was read is believed for five minutes otherwise, whatever happens to its files.
            return [program, "serve", "webdav", self.root, "--addr", f"127.0.0.1:{port}", "--read-only",
                    "--dir-cache-time=0s", *more, *options]

        self.program, port = launch.at_free_port(stage, "rclone", words, environment)
        self.direct = f"http://127.0.0.1:{port}/"
        self.front = Front(stage, self.direct)

    @property
    def base(self):
        return self.front.base

    @property
    def requests(self):
        """What was asked, in the order in which it came, with every header."""
        return self.front.requests

    def stop(self):
        self.front.stop()
        self.program.stop()
