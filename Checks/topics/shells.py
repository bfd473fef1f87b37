# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""bash, zsh and fish complete paths in a source: typed in a terminal, with the completion scripts that Weir writes."""

import os
import shlex
import shutil
import signal
import time

from check_results import Skipped, expect
from clouds import User
from stage import place
from stage.nginx import Nginx
from stage.stage import Stage
from terminal import Terminal

# How each shell starts without a configuration, and how it reads its script. By default, zsh asks before it shows a
# list longer than the screen, such as its variables behind `$`, and takes the next key for the answer.
SHELLS = {
    "bash": ("exec bash --norc --noprofile", "PS1='ready> '; source {script}"),
    "zsh": ("exec zsh -f", "PS1='ready> '; LISTMAX=1000; autoload -U compinit; compinit -D; source {script}"),
    "fish": (
        "exec fish --no-config",
        "function fish_prompt; echo 'ready> '; end; set -g fish_autosuggestion_enabled 0; source {script}",
    ),
}

# The files at the origin. A name with a shell command must remain text.
FILES = (
    "Album/01 intro.mp3", "Album/02 it's.mp3", "Album/10 end.mp3", "My Album/side a/one.mp3", "Bad/$(touch pwned).mp3",
    "Bad/`touch pwned`.mp3", "Übung/é.mp3",
)

# The typed line, and the line after Tab. All shells add backslashes where necessary, and bash closes a quote.
LINES = (
    ("weir play archive:/Alb", "weir play archive:/Album/"),
    ("weir exec archive:/Alb", "weir exec archive:/Album/"),
    ("weir get -r archive:/Album/0", "weir get -r archive:/Album/0"),
    ("weir play archive:/Album/02", r"weir play archive:/Album/02\ it\'s.mp3"),
    ("weir play archive:/My", r"weir play archive:/My\ Album/"),
    (r"weir play archive:/My\ Album/si", r"weir play archive:/My\ Album/side\ a/"),
    ('weir play "archive:/My Album/si', ('weir play "archive:/My Album/side a/', 'weir play "archive:/My Album/side a/"')),
    ("weir play archive:/Album/01\\ intro.mp3 archive:/Album/1", r"weir play archive:/Album/01\ intro.mp3 archive:/Album/10\ end.mp3"),
    ("weir ls archive:/Ü", "weir ls archive:/Übung/"),
    ("weir play arch", "weir play archive:/"),
)


def run(results):
    with Stage("shells") as stage:
        folder = stage.new_folder("files")
        for name in FILES:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(b"ID3\x03\x00\x00\x00\x00\x00\x00" + name.encode())
        nginx = Nginx(stage, folder, more="autoindex on; charset utf-8;")
        user = User(stage, f'[sources.archive]\nservice = "http"\nurl = "{nginx.base}"\n')
        programs = stage.new_folder("programs")
        (programs / "weir").symlink_to(place.weir_program())
        user.environment["PATH"] = f"{programs}:{user.environment['PATH']}"
        for name, (begin, source) in SHELLS.items():
            with results.check(f"{name} completes paths in a source while the user types") as check:
                shell = Shell(stage, user, name, begin, source)
                for typed, wanted in LINES:
                    shell.completes(typed, wanted)
                check.figure = f"{len(LINES)} lines"
            with results.check(f"{name} does not run a name that looks like a command"):
                if name == "bash":
                    # The names differ in their first character, so bash adds nothing to the line.
                    shell.completes("weir play archive:/Bad/", "weir play archive:/Bad/")
                shell.completes("weir play archive:/Bad/$", None)
                shell.completes(r"weir play archive:/Bad/\$", None)
                found = [path for path in (stage.folder, user.home, folder) if (path / "pwned").exists()]
                expect(not found, f"a name was run in {found}")
            shell.close()
        held(results, stage, user, nginx)


def held(results, stage, user, nginx):
    user.works("get", "-r", "archive:/Album/", "-o", stage.new_folder("target"), "--quiet")
    with results.check("completion waits briefly for a hanging origin, and then proposes cached names") as check:
        os.kill(nginx.program.pid, signal.SIGSTOP)
        try:
            check.figure = asked(user, "archive:/Album/02")
        finally:
            os.kill(nginx.program.pid, signal.SIGCONT)
    nginx.stop()
    for name, (begin, source) in SHELLS.items():
        with results.check(f"the origin is down: {name} completes cached names"):
            shell = Shell(stage, user, name, begin, source)
            shell.completes("weir play archive:/Alb", "weir play archive:/Album/")
            shell.completes("weir play archive:/Album/02", r"weir play archive:/Album/02\ it\'s.mp3")
            shell.close()


def asked(user, word):
    """Asks for completions as a shell does; the answer must come soon, and contain the matching paths."""
    began = time.monotonic()
    words = ["---completion", "play", "--", "positional@0", "2", str(len(word)), "weir", "play", word]
    lines = user.works(*words).decode().splitlines()
    seconds = time.monotonic() - began
    expect("archive:/Album/02 it's.mp3" in lines, f"it proposes {lines}")
    expect(seconds < 6, f"it took {seconds:.1f} s")
    return f"{seconds:.1f} s"


class Shell:
    """A shell in a terminal, which has read Weir's script."""

    def __init__(self, stage, user, name, begin, source):
        if shutil.which(name, path=stage.environment["PATH"]) is None:
            raise Skipped(f"there is no {name}; Scripts/set-up radio installs it")
        script = user.home / f"completion.{name}"
        script.write_bytes(user.works("--generate-completion-script", name))
        self.terminal = Terminal(stage, 110, 30, user.environment)
        self.terminal.type(begin)
        self.terminal.type(source.format(script=shlex.quote(str(script))))
        self.terminal.wait_for(lambda screen: screen.rstrip().endswith("ready>"), 20)

    @property
    def line(self):
        """The text behind the last prompt, without the lines that the shell shows below it."""
        return self.of(self.terminal.screen)

    @staticmethod
    def of(screen):
        lines = [line for line in screen.splitlines() if line.startswith("ready> ")]
        return lines[-1].removeprefix("ready> ").rstrip() if lines else ""

    def completes(self, typed, wanted):
        """Types a line and Tab, and compares the resulting line; `None` accepts any line."""
        self.terminal.keys("C-u")
        self.terminal.wait_for(lambda screen: self.of(screen) == "", 10)
        self.terminal.tmux("send-keys", "-t", "weir", "-l", typed)
        self.terminal.wait_for(lambda screen: self.of(screen) == typed, 10)
        self.terminal.keys("Tab")
        if wanted is None or wanted == typed:
            # The shell has handled Tab when it shows the next key.
            self.terminal.tmux("send-keys", "-t", "weir", "-l", "@")
            shown = self.terminal.wait_for(lambda screen: self.of(screen).endswith("@"), 20)
            expect(wanted is None or self.of(shown) == f"{typed}@", f"after {typed!r} and Tab there is\n{shown}")
        else:
            fitting = (wanted,) if isinstance(wanted, str) else wanted
            self.terminal.wait_for(lambda screen: self.of(screen) in fitting, 20)

    def close(self):
        self.terminal.close()
