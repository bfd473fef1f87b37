# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Login, tokens that expire under players, and logout."""

import json
import random
import re
import stat
import time
from concurrent.futures import ThreadPoolExecutor

from check_results import equal, expect
from clouds import User, beside, holders, same
from servers.yandex_disk import YandexDisk
from stage import players, waiting, web
from stage.stage import Stage
from stage.weir import parse_summary

DATA = random.Random(41).randbytes(600_000)
CLIENT = ("--client-id", "weir-test-client")


def run(results):
    with Stage("accounts") as stage:
        files = stage.new_folder("files")
        (files / "data.bin").write_bytes(DATA)
        disk = YandexDisk(stage, files)
        user = User(stage, disk.section(token=None) + disk.dav_section(token=None))
        logging_in(results, disk, user)
        logging_out(results, disk, user)
        denials(results, stage, disk)
    expiries(results)


def log_in(user, disk, *options):
    """Runs `weir login` with curl as the browser; returns Weir's messages and curl's page."""
    program = user.start("login", "yandex", *CLIENT, "--oauth", disk.addresses["oauth"], "--no-browser", "--port", "0",
                         *options)
    shown = waiting.until(lambda: re.search(r"^http://\S+$", program.error, re.MULTILINE), 20, "the address to agree at")
    page = players.run(["curl", "-sS", "--location", "--max-time", "20", shown.group()], user.environment)
    return program.wait(30), program.error, page.decode()


def accounts_file(user):
    """The files in the configuration folder that contain tokens."""
    return [path for path in user.stage.files(user.file.parent) if b"access" in path.read_bytes().lower()]


def logging_in(results, disk, user):
    with results.check("login: weir waits, a browser agrees, and only the user can read the tokens"):
        status, said, page = log_in(user, disk)
        equal(status, 0, f"the exit status, with {said!r},")
        expect("<html" in page.lower() and len(page) < 5000, f"the page is {page[:200]!r}")
        expect("code_challenge_method=S256" in said, "there is no PKCE in the address")
        kept = accounts_file(user)
        equal(len(kept), 1, "files with tokens")
        equal(stat.S_IMODE(kept[0].stat().st_mode), 0o600, "the file's mode")
    with results.check("accounts lists the account, and shows no token"):
        text = user.works("accounts").decode()
        expect("yandex" in text and "default" in text, f"it says {text!r}")
        (line,) = map(json.loads, user.works("accounts", "--json").decode().splitlines())
        equal((line["service"], line["account"], line["renews"]), ("yandex", "default", True), "the account")
        kept = accounts_file(user)[0].read_text()
        tokens = [word for word in re.findall(r'"([^"]{12,})"', kept) if word in kept]
        expect(not any(token in text for token in tokens if token.startswith("y0")), "a token is shown")
    with results.check("REST and WebDAV are read with the account"):
        same(user.get("disk:/data.bin"), DATA)
        same(user.get("dav:/data.bin"), DATA)
    with results.check("with a second account, each source uses its own"):
        equal(log_in(user, disk, "--account", "work")[0], 0, "the exit status")
        equal(len(user.works("accounts").splitlines()), 2, "accounts")
        user.configure(disk.section("one", token=None, account="default") + disk.section("two", token=None, account="work"))
        for source in ("one", "two"):
            disk.forget()
            same(user.get(f"{source}:/data.bin"), DATA)
            # Both commands send the stored token of the account; neither command requests a new token.
            user.works("ls", f"{source}:/")
            sent = {asked.authorization for asked in disk.at("api")}
            equal(len(sent), 1, f"tokens that {source} sent")
    with results.check("without a choice between two accounts: status 2 or 3 and a message") as check:
        user.configure(disk.section(token=None))
        check.figure = user.fails((2, 3), "ls", "disk:/")
        user.fails((2, 3), "logout", "yandex")
    with results.check("login takes a token from a variable"):
        other = User(user.stage, disk.section(token=None), TOKEN_OF_MINE=disk.token)
        other.works("login", "yandex", "--token-env", "TOKEN_OF_MINE")
        same(other.get("disk:/data.bin"), DATA)


def kept(user):
    """The cache's entries, by account."""
    found = {}
    for line in map(json.loads, user.works("cache", "list", "--json").decode().splitlines()):
        found.setdefault(line["account"], []).append(line)
    return found


def logging_out(results, disk, user):
    with results.check("logout removes the account's cached files, pinned ones and listings, but no other account's") as check:
        user.configure(disk.section("one", token=None, account="default") + disk.section("two", token=None, account="work"))
        for source in ("one", "two"):
            same(user.get(f"{source}:/data.bin", "--offline"), DATA, f"the held bytes of {source}")
        held = kept(user)
        equal(len(held), 2, f"accounts in {sorted(held)}")
        (work,) = (account for account in held if "work" in account)
        for line in held[work]:
            user.works("cache", "pin", line["identifier"])
        listings = len(list((user.cache / "listings").iterdir()))
        told = json.loads(user.works("logout", "yandex", "--account", "work", "--json"))
        size = sum(line["heldBytes"] for line in held[work])
        equal(told, {"event": "loggedOut", "service": "yandex", "account": "work", "removed": len(held[work]),
                     "heldBytes": size}, "logout's output")
        equal(sorted(kept(user)), sorted(set(held) - {work}), "accounts in the cache")
        equal(len(list((user.cache / "listings").iterdir())), listings - 1, "listings")
        same(user.get("one:/data.bin", "--offline"), DATA, "the held bytes of the other account")
        user.fails((3, 4), "get", "two:/data.bin", "-o", "-", "--offline")
        check.figure = f"{told['removed']} file, {size} bytes"
    with results.check("logout deletes the tokens, and accounts lists the remaining accounts"):
        equal(len(user.works("accounts").splitlines()), 1, "accounts")
        user.works("logout", "yandex")
        equal(user.works("accounts"), b"", "accounts")
        expect(not any(b"y0_" in path.read_bytes() for path in accounts_file(user)), "a token is still in a file")
    with results.check("get, ls and exec after logout end with 3 and say what to do") as check:
        user.configure(disk.section(token=None) + disk.dav_section(token=None))
        for words in (("get", "disk:/data.bin", "-o", "-"), ("ls", "dav:/"), ("exec", "disk:/data.bin", "--", "true")):
            count = len(disk.requests)
            check.figure = user.fails(3, *words)
            expect("weir login" in check.figure, f"it does not say what to do: {check.figure}")
            equal(len(disk.requests), count, "requests of the service")
    with results.check("a second logout ends with 3 and a message") as check:
        check.figure = user.fails(3, "logout", "yandex")


def denials(results, stage, disk):
    with results.check("if the user refuses in the browser, weir says so and no login happens") as check:
        user = User(stage)
        disk.behave(faults=["authorization-denied*1"])
        status, said, _ = log_in(user, disk)
        disk.behave(faults=[])
        expect(status in (1, 3), f"the exit status is {status}, with {said!r}")
        equal(accounts_file(user), [], "files with tokens")
        check.figure = said.strip().splitlines()[-1]
    with results.check("if the authorization server is down, login says so") as check:
        check.figure = server_down(stage, disk)
    with results.check("a visit with a wrong state does not log in"):
        user = User(stage)
        program = user.start("login", "yandex", *CLIENT, "--oauth", disk.addresses["oauth"], "--no-browser", "--port", "0")
        shown = waiting.until(lambda: re.search(r"redirect_uri=http%3A%2F%2F127.0.0.1%3A(\d+)", program.error), 20,
                              "the address to agree at")
        port = int(shown.group(1))
        for path in ("/callback?code=stolen&state=other", "/callback", "/", "/callback?error=x"):
            with web.Line(f"http://127.0.0.1:{port}") as line:
                status = line.ask(path).status
            expect(status >= 400, f"{path} gets {status}")
        expect(program.is_alive(), f"weir ended: {program.error!r}")
        equal(program.stop(2), 130, "the exit status after Ctrl-C")
        equal(accounts_file(user), [], "files with tokens")


def server_down(stage, disk):
    """The browser visits the page, but the exchange of the code fails permanently."""
    user = User(stage)
    program = user.start("login", "yandex", *CLIENT, "--oauth", disk.addresses["oauth"], "--no-browser", "--port", "0")
    shown = waiting.until(lambda: re.search(r"^http://\S+$", program.error, re.MULTILINE), 20, "the address to agree at")
    done = players.run(["curl", "-sS", "-o", "/dev/null", "-w", "%{redirect_url}", shown.group()], user.environment)
    disk.behave(faults=["unavailable@oauth"])
    try:
        players.run(["curl", "-sS", "-o", "/dev/null", done.decode()], user.environment)
        status = program.wait(60)
    finally:
        disk.behave(faults=[])
    equal(status, 4, f"the exit status, with {program.error!r},")
    return program.error.strip().splitlines()[-1]


def expiries(results):
    """Players read over REST and WebDAV with tokens of 7 s and links of 5 s; other readers meet refused refreshes."""
    jobs = [("play", lambda stage: played(stage, results.is_long)), ("refused", refresh_refused),
            ("revoked", token_refused_once)]
    outcomes = dict(beside(jobs))
    with results.check("links of 5 s and tokens of 7 s with eight slow readers: every byte is right and sent once") as check:
        check.figure = outcomes["play"]()
    with results.check("a refused refresh: status 3, a message with the next step, and few requests") as check:
        check.figure = outcomes["refused"]()
    with results.check("a token refused before its expiry is renewed once for all readers") as check:
        check.figure = outcomes["revoked"]()


def played(stage, is_long):
    """Eight readers fetch two files in real time, over REST and WebDAV; ffmpeg plays a sound file beside them."""
    seconds = 600 if is_long else 40
    files = stage.new_folder("files")
    size = 12_000_000
    data = {f"part {number}.bin": random.Random(number).randbytes(size) for number in range(2)}
    for name, text in data.items():
        (files / name).write_bytes(text)
    length = 40 if not is_long else seconds
    players.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "anoisesrc=seed=5:amplitude=0.3", "-t", length,
                 "-b:a", "192k", files / "noise.mp3"], stage.environment)
    disk = YandexDisk(stage, files, link_life=5, token_life=7)
    user = User(stage, disk.section(token=None) + disk.dav_section(token=None))
    status, said, _ = log_in(user, disk)
    equal(status, 0, f"the exit status of login, with {said!r},")
    serving = user.serve("disk:", "dav:", "--read-ahead", "64KiB")
    began, problems, wrong = time.monotonic(), [], []
    bases = list(serving.bases.values())

    def reader(base, name, seed):
        """Reads all pieces of a file in random order, spread over the time."""
        text, generator = data[name], random.Random(seed)
        piece = 100_000
        order = list(range(0, size, piece))
        generator.shuffle(order)
        with web.Line(base) as line:
            for number, lower in enumerate(order):
                answer = line.ask(name.replace(" ", "%20"), {"Range": f"bytes={lower}-{lower + piece - 1}"})
                if answer.status != 206 or answer.body != text[lower:lower + piece]:
                    wrong.append(f"{name} at {lower}: {answer.status}, {len(answer.body)} bytes {answer.text[:120]!r}")
                # This check needs real time: a player waits for its clock.
                time.sleep(max(0.0, began + seconds * (number + 1) / len(order) - time.monotonic()))

    def listener(base):
        return players.run(["ffmpeg", "-nostdin", "-v", "error", "-xerror", "-re", "-i", base + "noise.mp3", "-f", "md5",
                            "-"], stage.environment, timeout=seconds + 60).decode().strip()

    with ThreadPoolExecutor(12) as pool:
        readers = [pool.submit(reader, base, name, seed)
                   for base in bases for name in data for seed in (1, 2)]
        listeners = [pool.submit(listener, base) for base in bases]
        for future in readers:
            future.result()
        sounds = {future.result() for future in listeners}
    equal(sounds, {players.decoded_by_ffmpeg(files / "noise.mp3", stage.environment)}, "the sound")
    took = time.monotonic() - began
    equal(wrong[:3], [], "the wrong answers")
    equal(serving.stop(), 0, "weir's exit status")
    equal(disk.violations, [], "violations")
    total = sum(path.stat().st_size for path in files.iterdir())
    # When a reader leaves a position, bytes in the connection's buffers are lost. So the check uses Weir's own count.
    received = parse_summary(serving.log).origin_bytes
    expect(received <= 2 * total * 1.005, f"{received} bytes came, for {2 * total}")
    # One of the token requests belongs to the login.
    refreshes = sum(asked.path == "/token" for asked in disk.at("oauth")) - 1
    wanted = took / 7
    expect(wanted * 0.6 <= refreshes <= wanted * 1.5 + 2, f"there were {refreshes} refreshes in {took:.0f} s")
    refusals = sum(asked.status == 401 for asked in disk.requests)
    found, count = holders(stage, secrets_of(disk), [user.cache])
    equal(found[:3], [], "where secrets are")
    return (f"{took:.0f} s, {refreshes} refreshes, {refusals} refusals, {len(disk.at('link'))} links opened, "
            f"{received / 2 / total:.3f} of the bytes, {count} files searched")


def secrets_of(disk):
    """Every token and link that the service has seen."""
    found = {}
    for asked in disk.requests:
        if asked.authorization:
            found[f"token {asked.authorization[-6:]}"] = asked.authorization.split()[-1]
        if asked.server == "link":
            found[f"link {asked.path[-6:]}"] = asked.path
    return found


def refresh_refused(stage):
    files = stage.new_folder("files")
    (files / "data.bin").write_bytes(DATA)
    disk = YandexDisk(stage, files, token_life=2)
    user = User(stage, disk.section(token=None))
    log_in(user, disk)
    disk.behave(faults=["refresh-refused"])
    time.sleep(2.5)  # The token's lifetime, which only the real clock ends.
    disk.forget()
    said = user.fails(3, "get", "disk:/data.bin", "-o", "-")
    expect("weir login" in said, f"it does not say what to do: {said}")
    asked = len(disk.at("oauth"))
    expect(asked <= 2, f"{asked} refreshes were tried")
    serving = user.serve()
    disk.forget()
    told = {web.fetch(serving.bases["disk"] + "data.bin").status for _ in range(10)}
    equal(told, {401}, "the statuses that players get")
    asked = len(disk.at("oauth"))
    expect(asked <= 10, f"{asked} refreshes for ten requests")
    serving.stop()
    disk.behave(faults=[])
    same(user.get("disk:/data.bin"), DATA, "the bytes after refreshes work again")
    return f"{said} ({asked} refreshes for ten requests of a player)"


def token_refused_once(stage):
    files = stage.new_folder("files")
    for number in range(12):
        (files / f"{number}.bin").write_bytes(DATA[number:])
    disk = YandexDisk(stage, files)
    user = User(stage, disk.section(token=None) + disk.dav_section(token=None))
    log_in(user, disk)
    serving = user.serve()
    disk.forget()
    disk.behave(faults=["token-refused*1@api"])
    with ThreadPoolExecutor(24) as pool:
        jobs = [(number, pool.submit(web.fetch, f"{base}{number}.bin"))
                for base in serving.bases.values() for number in range(12)]
        for number, job in jobs:
            same(job.result().body, DATA[number:], f"the bytes of {number}.bin")
    equal(serving.stop(), 0, "weir's exit status")
    refreshes = len(disk.at("oauth"))
    equal(refreshes, 1, "refreshes")
    equal(disk.violations, [], "violations")
    return f"{len(jobs)} readers, {refreshes} refresh"
