# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The commands that the documents name, and those that the gate runs: the gate must run every named command.

A document names `make TARGET` and this tree's programs, in its blocks and between backticks. The gate runs the steps
of .ci/run. For a step `make TARGET`, it runs all commands of that target in the Makefile. It also runs the commands
that a topic of the checks runs with `make("TARGET", …)`, `made("TARGET")` or `script("Scripts/fuzz", …)`. A target
also counts as run if each of its commands runs, with any options: that is its cheapest form. EXCEPTIONS lists the
commands that are left out.
"""

import ast
import os
import re
import shlex
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "Makefile")
EXCEPTIONS = {
    "make format": "it rewrites the tree",
    "make long": "it takes hours",
    "make clean": "it removes every build",
    ".ci/run": "it is the gate itself",
    "Scripts/measure-client": "it builds the library once more",
}

SCRIPT = re.compile(r"(?<![\w/.-])((?:Scripts|Checks|Benchmarks|Examples|\.ci)/[\w./-]*\w)(?: ([a-z][a-z-]*)(?![\w./-]))?")
MAKE = re.compile(r"(?<![\w/-])make(?: -\S+)*(?: [A-Z]+=\S+)* ([a-z][a-z-]*)")
CODE = re.compile(r"^```[^\n]*\n(.*?)^```|`([^`\n]+)`", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"(?:^|\s)#.*$", re.MULTILINE)
RULE = re.compile(r"^([a-z][a-z-]*):(?!=)([^#\n]*)(?:##[^\n]*)?\n((?:\t.*\n)*)", re.MULTILINE)
# Programs with several functions, of which the first word selects one.
DIVIDED = ("Scripts/fuzz", "Scripts/dist")


def commands(text, root=ROOT):
    """The commands in a piece of code: "make test", "Scripts/fuzz run", "Checks/run"."""
    found = {f"make {target}" for target in MAKE.findall(text)}
    for path, word in SCRIPT.findall(text):
        place = root / path
        # Code also names other files and folders. A path that does not exist counts as a removed program.
        if place.exists() and (place.is_dir() or not os.access(place, os.X_OK)):
            continue
        found.add(f"{path} {word}" if word and path in DIVIDED else path)
    return found


def named(document, root=ROOT):
    """The commands that a document tells its reader to run."""
    text = (root / document).read_text()
    if document == "Makefile":
        # The list that `make` prints.
        return commands("\n".join(re.findall(r"^\t@echo '(.*)'$", text, re.MULTILINE)), root)
    return set().union(*(commands(COMMENT.sub("", block) or span, root) for block, span in CODE.findall(text)))


class Makefile:
    """The targets, each with its prerequisites and its own commands."""

    def __init__(self, root=ROOT):
        text = (root / "Makefile").read_text()
        self.targets = {}
        for name, first, recipe in RULE.findall(text):
            # A line that prints a command does not run it.
            lines = [line for line in recipe.splitlines() if not re.match(r"\t@echo\b", line)]
            more = re.findall(r"\$\(MAKE\)(?: --?[\w-]+)* ([a-z][a-z-]*)", recipe)
            self.targets[name] = ([*first.split(), *more], commands("\n".join(lines), root))

    def all_of(self, target):
        """A target and all commands that it runs."""
        first, own = self.targets.get(target, ((), set()))
        return {f"make {target}", *own}.union(*map(self.all_of, first))


def steps(root=ROOT):
    """The commands of the steps of the gate."""
    found = set()
    for line in re.findall(r'^\s*step (".*)$', (root / ".ci/run").read_text(), re.MULTILINE):
        found |= commands(" ".join(shlex.split(line.removesuffix("&&"))[2:]), root)
    return found


def of_topics(root=ROOT):
    """The commands that topics of the checks run with the functions `make`, `made` and `script`."""
    found = set()
    for path in sorted((root / "Checks/topics").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "id", None) or getattr(node.func, "attr", None)
            words = [each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
            if name in ("make", "made") and words:
                found |= commands(f"make {words[0]}", root)
            elif name == "script" and words:
                found |= commands(" ".join(words), root)
    return found


def run(root=ROOT):
    """All commands that the gate runs."""
    makefile = Makefile(root)
    direct = steps(root) | of_topics(root)
    found = direct.union(*(makefile.all_of(each.removeprefix("make ")) for each in direct if each.startswith("make ")))
    # A program with several functions counts as run if one of them runs.
    return found | {each.partition(" ")[0] for each in found if not each.startswith("make ")}


def is_run(command, found, makefile):
    if command in found:
        return True
    target = command.removeprefix("make ")
    if target == command or target not in makefile.targets:
        return False
    first, own = makefile.targets[target]
    return bool(own or first) and own <= found and all(is_run(f"make {each}", found, makefile) for each in first)


def faults(root=ROOT, documents=DOCUMENTS):
    """A sentence for each command that a document names and that does not exist or is never run."""
    makefile, found = Makefile(root), run(root)
    told = {}
    for document in documents:
        for command in named(document, root):
            told.setdefault(command, document)
    for command, document in sorted(told.items()):
        target = command.removeprefix("make ")
        if target != command and target not in makefile.targets:
            yield f"{document} names '{command}', and the Makefile has no such target"
        elif target == command and not (root / command.partition(" ")[0]).exists():
            yield f"{document} names '{command}', and there is no such program"
        elif command not in EXCEPTIONS and not is_run(command, found, makefile):
            yield f"{document} names '{command}', and neither .ci/run nor a topic of the checks runs it"
    if set(documents) == set(DOCUMENTS):
        for command in sorted(EXCEPTIONS.keys() - told.keys()):
            yield f"Scripts/named.py leaves out '{command}', which no document names"
