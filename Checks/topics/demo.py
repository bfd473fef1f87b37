# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The first command of the README: make demo."""

from check_results import expect
from targets import make


def run(results):
    with results.check("make demo plays a file that only weir can download, and plays it again without the origin") as check:
        text = make("demo")
        expect("It works: " in text, f"it says {text.strip()[-600:]!r}")
        print(text.strip())
        check.figure = text.strip().splitlines()[-1]
