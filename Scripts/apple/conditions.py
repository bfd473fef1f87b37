# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A source as another platform sees it: its conditions are evaluated, and guarded code is kept or left out."""

import re

# Modules that Apple's platforms have, and this toolchain or the headers of the check have, too.
SHARED = {"Darwin", "Dispatch", "Foundation", "Observation", "Synchronization"}
FRAMEWORKS = {
    "AVFAudio", "AVFoundation", "AVKit", "AudioToolbox", "AuthenticationServices", "CommonCrypto", "CoreMedia", "Network",
    "Security",
    "SwiftUI",
}
# Modules that no Apple platform has.
FOREIGN = {
    "Android", "CWeirALSA", "CWeirLibav", "FoundationEssentials", "FoundationNetworking", "Glibc", "Musl",
    "WinSDK",
}
SYSTEMS = {"iOS", "macOS", "Linux", "Android", "Windows", "FreeBSD", "tvOS", "visionOS", "watchOS"}
ATOM = re.compile(r"\b(os|canImport|targetEnvironment)\(\s*(\w+)\s*\)")
CONDITION = re.compile(r"^\s*#(?:if|elseif)\b", re.MULTILINE)
AVAILABLE = re.compile(r"#available\(([^)]*)\)")
VERSION = re.compile(r"\b(iOS|macOS)\s+(\d+)(?:\.(\d+))?")


class Unknown(Exception):
    """A condition with a name that this file does not assign to Apple's platforms or to others."""


def answer(kind, name, system):
    """Whether a condition holds on a system, `iOS` or `macOS`."""
    if kind == "os":
        if name not in SYSTEMS:
            raise Unknown(f"os({name})")
        return name == system
    if kind == "targetEnvironment":
        return False
    if name in SHARED or name in FRAMEWORKS or name.startswith("Weir") or name == "PlayerModel":
        return True
    if name == "UIKit":
        return system == "iOS"
    if name == "AppKit":
        return system == "macOS"
    if name in FOREIGN:
        return False
    raise Unknown(f"canImport({name})")


def rewritten(text, system, floor):
    """The source as compiled for a system whose lowest version is `floor`; lines keep their numbers."""
    lines = text.split("\n")
    for index, line in enumerate(lines):
        if CONDITION.match(line):
            lines[index] = ATOM.sub(lambda atom: str(answer(atom[1], atom[2], system)).lower(), line)
    return without_newer("\n".join(lines), system, floor)


def is_met(clause, system, floor):
    """Whether every system from `floor` on meets a list of versions, as in #available."""
    for name, major, minor in VERSION.findall(clause):
        if name == system:
            return (int(major), int(minor or 0)) <= floor
    return True


def without_newer(text, system, floor):
    """Leaves out code that runs only on newer systems: `if #available(…) { … }` and `@available` declarations."""
    place = 0
    while guard := re.compile(r"\bif #available\(([^)]*)\)|@available\(([^)]*)\)").search(text, place):
        clause = guard[1] or guard[2]
        place = guard.end()
        if is_met(clause, system, floor):
            continue
        start = text.index("{", guard.end())
        end = block_end(text, start)
        if guard[1] is not None:
            text = text[: guard.start()] + "if [true].isEmpty " + blank(text[start:end], keep=True) + text[end:]
        else:
            text = text[: guard.start()] + blank(text[guard.start() : end], keep=False) + text[end:]
        place = guard.start() + 1
    return text


def block_end(text, start):
    """The end of the block that begins with a brace."""
    depth = 0
    for place in range(start, len(text)):
        if text[place] == "{":
            depth += 1
        elif text[place] == "}":
            depth -= 1
            if depth == 0:
                return place + 1
    raise ValueError("a block has no end")


def blank(text, keep):
    """The same number of lines, without their text."""
    lines = "\n" * text.count("\n")
    return "{ fatalError() " + lines + "}" if keep else lines
