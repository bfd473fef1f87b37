# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Real servers for the checks: WebDAV by Apache, nginx and rclone, S3 by moto, Icecast, recorders, and a relay.

Each takes a Stage and ends with it; each listens on 127.0.0.1 at a port that the system chooses. They use only the
standard library. `Scripts/set-up clouds radio` installs the servers, `python3 Checks/servers/selftest.py` shows the
answers of each.

Every file server has `base` (a URL that ends in a slash), `requests` (each an `Asked`: a request with headers and
status) and `stop()`; the WebDAV servers also have `root`, `user` and `password`. A server that is not installed
raises `Skipped`. A server's own log gets a line when the answer has ended: wait for it with `stage.waiting`.
"""
