# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The declarations of our headers, by the compiler's names for them (USRs of Clang)."""

import re
from dataclasses import dataclass, replace

from .passes import SINCE
from .toolchain import HEADERS

CONTAINER = re.compile(r"^@(interface|protocol)\s+(\w+)")
METHOD = re.compile(r"^([-+])\s*\((.*)$")
PROPERTY = re.compile(r"^@property\b.*?(\w+)\s*(?:SWIFT_\w+|SINCE|;)")
FUNCTION = re.compile(r"^extern\b.*?\b(\w+)\(")
CONSTANT = re.compile(r"^extern\b(?:(?!SWIFT_NAME|SINCE|;).)*?(\w+)\s*(?=SWIFT_NAME|SINCE|;)")
ENUM = re.compile(r"^typedef (?:OPEN_ENUM|CLOSED_ENUM|OPTIONS|ERROR_ENUM)\(\w+, (\w+)\)")
CASE = re.compile(r"^\s+(k?[A-Z]\w+|cc[A-Z]\w+|errSec\w+|noErr)\b.*=")
STRUCT = re.compile(r"^struct (\w+) \{")
WORDS = re.compile(r"\s*\b(?:SINCE|SWIFT_NAME|SWIFT_BRIDGE)\((?:[^()]|\([^()]*\))*\)|\b__attribute__\(\(.*?\)\)\)?")


@dataclass(frozen=True)
class Declaration:
    """A declaration in a header, and the versions of the systems since which it exists."""

    name: str
    text: str
    framework: str
    since: tuple[str, str]


def all_declarations():
    """Every declaration by its USR."""
    found = {}
    for path in sorted(HEADERS.rglob("*.h")):
        if path.parent != HEADERS:
            read(path, found)
    for usr, one in found.items():
        if usr.startswith("c:objc") and ")" in usr and "(" not in usr.split(")", 1)[1]:
            found[usr] = replace(one, since=first(usr, found))
    return found


def first(usr, found):
    """The version since which a class exists: that of its first member, unless its own header names one."""
    own = found[usr].since
    members = [one.since for name, one in found.items() if name.startswith(usr + "(") and one.since[0]]
    if own[0] or not members:
        return own
    return tuple(min((one[index] for one in members), key=order) for index in (0, 1))


def order(version):
    return (1000,) if version == "none" else tuple(map(int, version.split(".")))


def read(path, found):
    """Adds the declarations of one header to `found`; each is on its own line."""
    container = inherited = enum = None
    for line in path.read_text().split("\n"):
        since = SINCE.search(line)
        systems = tuple(map(spelled, since.groups())) if since else None
        if match := CONTAINER.match(line):
            kind = "cs" if match[1] == "interface" else "pl"
            container = (f"c:objc({kind}){match[2]}", match[2])
            inherited = systems
            add(found, container[0], match[2], line, path, systems)
        elif line.startswith("@end"):
            container = None
        elif container and (match := METHOD.match(line)):
            selector = selector_of(match[2])
            usr = f"{container[0]}({'im' if match[1] == '-' else 'cm'}){selector}"
            add(found, usr, f"{container[1]} {match[1]}{selector}", line, path, systems or inherited)
        elif container and (match := PROPERTY.match(line)):
            way = "cpy" if "(class" in line else "py"
            add(found, f"{container[0]}({way}){match[1]}", f"{container[1]}.{match[1]}", line, path, systems or inherited)
        elif match := FUNCTION.match(line):
            add(found, f"c:@F@{match[1]}", match[1].removeprefix("darwin_"), line, path, systems)
        elif match := CONSTANT.match(line):
            add(found, f"c:@{match[1]}", match[1], line, path, systems)
        elif match := ENUM.match(line):
            enum = match[1]
            add(found, f"c:@E@{enum}", enum, line.rstrip(" {") + " { … }", path, systems)
        elif line.startswith("enum"):
            enum = ""
        elif match := STRUCT.match(line):
            add(found, f"c:@S@{match[1]}", match[1].removeprefix("darwin_"), line.rstrip(" {") + " { … }", path, systems)
        elif line.startswith("}"):
            enum = None
        elif enum is not None and (match := CASE.match(line)):
            add(found, f"c:@E@{enum}@{match[1]}" if enum else f"*@{match[1]}", match[1], line.strip(" ,"), path, systems)


def add(found, usr, name, line, path, systems):
    text = WORDS.sub("", line)
    text = re.sub(r"\b(?:SWIFT_UI_ACTOR)\b", "@MainActor", text)
    text = re.sub(r"\b(?:SWIFT_NONISOLATED)\b", "nonisolated", text)
    text = re.sub(r"\b(?:SWIFT_SENDABLE)\b", "@Sendable", text)
    text = re.sub(r"\b(?:DESIGNATED|SWIFT_STRUCT|SWIFT_PRIVATE)\b|\bdarwin_", "", text)
    text = re.sub(r"\s+", " ", text).replace(" ;", ";").strip()
    found[usr] = Declaration(name, text, path.parent.name, systems or ("", ""))


def spelled(word):
    """`ios_11_2` as a person writes it."""
    numbers = word.split("_")[1:]
    return "none" if numbers == ["none"] else ".".join(numbers)


def selector_of(rest):
    """`URLSession:dataTask:didReceiveData:` from the text behind a method's first bracket."""
    rest = SINCE.sub("", re.sub(r"SWIFT_NAME\((?:[^()]|\([^()]*\))*\)", "", rest))
    depth, outside = 1, ""
    for letter in rest:
        if letter == "(":
            depth += 1
        elif letter == ")":
            depth -= 1
        elif depth == 0:
            outside += letter
    parts = re.findall(r"(\w+):", outside)
    return "".join(f"{part}:" for part in parts) if parts else re.match(r"\s*(\w+)", outside)[1]
