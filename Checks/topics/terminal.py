# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The terminal player, used as by a new user, under tmux: screens, keys, and a restored terminal at the end."""

import os
import re
import shlex
import signal
import socket
import time
from pathlib import Path

import samples
import screens
from check_results import equal, expect
from clouds import User
from servers.hostile_radio import HostileRadio
from stage import media, place, sounds, waiting, web
from stage.nginx import Nginx
from stage.stage import Stage
from terminal import Terminal

SILENT = re.compile(r"has not answered for (\d+) s")


def run(results):
    with Stage("terminal") as stage:
        folder = stage.new_folder("album")
        for number, seconds in enumerate((30, 20)):
            path = folder / f"{number + 1} A song.flac"
            words = ["flac", "--silent", "-T", f"TITLE=Song {number + 1} of Zoë", "-T", "ARTIST=The Checks"]
            sounds.run([*words, "-o", path, samples.programme(seconds)])
        files(results, stage, folder)
        station(results, stage)
        opening(results, stage)
        narrow(results, stage, folder)
        restored(results, stage, folder)
        background(results, stage, folder)
        plain(results, stage)
        top(results, stage)


def words(stage, *things, sink="null"):
    """The command as a user types it."""
    cache = stage.new_folder("cache")
    return shlex.join(str(word) for word in (place.weir_program(), "play", *things, "--sink", sink, "--cache", cache))


def elapsed(screen):
    """The position in seconds, from the line with the bar; None if there is no such line."""
    found = re.search(r"^  (?:(\d+):)?(\d+):(\d\d) [━●═─· ]", screen, re.MULTILINE)
    return int(found[1] or 0) * 3600 + int(found[2]) * 60 + int(found[3]) if found else None


def look(terminal):
    """The position on the screen, and the times before and after reading it; None if the screen shows no position."""
    before = time.monotonic()
    position = elapsed(terminal.screen)
    return None if position is None else (position, before, time.monotonic())


def files(results, stage, folder):
    terminal = Terminal(stage, 80, 24)
    tracks = sorted(folder.iterdir())
    with results.check("the screen during a play: state, title, bar, times, levels, volume, keys") as check:
        terminal.type("clear; " + words(stage, *tracks))
        shown = terminal.wait_for(lambda screen: "playing" in screen and (elapsed(screen) or 0) >= 1)
        for text in ("Song 1 of Zoë – The Checks", "0:30", "volume 100 %", "1 of 2", "space pause", "q quit", "L ", "━"):
            expect(text in shown, f"there is no {text!r}:\n{shown}")
        check.figure = screens.compare("playing", shown)
    with results.check("the displayed time follows the sound") as check:
        first, *begin = waiting.until(lambda: look(terminal), 5, "the time on the screen")
        # The time of the last look that showed a progress of less than 3 s, as a lower bound for the elapsed time.
        fewer = begin

        def has_run():
            nonlocal fewer
            seen = look(terminal)
            if seen and seen[0] < first + 3:
                fewer = seen[1:]
                return None
            return seen

        _, _, end = waiting.until(has_run, 20, f"3 s more than {first} s on the screen")
        longest, shortest = end - begin[0], fewer[0] - begin[1]
        expect(longest >= 2, f"3 s on the screen took {longest:.1f} s at most")
        expect(shortest <= 4, f"3 s on the screen took {shortest:.1f} s at least")
        check.figure = f"3 s took between {shortest:.1f} and {longest:.1f} s"
    with results.check("space pauses and resumes") as check:
        terminal.keys("Space")
        shown = terminal.wait_for(lambda screen: "paused" in screen and "space resume" in screen)
        first = elapsed(shown)
        begin = time.monotonic()
        waiting.until(lambda: time.monotonic() > begin + 1.5, 3, "a while", pause=0.1)
        expect(elapsed(terminal.screen) - first <= 1, f"it runs while paused:\n{terminal.screen}")
        check.figure = screens.compare("paused", shown)
        terminal.keys("Space")
        terminal.wait_for("▶ playing")
    with results.check("the arrows seek ten seconds forward and back") as check:
        first = elapsed(terminal.screen)
        terminal.keys("Right")
        shown = terminal.wait_for(lambda screen: first + 9 <= (elapsed(screen) or 0) <= first + 14, 5)
        check.figure = f"from {first} s to {elapsed(shown)} s"
        first = elapsed(terminal.screen)
        terminal.keys("Left")
        shown = terminal.wait_for(lambda screen: "playing" in screen and (elapsed(screen) or 99) <= first - 6, 5)
        check.figure += f", and to {elapsed(shown)} s"
    with results.check("up and down set the volume, m mutes"):
        terminal.keys("Down", "Down")
        terminal.wait_for("volume 90 %")
        terminal.keys("Up")
        terminal.wait_for("volume 95 %")
        terminal.keys("m")
        terminal.wait_for("muted")
        terminal.keys("m")
        terminal.wait_for("volume 95 %")
    with results.check("n plays the next item, p the previous one") as check:
        terminal.keys("n")
        shown = terminal.wait_for(lambda screen: "Song 2 of Zoë" in screen and "2 of 2" in screen and "0:20" in screen)
        check.figure = screens.compare("next", shown)
        terminal.keys("p")
        terminal.wait_for(lambda screen: "Song 1 of Zoë" in screen and "1 of 2" in screen)
    with results.check("an inactive key shows its reason, and hides no other key") as check:
        for key, reason in (
            ("x", "The key x does nothing"), ("F5", "That key does nothing"), ("l", "Only a radio station has a live end"),
            ("r", "Only radio stations are recorded"), ("n", None), ("n", "This is the last of 2"),
        ):
            terminal.keys(key)
            shown = terminal.wait_for(lambda screen: (reason or "2 of 2") in screen and "q quit" in screen, 5)
            if reason is None:
                # The last song is paused, so it does not end while the check presses keys.
                terminal.keys("Space")
                terminal.wait_for("paused")
        terminal.wait_for(lambda screen: "This is the last" not in screen, 10)
        terminal.keys("p", "Space")
        # The length and the format are known a moment after the start.
        expected = ("Song 1 of Zoë", "1 of 2", "playing", "flac 44.1 kHz", "0:30")
        terminal.wait_for(lambda screen: all(text in screen for text in expected))
        check.figure = "5 keys"
    with results.check("? explains the keys") as check:
        terminal.keys("?")
        shown = terminal.wait_for(lambda screen: "louder, softer" in screen and "buffered" in screen)
        check.figure = screens.compare("help", shown)
        terminal.keys("?")
        terminal.wait_for("space pause")
    with results.check("q quits, and the prompt and the cursor are back"):
        terminal.keys("q")
        terminal.wait_for(lambda screen: screen.endswith("prompt$"), 5)
        equal(terminal.look("#{cursor_flag} #{alternate_on}"), "1 0", "cursor and screen")
        equal(terminal.run("echo status-$?").count("status-0"), 1, "the count of exit statuses of 0")
    terminal.close()


def opening(results, stage):
    """Plays from a server that never answers: a URL of unknown type, a name that tells the type, and a folder."""
    with socket.create_server(("127.0.0.1", 0), backlog=50) as mute:
        base = f"http://127.0.0.1:{mute.getsockname()[1]}/"
        for name in ("radio", "song.mp3", "album/"):
            terminal = Terminal(stage, 80, 24)
            sentence = "other keys say that they do nothing, q and Ctrl-C end weir"
            with results.check(f"{name} of a silent server: {sentence}") as check:
                for key, status in (("q", 0), ("C-c", 130)):
                    # Otherwise the message of the previous run would be taken for this one's.
                    terminal.type("clear")
                    terminal.wait_for(lambda screen: not SILENT.search(screen))
                    terminal.type(words(stage, base + name) + f"; echo over-$?-{key}")
                    shown = terminal.wait_for(SILENT.search)
                    expect(int(SILENT.search(shown)[1]) >= 3, f"the message came too early:\n{shown}")
                    terminal.keys("x")
                    terminal.wait_for(lambda screen: "key x does nothing" in screen, 5)
                    begin = time.monotonic()
                    terminal.keys(key)
                    # The server never answers, and Weir would wait for it longer than this.
                    terminal.wait_for(f"over-{status}-{key}", 10)
                    seconds = time.monotonic() - begin
                    equal(terminal.look("#{cursor_flag} #{alternate_on}"), "1 0", "cursor and screen")
                check.figure = f"{seconds:.1f} s"
            terminal.close()


def station(results, stage):
    """Plays a station that closes its connections and refuses new ones: the screen shows the state and its reason."""
    song = stage.folder / "station.mp3"
    sounds.run(["lame", "--quiet", "-t", "-b", 128, "--cbr", samples.programme(60), song])
    titles = [(0, "First song of Zoë"), (96000, "Second song")]
    radio = HostileRadio(stage, [song], 16000, 32000, ["plain", "refuse=30"], titles)
    terminal = Terminal(stage, 80, 24)
    with results.check("a station: its name and title, live, and a key to record") as check:
        terminal.type("clear; " + words(stage, radio.url))
        shown = terminal.wait_for(lambda screen: "playing" in screen and "Second song" in screen)
        for text in ("Weir Test Radio", " live", "r record", "l live"):
            expect(text in shown, f"there is no {text!r}:\n{shown}")
        check.figure = screens.compare("station", shown)
    with results.check("a station, paused and resumed, is behind live; l returns to live") as check:
        terminal.keys("Space")
        terminal.wait_for("paused")
        begin = time.monotonic()
        while time.monotonic() < begin + 11:
            shown = terminal.screen
            bar = shown.splitlines()[2] if "paused" in shown else ""
            expect(not bar.endswith(" live") or bar.endswith(" behind live"), f"paused, it is called live:\n{shown}")
            time.sleep(0.2)
        terminal.keys("Space")
        shown = terminal.wait_for(lambda screen: "playing" in screen and "behind live" in screen)
        check.figure = screens.compare("behind", shown)
        terminal.keys("l")
        terminal.wait_for(lambda screen: "playing" in screen and "behind live" not in screen)
    with results.check("r records into a file, and r ends the recording") as check:
        terminal.keys("r")
        begin = elapsed(terminal.wait_for(lambda screen: "● recording" in screen and elapsed(screen) is not None))
        # The recording follows the sound, which a slow machine delays.
        terminal.wait_for(lambda screen: (elapsed(screen) or 0) >= begin + 3)
        terminal.keys("r")
        terminal.wait_for(lambda screen: "● recording" not in screen)
        files = [path for path in stage.folder.rglob("*.mp3") if path != song and path.stat().st_size > 10_000]
        expect(files, f"there is no recording:\n{terminal.screen}")
        samples.decoded(files[0])
        check.figure = f"{files[0].name}, {files[0].stat().st_size} bytes"
        # The message disappears after a while, and hides no key.
        expect("q quit" in terminal.screen, f"the keys are hidden:\n{terminal.screen}")
        terminal.wait_for(lambda screen: files[0].name not in screen, 10)
    with results.check("the station disconnects: the screen says so, and when weir reconnects") as check:
        radio.refuse()
        radio.close_connections()
        shown = terminal.wait_for(lambda screen: re.search(r"reconnecting in \d s: .* cannot be reached", screen), 30)
        check.figure = screens.compare("reconnecting", shown)
        terminal.keys("q")
        terminal.wait_for(lambda screen: screen.endswith("prompt$"), 5)
    terminal.close()


def narrow(results, stage, folder):
    song = sorted(folder.iterdir())[0]
    with results.check("in a narrow or resized window no line wraps") as check:
        terminal = Terminal(stage, 34, 10)
        terminal.type("clear; " + f"cd {shlex.quote(str(folder))}; clear; W={shlex.quote(str(place.weir_program()))}")
        terminal.type(f'clear; "$W" play {shlex.quote(song.name)} --sink null --cache ../cache-narrow')
        shown = terminal.wait_for(lambda screen: "playing" in screen and (elapsed(screen) or 0) >= 1)
        lines = len(shown.splitlines())
        begin = time.monotonic()
        waiting.until(lambda: time.monotonic() > begin + 2, 4, "a while", pause=0.1)
        shown = terminal.screen
        equal(len(shown.splitlines()), lines, f"the count of lines after a while, of\n{shown}\n")
        equal(shown.count("playing"), 1, f"the count of states in\n{shown}\n")
        figure = screens.compare("narrow", shown)
        terminal.resize(100, 12)
        shown = terminal.wait_for(lambda screen: "Song 1 of Zoë – The Checks" in screen and "? help" in screen)
        terminal.resize(24, 8)
        # Only a screen that Weir has drawn for this width shortens its lines.
        shown = terminal.wait_for(lambda screen: "playing" in screen and "…" in screen)
        equal(shown.count("playing"), 1, f"the count of states in\n{shown}\n")
        expect(all(len(line) <= 24 for line in shown.splitlines()), f"a line is too wide:\n{shown}")
        terminal.keys("q")
        terminal.wait_for(lambda screen: screen.endswith("prompt$"), 5)
        terminal.close()
        check.figure = f"{figure}, {lines} lines"


def restored(results, stage, folder):
    """After every kind of ending, the terminal is as before."""
    song = sorted(folder.iterdir())[0]
    for name, end, status in (
        ("q", lambda terminal, pid: terminal.keys("q"), 0),
        ("Ctrl-C", lambda terminal, pid: terminal.keys("C-c"), 130),
        ("SIGTERM", lambda terminal, pid: os.kill(pid, signal.SIGTERM), 130),
        ("SIGHUP", lambda terminal, pid: os.kill(pid, signal.SIGHUP), 130),
    ):
        with results.check(f"{name} ends weir with {status}, and the terminal is restored") as check:
            terminal = Terminal(stage, 90, 24)
            before = settings(terminal)
            pid_file = stage.folder / f"pid-{name}"
            command = words(stage, song)
            # The shell writes the number of the process that becomes Weir.
            terminal.type(f"clear; (echo $BASHPID >{shlex.quote(str(pid_file))}; exec {command}); echo ended-$?")
            terminal.wait_for(lambda screen: "playing" in screen and (elapsed(screen) or 0) >= 1)
            during = Path(f"/proc/{int(pid_file.read_text())}").exists()
            expect(during, "it does not run")
            end(terminal, int(pid_file.read_text()))
            shown = terminal.wait_for("ended-", 5)
            equal(re.search(r"ended-(\d+)", shown)[1], str(status), f"the exit status, of\n{shown}\n")
            equal(settings(terminal), before, "the settings of the terminal")
            equal(terminal.look("#{cursor_flag} #{alternate_on} #{wrap_flag}"), "1 0 1", "cursor, screen and wrapping")
            terminal.type("echo is-$((40+2))-echoed")
            terminal.wait_for(lambda screen: "is-42-echoed" in screen and "echo is-$((40+2))" in screen)
            terminal.close()
            check.figure = before[:40]
    with results.check("Ctrl-Z stops weir, fg continues it, and the terminal is restored in between") as check:
        terminal = Terminal(stage, 90, 24)
        before = settings(terminal)
        terminal.type("clear; " + words(stage, song))
        terminal.wait_for(lambda screen: "playing" in screen and (elapsed(screen) or 0) >= 1)
        terminal.keys("C-z")
        terminal.wait_for("Stopped", 5)
        equal(settings(terminal), before, "the settings of the terminal while weir is stopped")
        terminal.type("clear; fg")
        terminal.wait_for(lambda screen: re.search("playing|paused", screen) and elapsed(screen) is not None, 5)
        terminal.keys("q")
        terminal.wait_for(lambda screen: screen.endswith("prompt$"), 5)
        equal(settings(terminal), before, "the settings of the terminal")
        terminal.close()
        check.figure = "stopped and continued"


def background(results, stage, folder):
    song = sorted(folder.iterdir())[0]
    with results.check("in the background weir plays on without using the terminal, and fg shows it") as check:
        for first in ("&", "C-z"):
            terminal = Terminal(stage, 90, 24)
            before = settings(terminal)
            if first == "&":
                terminal.type(f"clear; {words(stage, song)} &")
            else:
                terminal.type("clear; " + words(stage, song))
                terminal.wait_for(lambda screen: "playing" in screen and (elapsed(screen) or 0) >= 1)
                terminal.keys("C-z")
                terminal.wait_for("Stopped", 5)
                terminal.type("clear; bg")
            terminal.run("sleep 2")
            # The shell gets the typed keys.
            equal(settings(terminal), before, "the settings of the terminal while it is in the background")
            shown = terminal.run("jobs")
            expect("Running" in shown, f"with {first} it does not run:\n{shown}")
            terminal.type("clear; fg")
            terminal.wait_for(lambda screen: "playing" in screen and (elapsed(screen) or 0) >= 2, 5)
            terminal.keys("q")
            terminal.wait_for(lambda screen: screen.endswith("prompt$"), 5)
            equal(settings(terminal), before, "the settings of the terminal")
            terminal.close()
        check.figure = "started and moved there"
    with results.check("Ctrl-\\ ends weir, and the terminal is restored") as check:
        terminal = Terminal(stage, 90, 24)
        before = settings(terminal)
        terminal.type("clear; " + words(stage, song) + "; echo ended-$?")
        terminal.wait_for(lambda screen: "playing" in screen)
        terminal.keys("C-\\")
        terminal.wait_for("\nended-130", 5)
        equal(settings(terminal), before, "the settings of the terminal")
        terminal.close()


def settings(terminal):
    """The whole output of `stty -g`, as one line."""
    shown = terminal.run("stty -g")
    return next(line for line in shown.splitlines() if re.fullmatch(r"[0-9a-f:]{60,}", line))


def top(results, stage):
    """`weir top` for a server with more resources than the screen has lines."""
    count = 30
    folder = stage.new_folder("many")
    for number in range(count):
        (folder / f"n{number:02}.bin").write_bytes(bytes([number]) * 5000)
    nginx = Nginx(stage, folder)
    user = User(stage)
    server = user.start("serve", nginx.base, "--listen", "127.0.0.1:0", "--no-secret")
    base = waiting.until(lambda: server.output.splitlines()[:1], 30, "weir's start")[0]
    for number in range(count):
        web.fetch(f"{base}n{number:02}.bin")
    terminal = Terminal(stage, 40, 10, user.environment)
    with results.check("weir top at 40 × 10 shows resources, and scrolls") as check:
        terminal.type(f"clear; {shlex.quote(str(place.weir_program()))} top")
        shown = terminal.wait_for(lambda screen: f"1 to 4 of {count}" in screen)
        for text in ("cache", "players", "origins", "n29.bin", "n26.bin", "q quits", "? keys", f"{count} held"):
            expect(text in shown, f"there is no {text!r}:\n{shown}")
        expect("…" not in shown, f"a figure or a name is cut:\n{shown}")
        expect(all(len(line) < 40 for line in shown.splitlines()), f"a line is too wide:\n{shown}")
        for keys, line in (
            (["Down", "Down"], "3 to 6"), (["NPage"], "6 to 9"), (["PPage"], "3 to 6"), (["End"], "27 to 30"),
            (["j"], "27 to 30"), (["Up"], "26 to 29"), (["Home"], "1 to 4"),
        ):
            terminal.keys(*keys)
            terminal.wait_for(lambda screen: f"{line} of {count}" in screen, 5)
        check.figure = screens.compare("top", terminal.screen)
    with results.check("weir redraws a resized window at once") as check:
        # The server sends a line each second, and weir would redraw then. After 15 s without one it redraws, too.
        server.send(signal.SIGSTOP)
        try:
            terminal.resize(100, 24)
            shown = terminal.wait_for(lambda screen: f"of {count}" in screen and "1 to 4" not in screen, 10)
            expect(shown.count("players") == 1, f"the screen is drawn twice:\n{shown}")
            seen = shown.count(".bin")
            terminal.resize(40, 10)
            shown = terminal.wait_for(lambda screen: f"1 to 4 of {count}" in screen, 10)
            equal(shown.count("players"), 1, f"the count of figures in\n{shown}\n")
        finally:
            server.send(signal.SIGCONT)
        check.figure = f"{seen} resources, and 4"
    with results.check("many window sizes in turn leave no line of an earlier size") as check:
        sizes = [(100, 24), (60, 12), (120, 30), (30, 6), (90, 40), (40, 10), (100, 24)]
        for columns, lines in sizes:
            terminal.resize(columns, lines)
            shown = terminal.wait_for(
                lambda screen, columns=columns, lines=lines: is_drawn_for(screen, columns, lines, count))
            for text in ("cache ", "q quits"):
                equal(shown.count(text), 1, f"the count of {text!r} in\n{shown}\n")
            expect(shown.startswith("cache "), f"a line is above the screen:\n{shown}")
        check.figure = f"{len(sizes)} sizes"
    with results.check("? explains the keys, and ? again shows the figures"):
        terminal.resize(40, 10)
        terminal.wait_for(lambda screen: is_drawn_for(screen, 40, 10, count))
        terminal.keys("?")
        shown = terminal.wait_for(lambda screen: "Page Down" in screen and "? back" in screen)
        expect("…" not in shown and "players" not in shown, f"the help is not shown alone:\n{shown}")
        terminal.keys("?")
        terminal.wait_for(lambda screen: "players" in screen and "Page Down" not in screen)
    with results.check("q restores the normal screen, with the last state on it"):
        equal(terminal.look("#{alternate_on}"), "1", "the other screen while it runs")
        terminal.keys("q")
        shown = terminal.wait_for(lambda screen: screen.endswith("prompt$"), 5)
        expect("q quits" in shown, f"the last state is missing:\n{shown}")
        equal(terminal.look("#{cursor_flag} #{alternate_on}"), "1 0", "cursor and screen")
    terminal.close()
    server.stop()
    nginx.stop()


def is_drawn_for(screen, columns, lines, count):
    """Whether weir top has drawn for a window of this size: if not all resources fit, its last line is full."""
    shown = screen.splitlines()
    if "q quits" not in screen or len(shown) > lines - 1:
        return False
    return len(shown[-1]) == columns - 1 if "1 to " in shown[-1] else screen.count(".bin") == count


def plain(results, stage):
    with results.check("without a terminal weir prints plain lines that do not move the cursor") as check:
        terminal = Terminal(stage, 100, 24)
        song = media.folder() / "song.flac"
        shown = terminal.run(f"{words(stage, song)} --length 2 >out.txt 2>err.txt </dev/null")
        expect("over-0" in shown, f"it ended differently:\n{shown}")
        said = (stage.folder / "out.txt").read_bytes() + (stage.folder / "err.txt").read_bytes()
        expect(b"playing" in said, f"it did not say that it plays: {said[:300]!r}")
        expect(b"\x1b" not in said and b"\r" not in said, f"there are control characters: {said[:300]!r}")
        terminal.close()
        check.figure = f"{len(said.splitlines())} lines"
