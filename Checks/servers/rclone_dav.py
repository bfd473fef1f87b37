# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""`rclone serve webdav` over a folder, as people run it at home.

Its answers (1.60.1):
- `getetag` and ETag are the same: "mtime in nanoseconds, size" in hexadecimal, strong; with `--etag-hash` the hash.
- Ranges, several ranges, If-Range and If-Match as RFC 9110 defines them; 416 with Content-Range. An empty file with a
  Range: 416 with `bytes */0`.
- PROPFIND of a folder without its slash: 207, and its href has a slash. GET of it: 405. GET of a folder: 200 and a
  page.
- PROPFIND with Depth infinity returns the whole tree.
- The media types depend on the files' names.
"""

from pathlib import Path

from servers import launch
from servers.front import Front

USER, PASSWORD = "listener", "rclone sesame 4711"


class RcloneDAV:
    """A running rclone with a Front before it: rclone does not log its requests.

    `base` is the front's, `direct` rclone's own. `etag_hash` is "MD5", "auto", or None for rclone's own ETags.
    """

    user, password = USER, PASSWORD

    def __init__(self, stage, root, *options, etag_hash=None):
        program = launch.program(stage, "rclone")
        self.root = Path(root).resolve()
        # The user and password are in the environment, so that a list of processes does not show them.
        environment = dict(stage.environment, RCLONE_USER=USER, RCLONE_PASS=PASSWORD, RCLONE_CONFIG="/dev/null")
        more = [f"--etag-hash={etag_hash}"] if etag_hash else []

        def words(port):
            # Otherwise rclone caches a folder's entries for five minutes, even if its files change.
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
        """The requests in the order of arrival, with every header."""
        return self.front.requests

    def stop(self):
        self.front.stop()
        self.program.stop()
