# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Real servers for the checks: WebDAV by Apache, nginx and rclone, S3 by moto, Icecast, recorders, and a relay.

Each takes a Stage and ends with it; each listens on 127.0.0.1 at a port that the system gave. Standard library only;
`Scripts/set-up clouds radio` installs the servers, `python3 Checks/servers/selftest.py` shows what each answers.

Every server of files has `base` (a URL with a slash at its end), `requests` (each an `Asked`: what it was asked,
with headers and status) and `stop()`; the WebDAV ones have `root`, `user` and `password`, too. A server that is not
installed raises `Skipped`. A server's own log gets a line when the answer has ended: wait for it with `stage.waiting`.
"""
