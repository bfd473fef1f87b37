# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The command's messages, stored as text in the folder `texts`, so that no change goes unnoticed.

A run's folders and secrets are replaced by names. WEIR_CHECKS_KEEP_TEXTS=1 stores the new messages.
"""

import os
import re
from pathlib import Path

from check_results import expect

FOLDER = Path(__file__).resolve().parent / "texts"
KEEP = os.environ.get("WEIR_CHECKS_KEEP_TEXTS") == "1"


def shape(text, names):
    """A text without the parts that differ between runs; `names` maps each such value to its replacement."""
    for value, name in sorted(names.items(), key=lambda each: -len(each[0])):
        text = text.replace(value, name)
    return re.sub(r"\b[0-9a-f]{32}\b", "SECRET", text)


def compare(name, text, names=()):
    """Fails if a text differs from the stored one; returns its length as a phrase."""
    path = FOLDER / f"{name}.txt"
    said = shape(text, dict(names))
    if KEEP:
        FOLDER.mkdir(exist_ok=True)
        path.write_text(said)
    expect(path.exists(), f"the expected text {path.name} is missing; WEIR_CHECKS_KEEP_TEXTS=1 writes it")
    kept = path.read_text()
    expect(said == kept, f"it says\n{said}\nwhere this was expected:\n{kept}")
    return f"{len(said.splitlines())} lines"
