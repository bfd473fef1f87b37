# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The first command of the README: make demo."""

from board import expect
from targets import make


def run(board):
    with board.check("make demo plays what only weir may download, and again without the origin") as check:
        text = make("demo")
        expect("It works: " in text, f"it says {text.strip()[-600:]!r}")
        print(text.strip())
        check.figure = text.strip().splitlines()[-1]
