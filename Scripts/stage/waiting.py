# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Waiting with a limit."""

import time


class TookTooLong(Exception):
    """The condition did not become true within its limit."""


def until(condition, seconds, what, pause=0.01):
    """Polls the condition until its value is true, and returns the value.

    Raises TookTooLong after the given seconds.
    """
    limit = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > limit:
            raise TookTooLong(f"{what} did not happen within {seconds} s")
        time.sleep(pause)
