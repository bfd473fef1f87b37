# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The page of weir serve in a real browser: its display, actions and refusals; and metrics, stats and top."""

import json
import random
import re
import shutil
import signal
import threading
import time
import urllib.parse
import urllib.request
from collections import Counter

import pages
import usage
from check_results import Skipped, equal, expect
from clouds import User
from stage import media, origin, place, waiting, web
from stage.nginx import Nginx
from stage.origin import Origin
from stage.stage import Stage

BLOCK = 64 << 10
FILM = random.Random(21).randbytes(40 * BLOCK)
HOSTILE = "<img src=x onerror=alert(1)>\u202e.mp3"
HOSTILE_PATH = "/" + urllib.parse.quote(HOSTILE)
FILES, REQUESTS = 20, 10_000


def run(results):
    with Stage("console") as stage:
        figures(results, stage)
        runs_dry(results, stage)
        if shutil.which("chromium") is None:
            with results.check("the page in a browser"):
                raise Skipped("there is no chromium; Scripts/set-up players installs it")
            return
        shows(results, stage)
        joins(results, stage)
        plays(results, stage)
        refuses(results, stage)
        heals(results, stage)


class Served:
    """A `weir serve` with a page."""

    def __init__(self, user, *words, listen="127.0.0.1:0"):
        self.user = user
        self.program = user.start("serve", "--json", "--listen", listen, *words)
        lines = waiting.until(self.lines, 30, "weir's start")
        told = [json.loads(line) for line in lines]
        self.url = next(line["url"] for line in told if line["event"] == "served")
        self.page = next(line["url"] for line in told if line["event"] == "page")
        self.secret = self.page.rpartition("#")[2]
        self.base = self.page.partition("/page/")[0]

    def lines(self):
        if not self.program.is_alive():
            raise RuntimeError(f"weir ended with {self.program.poll()}: {self.program.error.strip()[-400:]}")
        lines = self.program.output.splitlines()
        return lines if any('"page"' in line for line in lines) else None

    def ask(self, path, method="GET", **headers):
        """Makes a request for a resource of the page, with the page's secret."""
        fields = {"Authorization": f"Bearer {self.secret}", **{name.replace("_", "-"): headers[name] for name in headers}}
        return web.fetch(f"{self.base}/page/{path}", fields, method)

    def state(self):
        return json.loads(self.ask("state").body)

    def metrics(self):
        """The values of all series, by name and labels."""
        text = self.ask("metrics").text
        return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in text.splitlines() if line[0] != "#"}

    def stop(self, number=signal.SIGTERM):
        return self.program.stop(number)


class Listener(threading.Thread):
    """Reads the lines of a page's event stream, as a program would."""

    def __init__(self, served):
        super().__init__(daemon=True)
        request = urllib.request.Request(
            f"{served.base}/page/events", headers={"Authorization": f"Bearer {served.secret}"}
        )
        self.answer = urllib.request.urlopen(request, timeout=60)
        self.lines = [json.loads(self.answer.readline())]
        self.start()

    def run(self):
        try:
            for line in self.answer:
                self.lines.append(json.loads(line))
        except (OSError, ValueError, AttributeError):
            pass


# MARK: figures


def figures(results, stage):
    folder = stage.new_folder("files")
    for number in range(FILES):
        (folder / f"{number}.bin").write_bytes(random.Random(number).randbytes(20_000 + 997 * number))
    user = User(stage)
    nginx = Nginx(stage, folder)
    served = Served(user, nginx.base)
    with results.check("metrics, stats and the page agree with the counts of the client and the origin") as check:
        outcomes, total = seeded_requests(served, folder)
        # The metrics include the last request a moment after its last byte has arrived.
        waiting.until(lambda: sum(told_outcomes(served.metrics()).values()) == REQUESTS, 20, "all in the metrics")
        metrics = served.metrics()
        equal(told_outcomes(metrics), dict(outcomes), "requests by outcome")
        state = served.state()
        equal(state["counts"]["requests"], sum(outcomes.values()), "requests on the page")
        equal(metrics["weir_served_bytes_total"], total, "served bytes in the metrics")
        equal(state["counts"]["served"], total, "served bytes on the page")
        asked = nginx.settled().requests()
        equal(metrics["weir_origin_requests_total"], len(asked), "requests to the origin")
        equal(metrics["weir_origin_received_bytes_total"], sum(line.body_bytes for line in asked if line.status < 300), "bytes from the origin")
        equal(metrics["weir_request_first_byte_seconds_count"], outcomes["hit"] + outcomes["miss"], "waits")
        told = json.loads(user.works("stats", "--json"))
        equal(told["event"], "stats", "the event of stats --json")
        equal(told["counts"], state["counts"], "the counts of stats --json")
        check.figure = f"{sum(outcomes.values())} requests: {dict(sorted(outcomes.items()))}, {len(asked)} to the origin"
    with results.check("the documentation's table lists exactly the existing metrics"):
        page = (place.ROOT / "Documentation" / "Metrics.md").read_text()
        listed = set(re.findall(r"^\| `(weir_\w+)`", page, re.MULTILINE))
        seen = {re.sub(r"_(bucket|sum|count)$", "", name.partition("{")[0]) for name in served.metrics()}
        # The series of stations appear only when a station is served.
        expect(not seen - listed, f"not in the table: {seen - listed}")
        missing = {name for name in listed - seen if not name.startswith("weir_radio_")}
        expect(not missing, f"only in the table: {missing}")
    with results.check("without an open page, the threads wake up at most twice a second") as check:
        check.figure = rests(served)
    served.stop()


def rests(served):
    """Waits until the server rests: after its pending writes, only its clock wakes it."""
    fewest = None
    for _ in range(20):
        before = usage.wakings(served.program.pid)
        time.sleep(3)
        count = (usage.wakings(served.program.pid) - before).total()
        fewest = count if fewest is None else min(fewest, count)
        if fewest <= 6:
            return f"woken {fewest} times in 3 s"
    expect(False, f"at least {fewest} wake-ups in each of 20 intervals of 3 s")


def runs_dry(results, stage):
    """A player waits for bytes from a stalled origin."""
    has_been_told = threading.Event()
    # A busy machine may halt the program during a pause, so each pause is longer than the one before it.
    pauses = (0, 2.5, 5, 10, 20)

    def stalls(handler):
        handler.head(200, 0, len(pauses) << 10, len(pauses) << 10)
        for number, pause in enumerate(pauses):
            has_been_told.wait(pause)
            handler.wfile.write(FILM[number << 10:(number + 1) << 10])

    served = Served(User(stage), Origin(stage, {"/slow.bin": stalls}).base)
    with results.check("a player that gets no bytes for two seconds within an answer is counted at once"):
        equal(served.metrics()["weir_underruns_total"], 0, "the count before")
        with urllib.request.urlopen(f"{served.url}slow.bin", timeout=60) as answer:
            body = answer.read(1 << 10)
            while not has_been_told.is_set() and len(body) < len(pauses) << 10:
                body += answer.read(1 << 10)
                if served.metrics()["weir_underruns_total"]:
                    has_been_told.set()
            body += answer.read()
        expect(has_been_told.is_set(), "it was not counted")
        expect(body == FILM[:len(pauses) << 10], "other bytes than the origin's")
    served.stop()


def seeded_requests(served, folder):
    """Requests ranges, whole files, heads and missing files over one connection; counts the outcomes independently."""
    chance, held, outcomes, total = random.Random(2026), {}, Counter(), 0
    with web.Line(served.url) as line:
        for name in range(FILES):
            # Weir reads the first 512 bytes of a file to find its type.
            equal(line.ask(f"{name}.bin", method="HEAD").status, 200, "the status of HEAD")
            held[name] = set(range(512))
            outcomes["empty"] += 1
        for _ in range(REQUESTS - FILES):
            name = chance.randrange(FILES + 2)
            if name >= FILES:
                answer = line.ask(f"{name}.bin")
                equal(answer.status, 404, "the status")
                outcomes["refused"] += 1
                continue
            data = (folder / f"{name}.bin").read_bytes()
            if chance.random() < 0.1:
                equal(line.ask(f"{name}.bin", method="HEAD").status, 200, "the status of HEAD")
                outcomes["empty"] += 1
                continue
            first = chance.randrange(len(data))
            last = min(len(data), first + chance.randrange(1, 4000)) - 1
            answer = line.ask(f"{name}.bin", {"Range": f"bytes={first}-{last}"})
            equal(answer.status, 206, "the status")
            expect(answer.body == data[first:last + 1], f"wrong bytes of {name}.bin")
            wanted, known = set(range(first, last + 1)), held[name]
            outcomes["hit" if wanted <= known else "miss"] += 1
            known |= wanted
            total += len(answer.body)
    return outcomes, total


def told_outcomes(metrics):
    """The requests by outcome, as the metrics report them."""
    found = {name.partition('"')[2][:-2]: int(value) for name, value in metrics.items() if name.startswith("weir_requests")}
    return {outcome: count for outcome, count in found.items() if count}


# MARK: the page


def shows(results, stage):
    axe = axe_source()
    user = User(stage)
    server = Origin(stage, {
        "/film.bin": origin.content(FILM),
        "/song.bin": origin.content(FILM[:5 * BLOCK]),
        HOSTILE_PATH: origin.content(FILM[:BLOCK]),
        "/Track%20024.bin": origin.content(FILM[:BLOCK]),
    })
    served = Served(user, server.base)
    with pages.browser(stage) as page:
        page.open(served.page).until_connected()
        with results.check("the page removes the secret from the address bar at once, and sets no cookie"):
            expect("#" not in page.evaluate("location.href"), page.evaluate("location.href"))
            equal(page.evaluate("document.cookie"), "", "cookies")
        with results.check("the page shows each served file with the address for players"):
            page.until('document.querySelector("#places a") !== null', "the place")
            equal(page.evaluate('document.querySelector("#places a").href'), served.url, "its address")
            expect(server.base in page.text("places"), page.text("places"))
        listener = Listener(served)
        with results.check("the page lists cache changes live, each once, in a bounded number of lines") as check:
            web.fetch(f"{served.url}film.bin", {"Range": f"bytes=0-{3 * BLOCK - 1}"})
            page.until('document.getElementById("list").innerText.includes("film.bin")', "film.bin in the list")
            for index in range(100):
                web.fetch(f"{served.url}song.bin", {"Range": f"bytes={index * 1000}-{index * 1000 + 999}"})
            page.until('document.getElementById("list").innerText.includes("song.bin")', "song.bin in the list")
            waiting.until(lambda: last_held(listener, "song.bin") == 100_000, 10, "all of it in the stream")
            numbers = [line["sequence"] for line in listener.lines]
            equal(numbers, list(range(numbers[0], numbers[0] + len(numbers))), "the numbers of the lines")
            held = [resource["held"] for line in listener.lines for resource in line.get("resources", [])
                    if resource["name"] == "song.bin"]
            equal(held, sorted(set(held)), "the reported sizes of song.bin")
            check.figure = f"{len(listener.lines)} lines for 101 requests"
        with results.check("the piece map equals the index, one cell for each block") as check:
            web.fetch(f"{served.url}film.bin", {"Range": f"bytes={10 * BLOCK}-{20 * BLOCK - 1}"})
            web.fetch(f"{served.url}film.bin", {"Range": f"bytes={39 * BLOCK}-{40 * BLOCK - 1}"})
            held = {*range(3), *range(10, 20), 39}
            page.open_resource("film.bin")
            wanted = ["verified" if block in held else "not-held" for block in range(40)]
            seen = until_equal(page.cells, wanted)
            equal(seen, wanted, "the cells")
            expect(user.held()[f"{server.base}film.bin"]["heldBytes"] == len(held) * BLOCK, "the index differs")
            check.figure = f"{len(wanted)} cells"
        with results.check("verify finds a damaged block, the page shows it, and the next request fetches it again"):
            damage(user.cache, FILM[12 * BLOCK:12 * BLOCK + 64], 12 * BLOCK)
            page.press("verify")
            wanted[12] = "bad"
            equal(until_equal(page.cells, wanted), wanted, "the cells")
            web.fetch(f"{served.url}film.bin", {"Range": f"bytes={12 * BLOCK}-{13 * BLOCK - 1}"})
            wanted[12] = "verified"
            equal(until_equal(page.cells, wanted), wanted, "the cells")
        acts(results, stage, user, served, server, page)
        with results.check("axe finds no serious fault in any state of the page") as check:
            if not axe:
                raise Skipped("axe-core is not installed; Scripts/set-up players installs it")
            page.open(served.base + "/page/").until_connected()
            page.open_resource("film.bin")
            pages.expect_no_faults(page, axe, "with a resource open")
            page.press("change-limits")
            pages.expect_no_faults(page, axe, "with the dialog of limits")
            page.press("limits-cancel")
            page.press("detail-close")
            pages.expect_no_faults(page, axe, "with the list")
        with results.check("the filter matches the displayed names, not their escapes"):
            web.fetch(f"{served.url}Track%20024.bin")
            page.until('document.getElementById("list").innerText.includes("Track 024.bin")', "the track in the list")
            for text, is_found in (("002", False), ("%20", False), ("024", True), ("track 02", True),
                                   (f"{server.base}Track%20024.bin", True)):
                enter_filter(page, text)
                shown = 'document.getElementById("list").innerText.includes("Track 024.bin")'
                page.until(shown if is_found else f"!{shown}", f"the track {'found' if is_found else 'not found'} by {text}")
            page.evaluate('document.getElementById("filter").value = ""')
        with results.check("the page shows origins' names as text"):
            web.fetch(served.url + HOSTILE_PATH[1:])
            page.until('document.getElementById("list").innerText.includes("<img src=x")', "the name in the list")
            # If the page inserted a name as HTML, markup in the name could add an image to the list.
            equal(page.evaluate("document.querySelectorAll('#list img').length"), 0, "images")
        with results.check("the page sends no request to another host") as check:
            addresses = pages.asked(page)
            others = [url for url in addresses if not url.startswith((f"{served.base}/", "data:", "about:"))]
            equal(others, [], "other addresses")
            check.figure = f"{len(addresses)} requests"
    served.stop()


def until_equal(look, wanted):
    """The value of `look` as soon as it equals `wanted`, or its last value after 10 seconds."""
    try:
        waiting.until(lambda: look() == wanted, 10, "the cells", pause=0.1)
    except waiting.TookTooLong:
        pass
    return look()


def last_held(listener, name):
    found = [resource["held"] for line in list(listener.lines) for resource in line.get("resources", [])
             if resource["name"] == name]
    return found[-1] if found else None


def damage(cache, original, offset):
    """Changes bytes of a cached file without the program's knowledge."""
    for path in cache.rglob("*.data"):
        with open(path, "r+b") as file:
            file.seek(offset)
            if file.read(len(original)) == original:
                file.seek(offset)
                file.write(bytes(byte ^ 0xFF for byte in original))
                return
    raise RuntimeError("no cached file has these bytes")


def acts(results, stage, user, served, server, page):
    def held(name):
        return user.held().get(f"{server.base}{name}")

    with results.check("pin and unpin work, and a second tab shows the change"):
        other = pages.another_tab(page).open(served.page).until_connected()
        other.open_resource("film.bin")
        page.press("pin")
        waiting.until(lambda: held("film.bin")["pinned"], 10, "the pin")
        other.until('document.getElementById("pin").innerText === "Unpin"', "the pin in the other tab")
        page.press("pin")
        waiting.until(lambda: not held("film.bin")["pinned"], 10, "the end of the pin")
        # A browser does not draw a tab in the background.
        page.ask("Page.bringToFront")
    with results.check("an incomplete file can be fetched but not exported; the button fetches the rest"):
        identifier = next(resource["id"] for resource in served.state()["resources"] if resource["name"] == "film.bin")
        refused = served.ask(f"actions/export?resource={identifier}", "POST")
        equal((refused.status, "fetch the rest first" in refused.text), (409, True), f"status and words of {refused.text!r}")
        page.until('document.getElementById("export").innerText === "Fetch the rest"', "the offer to fetch")
        page.press("export")
        page.until('document.getElementById("detail-message").innerText === "The rest is being fetched."', "the sentence")
        page.until('document.getElementById("export").innerText === "Export"', "the offer to export")
    with results.check("export downloads a complete file once"):
        state = waiting.until(lambda: next((resource for resource in served.state()["resources"]
                                            if resource["name"] == "film.bin" and resource["held"] == len(FILM)), None),
                              10, "the whole film")
        folder = stage.new_folder("downloads")
        page.ask("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder), eventsEnabled=True)
        page.press("export")
        waiting.until(lambda: (folder / "film.bin").exists() and (folder / "film.bin").read_bytes() == FILM, 20,
                      "the download")
        answer = json.loads(served.ask(f"actions/export?resource={state['id']}", "POST").body)
        equal(web.fetch(served.base + answer["url"]).body == FILM, True, "the bytes by the ticket")
        equal(web.fetch(served.base + answer["url"]).status, 404, "the ticket's second use")
    with results.check("changed limits take effect at once, and remove the excess"):
        web.fetch(f"{served.url}hostile.bin")
        equal(served.ask("actions/limits?bytes=400000", "POST").status, 200, "the status")
        waiting.until(lambda: sum(entry["heldBytes"] for entry in user.held().values()) <= 400_000, 10, "room")
        waiting.until(lambda: served.metrics()["weir_cache_evictions_total"] >= 1, 10, "the eviction in the metrics")
        equal(served.ask("actions/limits?bytes=none&age=none", "POST").status, 200, "the status")
        # While a page is open, the server reports the state that it last sent to the page.
        waiting.until(lambda: served.state()["cache"]["limits"]["bytes"] is None, 10, "the limit's end")
    with results.check("remove asks for confirmation, and removes"):
        web.fetch(f"{served.url}film.bin", {"Range": "bytes=0-9"})
        page.open(served.base + "/page/").until_connected()
        page.open_resource("film.bin")
        page.press("remove")
        page.until('document.getElementById("confirmation").open', "the question")
        page.evaluate('document.querySelector("#confirmation button[value=keep]").click()')
        expect(held("film.bin"), "it was removed although the user declined")
        page.press("remove")
        page.until('document.getElementById("confirmation").open', "the question")
        page.press("confirmation-do")
        waiting.until(lambda: held("film.bin") is None, 10, "its end")
        page.until('document.getElementById("detail").hidden', "its end on the page")
        web.fetch(f"{served.url}film.bin", {"Range": f"bytes=0-{BLOCK - 1}"})
        page.open_resource("film.bin")


def joins(results, stage):
    """Shows a film of HLS with seven parts, and a live stream with two."""
    film = [f"v1/part{number}.ts" for number in range(1, 8)]
    user = User(stage)
    server = Origin(stage, {
        "/film.m3u8": origin.content(playlist(film, "#EXT-X-ENDLIST")),
        "/live.m3u8": origin.content(playlist(["live1.ts", "live2.ts"])),
        **{f"/{name}": origin.content(FILM[:BLOCK]) for name in [*film, "live1.ts", "live2.ts", "song.bin"]},
    })
    served = Served(user, server.base)
    web.fetch(f"{served.url}song.bin")
    for name in ("film", "live"):
        fetch_playlist(f"{served.url}{name}.m3u8")
    with pages.browser(stage) as page:
        page.open(served.page).until_connected()
        with results.check("a playlist and its parts are one row, with their number and their bytes") as check:
            rows = until_equal(lambda: rows_of(page), ["film.m3u8, 7 parts", "live.m3u8, 2 parts", "song.bin"])
            equal(rows, ["film.m3u8, 7 parts", "live.m3u8, 2 parts", "song.bin"], "the rows")
            # Weir drops the resource of the live stream's text after a moment.
            waiting.until(lambda: page.text("list-summary") == f"{len(user.held())} resources", 10,
                          "the number of all resources in the summary")
            row = next(text for text in page.names() if "film.m3u8" in text)
            held = sum(entry["heldBytes"] for url, entry in user.held().items() if "film.m3u8" in url)
            expect(f"{held / 1000:.1f} kB held" in row, row)
            check.figure = f"{len(rows)} rows for {page.text('list-summary')}"
        with results.check("the filter finds a part by text that only the part has"):
            for text, wanted in (("part3", ["part3.ts"]), ("film", ["film.m3u8, 7 parts"]), ("live1", ["live1.ts"])):
                enter_filter(page, text)
                equal(until_equal(lambda: rows_of(page), wanted), wanted, f"the rows for {text}")
            enter_filter(page, "film")
            expect(page.text("list-summary").startswith("8 of "), page.text("list-summary"))
            enter_filter(page, "")
        with results.check("a playlist lists its parts; each opens, and leads back"):
            page.open_resource("film.m3u8")
            listed = '[...document.querySelectorAll("#parts button")].map(button => button.innerText)'
            equal(page.evaluate(listed), film, "the parts")
            equal(until_equal(lambda: Counter(page.cells()), Counter(verified=8)), Counter(verified=8), "the cells")
            page.evaluate('document.querySelectorAll("#parts button")[4].click()')
            page.until('document.getElementById("detail-title").innerText === "part5.ts"', "the part")
            equal(page.evaluate(listed), ["film.m3u8"], "the playlist of the part")
            page.evaluate('document.querySelector("#parts button").click()')
            page.until('document.getElementById("detail-title").innerText === "film.m3u8"', "the playlist")
        with results.check("pin of a playlist concerns its parts, too"):
            page.press("pin")
            waiting.until(lambda: sum(entry["pinned"] for entry in user.held().values()) == 8, 10, "the pins")
            page.until('document.getElementById("facts").innerText.includes("8 of 8: no limit deletes it")', "the fact")
        with results.check("a playlist whose text is not in the cache stays one row, without a play button"):
            text = user.held()[f"{server.base}film.m3u8"]["identifier"]
            equal(served.ask(f"actions/remove?resource={text}", "POST").status, 200, "the status")
            page.until('document.getElementById("play").offsetParent === null', "the end of the button")
            equal(page.evaluate(listed), film, "the parts")
            expect("film.m3u8, 7 parts" in rows_of(page), f"the rows are {rows_of(page)}")
            page.press("detail-close")
        with results.check("remove of a playlist removes its parts, too"):
            for name, left in (("film.m3u8", {"live.m3u8#hls:live1.ts", "live.m3u8#hls:live2.ts", "song.bin"}),
                               ("live.m3u8", {"song.bin"})):
                page.open_resource(name)
                page.press("remove")
                page.until('document.getElementById("confirmation").open', "the question")
                expect(f"{name} and its" in page.text("confirmation-text"), page.text("confirmation-text"))
                page.press("confirmation-do")
                wanted = {server.base + each for each in left}
                waiting.until(lambda wanted=wanted: user.held().keys() - {f"{server.base}live.m3u8"} == wanted, 10,
                              f"the end of {name}")
                page.until('document.getElementById("detail").hidden', "the end of its details")
            equal(until_equal(lambda: rows_of(page), ["song.bin"]), ["song.bin"], "the rows")
    served.stop()


def playlist(names, *end):
    lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:4", *(f"#EXTINF:4,\n{name}" for name in names), *end]
    return "\n".join(lines).encode() + b"\n"


def fetch_playlist(url):
    """Reads a playlist and its parts, as a player does."""
    for line in web.fetch(url).text.splitlines():
        if line and not line.startswith("#"):
            equal(web.fetch(urllib.parse.urljoin(url, line)).status, 200, "the status of a part")


def rows_of(page):
    """The names of the list's rows, each with the number of its parts, in alphabetical order."""
    return sorted(page.evaluate("""[...document.querySelectorAll("#list > li")].map(row => {
        const [parts] = row.querySelector(".row-marks").innerText.match(/[\\d,]+ parts?/) ?? [];
        return [row.querySelector("button").innerText, ...parts ? [parts] : []].join(", ");
    })"""))


def enter_filter(page, text):
    page.evaluate(f'''(() => {{
        const filter = document.getElementById("filter");
        filter.value = {json.dumps(text)};
        filter.dispatchEvent(new Event("input"));
    }})()''')


def plays(results, stage):
    """Plays a film in the page's own player."""
    user = User(stage)
    served = Served(user, Nginx(stage, media.folder()).base)
    web.fetch(f"{served.url}film.mp4", {"Range": "bytes=0-99999"})
    with pages.browser(stage) as page, results.check("an MP4 plays in the page, and seeks") as check:
        page.open(served.page).until_connected()
        page.open_resource("film.mp4")
        page.press("play")
        page.until('document.querySelector("#player video") !== null', "the player")
        video = 'document.querySelector("#player video")'
        page.evaluate(f"{video}.muted = true; void {video}.play()")
        page.until(f"{video}.currentTime > 0.3", "the film's start")
        middle = page.evaluate(f"{video}.duration") / 2
        page.evaluate(f"{video}.currentTime = {middle}")
        page.until(f"{video}.currentTime > {middle} + 0.2 && !{video}.seeking", "the film after the seek")
        shown = page.evaluate("document.body.innerText")
        expect(not re.search(r"NaN|undefined|null|\[object", shown), f"internals of the program are in {shown!r}")
        check.figure = f"{page.evaluate(f'{video}.duration'):.1f} s"
    served.stop()
    served = Served(user, f"{Nginx(stage, media.folder()).base}gone.mp4")
    with pages.browser(stage) as page, results.check("an unplayable file shows the server's reason"):
        page.open(served.page).until_connected()
        page.until('document.querySelector("#places button[data-does=play]") !== null', "the place")
        page.evaluate('document.querySelector("#places button[data-does=play]").click()')
        page.until('document.getElementById("player-note").innerText.includes("404")', "the sentence")
    served.stop()


def heals(results, stage):
    user = User(stage)
    server = Origin(stage, {"/film.bin": origin.content(FILM)})
    served = Served(user, server.base)
    web.fetch(f"{served.url}film.bin", {"Range": "bytes=0-99"})
    with pages.browser(stage) as page, results.check("the page shows a lost connection, and reconnects"):
        page.open(served.page).until_connected()
        page.until('document.getElementById("list").innerText.includes("film.bin")', "the list")
        served.stop()
        page.until('document.documentElement?.dataset.connection === "lost"', "the loss")
        page.until('!document.getElementById("banner").hidden', "the banner")
        expect("film.bin" in page.text("list"), "the earlier list is gone")
        again = Served(user, server.base, listen=served.base.partition("//")[2])
        equal(again.secret, served.secret, "the secret of the page")
        page.until_connected()
        page.until('document.getElementById("banner").hidden', "the end of the banner")
        again.stop()
    with pages.browser(stage) as page, results.check("with a wrong or missing secret, the page says what to do"):
        again = Served(user, server.base)
        page.open(f"{again.base}/page/").until('document.getElementById("entry")?.hidden === false', "the sentence")
        expect("weir open" in page.text("entry"), page.text("entry"))
        page.open(f"{again.base}/page/#wrong")
        page.until('document.documentElement?.dataset.connection === "refused"', "the refusal")
        expect("weir open" in page.text("entry"), page.text("entry"))
        again.stop()


# A page of another site makes these attempts. Each attempt gives the data that the page could read, or "no".
ATTACK = """
    (async () => {
        const base = %s, secret = %s, found = {};
        const attempt = async (name, path, options) => {
            try {
                const answer = await fetch(base + path, options);
                found[name] = answer.type === "opaque" ? "no" : `${answer.status} ${(await answer.text()).slice(0, 40)}`;
            } catch { found[name] = "no"; }
        };
        const bearer = {Authorization: "Bearer " + secret};
        await attempt("state", "/page/state", {});
        await attempt("state with the secret", "/page/state", {headers: bearer});
        await attempt("blind state", "/page/state", {mode: "no-cors", headers: bearer});
        await attempt("metrics", "/page/metrics", {headers: bearer});
        await attempt("clear", "/page/actions/limits?bytes=0", {method: "POST", mode: "no-cors"});
        await attempt("clear with the secret", "/page/actions/limits?bytes=0", {method: "POST", headers: bearer});
        const form = document.createElement("form");
        form.method = "POST";
        form.action = base + "/page/actions/limits?bytes=0";
        form.target = "hidden";
        const frame = document.createElement("iframe");
        frame.name = "hidden";
        document.body.append(frame, form);
        form.submit();
        const inside = document.createElement("iframe");
        inside.src = base + "/page/#" + secret;
        document.body.append(inside);
        await new Promise(done => setTimeout(done, 700));
        try { found.frame = inside.contentDocument.body.innerText; } catch { found.frame = "no"; }
        return found;
    })()
"""


def refuses(results, stage):
    user = User(stage)
    server = Origin(stage, {
        "/film.bin": origin.content(FILM), "/evil.html": evil, "/": origin.page(),
    })
    served = Served(user, server.base)
    web.fetch(f"{served.url}film.bin", {"Range": f"bytes=0-{BLOCK - 1}"})

    def unharmed():
        equal([entry["heldBytes"] for entry in user.held().values()], [BLOCK], "the held bytes")

    with results.check("without the page's secret, or with that of media URLs, every address of the page refuses") as check:
        media_secret = served.url.split("/")[3]
        paths = ["state", "events", "metrics", "actions/remove?resource=0", "nothing"]
        for secret in ("", media_secret, served.secret[:-1], served.secret + "0"):
            for path in paths:
                method = "POST" if path.startswith("actions") else "GET"
                answer = served.ask(path, method, Authorization=f"Bearer {secret}")
                equal(answer.status, 401, f"the status of {path}")
        for path in ("state", "metrics", "page/state"):
            expect(web.fetch(f"{served.base}/{media_secret}/{path}").status == 404, f"{path} below the media secret")
        equal(served.ask("actions/limits?bytes=0", "GET").status, 405, "an action by GET")
        equal(served.ask("state", "POST").status, 405, "data by POST")
        equal(served.ask("export/../state").status, 400, "a path with dots")
        check.figure = f"{4 * len(paths)} attempts"
    with results.check("a page of another site can neither read nor act, even with the secret") as check:
        with pages.browser(stage) as page:
            page.open(server.base)
            page.until('document.readyState === "complete"', "the other site's page")
            found = page.evaluate(ATTACK % (json.dumps(served.base), json.dumps(served.secret)))
            equal(set(found.values()), {"no"}, f"the results, {found},")
            unharmed()
            check.figure = f"{len(found)} attempts"
    with results.check("a page at a foreign name of this machine can neither read nor act"):
        port = served.base.rpartition(":")[2]
        with pages.browser(stage, "--host-resolver-rules=MAP evil.example 127.0.0.1") as page:
            page.open(f"http://evil.example:{port}/page/#{served.secret}")
            page.until('document.readyState === "complete"', "the answer")
            expect("does not answer to that host name" in page.evaluate("document.body.innerText"),
                   page.evaluate("document.body.innerText")[:200])
            unharmed()
    with results.check("a page that an origin sends runs no script in this site"):
        with pages.browser(stage) as page:
            page.open(served.page).until_connected()
            page.open(f"{served.url}evil.html")
            page.until('document.readyState === "complete"', "the origin's page")
            expect("has run" not in page.evaluate("document.body.innerText"), "the origin's script ran")
            equal(page.evaluate("self.origin"), "null", "its origin")
    served.stop()


def evil(handler):
    """A page that tries to read the data that Weir's page stores in the same tab."""
    text = b"<!DOCTYPE html><body><p id=p>still</p><script>p.innerText = 'has run ' + sessionStorage.length</script>"
    handler.answer(200, text, Content_Type="text/html", ETag='"evil"')


def axe_source():
    path = place.BUILD / "axe" / "axe.min.js"
    return path.read_text() if path.exists() else None
