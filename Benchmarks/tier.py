# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The costs and gains of a fleet's shared store for a machine: with and without the store.

There are two stores. The quick one is an nginx that keeps objects as files in memory (PUT and GET), with a server in
Python that lists them; a machine asks it once for each file. Neither checks signatures. The other store is moto's S3,
in Python, without the front that verifies signatures. Both run on the measured machine, and take processor time from
it.
"""

import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections import namedtuple
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import clients
import costs
import fleet_nodes
import peers
from cost import GIGABIT
from fleet_nodes import Node
from results import FEWEST_ROUNDS
from servers import sigv4
from servers.s3 import BUCKET, KEYS, S3
from stage import media, waiting
from stage.nginx import Nginx
from stage.stage import Stage

WITHOUT, WITH, SLOWLY = "without the store", "with the store", "with the store, upload-rate 1 MB/s"
EXTENTS = -(-media.BIG_SIZE // (4 << 20))
# How many extents a machine has in flight for a reader: the one that it waits for, and the next.
IN_FLIGHT = 2
# The rate of a connection to a distant store, in bytes a second.
DISTANT = 50_000_000

# Inside nginx's server block. nginx writes uploads to the disk of the objects, so that it only has to rename them.
STORE = """
client_max_body_size 16m;
client_body_temp_path {folder}/uploads;
location ~ ^/{bucket}/?$ {{ proxy_pass http://127.0.0.1:{port}; }}
location / {{ dav_methods PUT; create_full_put_path on; }}
"""

# The cost of a cold read: the client's seconds, the seconds until the store has the whole file, and the processor
# time of the machine and of the store until then.
Taken = namedtuple("Taken", "seconds stored machine store")


class Quick:
    """nginx as a store; `rate` limits each connection, `folder` has the objects written to another store."""

    name = "nginx"

    def __init__(self, stage, folder=None, rate=None):
        if folder is None:
            memory = "/dev/shm" if os.path.isdir("/dev/shm") else stage.folder
            folder = Path(tempfile.mkdtemp(prefix="weir-store-", dir=memory))
            folder.chmod(0o755)
            stage.callback(shutil.rmtree, folder, ignore_errors=True)
        self.folder = folder
        lister = ThreadingHTTPServer(("127.0.0.1", 0), Lister)
        lister.folder = folder / BUCKET
        threading.Thread(target=lister.serve_forever, daemon=True).start()
        stage.callback(lister.shutdown)
        inside = STORE.format(folder=folder, bucket=BUCKET, port=lister.server_port)
        self.nginx = Nginx(stage, folder, more=inside, rate=rate)
        self.base = self.nginx.base

    def processor_seconds(self):
        return self.nginx.processor_seconds()

    def count(self):
        """The number of requests."""
        return len(self.nginx.requests())

    def objects(self):
        """Every extent object: its key, and its file."""
        files = (path for path in (self.folder / BUCKET).rglob("*") if path.is_file() and path.name != "descriptor")
        return {str(path.relative_to(self.folder / BUCKET)): path for path in sorted(files)}

    def empty(self):
        shutil.rmtree(self.folder / BUCKET, ignore_errors=True)


class Lister(BaseHTTPRequestHandler):
    """Lists the keys of a folder of objects, as S3 does; all at once, since there are fewer than a thousand."""

    def do_GET(self):
        query = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        files = (path for path in self.server.folder.rglob("*") if path.is_file())
        keys = sorted((str(path.relative_to(self.server.folder)), path.stat().st_size) for path in files)
        found = "".join(
            f"<Contents><Key>{quote(key)}</Key><Size>{size}</Size></Contents>" for key, size in keys
            if key.startswith(query.get("prefix", "")) and key > query.get("start-after", "")
        )
        facts = "<EncodingType>url</EncodingType><IsTruncated>false</IsTruncated>"
        body = f"<ListBucketResult>{facts}{found}</ListBucketResult>".encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Moto:
    """moto's S3, without its front."""

    name = "moto"

    def __init__(self, stage):
        self.server = S3(stage)
        self.base = self.server.behind

    def processor_seconds(self):
        return self.server.program.processor_seconds()

    def empty(self):
        for key in fleet_nodes.objects(self.server):
            self.server.delete(key)


def until_stored(node):
    """Waits until the store has all of the big file."""
    def is_stored():
        return node.count("weir_tier_stored_bytes_total") >= media.BIG_SIZE
    waiting.until(is_stored, 120, "the store to have all of the file", pause=0.1)


def measure(results):
    held(results)
    fetched(results)
    shared(results)


def held(results, connections=16):
    """Ranges of a file that both machines hold."""
    name = f"warm 64 KiB ranges, {connections} connections, {WITH}"
    spent = f"{name}, processor time"
    results.uses("nginx", "wrk")
    with Stage("bench") as stage:
        origin = peers.origin(stage, media.big_folder())
        store = Quick(stage)
        nodes = {WITH: Node(stage, fleet_nodes.tier(store.base), origin.base), WITHOUT: Node(stage, "", origin.base)}
        subjects = [peers.Subject(subject, node.program, node.url) for subject, node in nodes.items()]
        for subject in subjects:
            peers.warm(stage, subject, media.BIG, media.big_folder() / media.BIG)
        until_stored(nodes[WITH])
        asked = store.count()
        for number, subject in results.turns(subjects):
            early = costs.usage(subject.pids())
            arguments = (media.BIG_SIZE, 64 << 10)
            url = subject.url(media.BIG)
            given = clients.wrk(url, "ranges.lua", arguments, connections, 1, stage.environment)
            used = costs.between(early, costs.usage(subject.pids()))
            results.sample(name, subject.name, number, given.rate, "requests/s")
            micros = (used.user + used.system) / given.count * 1e6
            results.sample(spent, subject.name, number, micros, "µs/request")
        results.compare(name, WITHOUT, ours=WITH)
        results.compare(spent, WITHOUT, ours=WITH, digits=1, title="processor time of the same")
        if store.count() != asked:
            raise RuntimeError(f"the store got {store.count() - asked} requests during the measure of held bytes")


def fetched(results):
    """A file that a machine reads from the origin, and writes to an empty store."""
    results.uses("nginx", "curl")
    for line, rate, make, subjects in (
        ("loopback", None, Quick, (WITHOUT, SLOWLY, WITH)),
        ("1 Gbit/s", GIGABIT, Quick, (WITHOUT, WITH)),
        ("loopback", None, Moto, (WITHOUT, SLOWLY, WITH)),
    ):
        with Stage("bench") as stage:
            origin = Nginx(stage, media.big_folder(), log=False, rate=rate)
            store = make(stage)
            name = f"cold whole file of 256 MiB, origin on {line}, store by {store.name}"
            weir, other, until = (f"{name}, {part}" for part in ("weir's processor time", "store's", "stored"))
            for number, subject in results.turns(subjects, FEWEST_ROUNDS):
                taken = cold(stage, origin, store, subject)
                results.sample(name, subject, number, media.BIG_SIZE / taken.seconds / 1e6, "MB/s")
                if subject != SLOWLY:
                    results.sample(weir, subject, number, taken.machine / media.BIG_SIZE * 1e9, "s/GB")
                if subject == WITH:
                    results.sample(other, subject, number, taken.store / media.BIG_SIZE * 1e9, "s/GB")
                    results.sample(until, subject, number, taken.stored, "s")
            for subject in subjects[1:]:
                title = f"{name}, {subject.removeprefix(f'{WITH}, ')}"
                results.compare(name, WITHOUT, ours=subject, title=title)
            results.compare(weir, WITHOUT, ours=WITH, digits=2, title="processor time of weir, uploads included")
            results.alone(other, WITH, digits=2, title="processor time of the store")
            results.alone(until, WITH, digits=2, title="from the client's start until all of it is in the store")


def cold(stage, origin, store, subject):
    """A read by a machine with an empty disk, with or without an empty store."""
    os.sync()
    settings = "" if subject == WITHOUT else fleet_nodes.tier(store.base)
    node = Node(stage, settings + ('upload-rate = "1MB"\n' if subject == SLOWLY else ""), origin.base)
    before, early = node.program.processor_seconds(), store.processor_seconds()
    start = time.monotonic()
    taken = clients.download([node.url + media.BIG], media.BIG_SIZE, stage.environment)
    if subject == WITH:
        until_stored(node)
    stored, late = time.monotonic() - start, store.processor_seconds()
    node.stop()
    shutil.rmtree(node.user.cache)
    store.empty()
    return Taken(taken.seconds, stored, node.program.processor_seconds() - before, late - early)


def shared(results):
    """A file that another machine has written to the store; for comparison, a client that reads the store's objects."""
    results.uses("nginx", "curl")
    with Stage("bench") as stage:
        origin = Nginx(stage, media.big_folder(), log=False)
        quick = Quick(stage)
        node = Node(stage, fleet_nodes.tier(quick.base), origin.base)
        peers.warm(stage, peers.Subject("weir", node.program, node.url), media.BIG, media.big_folder() / media.BIG)
        until_stored(node)
        node.stop()
        objects = quick.objects()
        if len(objects) != EXTENTS:
            raise RuntimeError(f"the store has {len(objects)} extents of {EXTENTS}")
        moto = Moto(stage)
        for path in (path for path in (quick.folder / BUCKET).rglob("*") if path.is_file()):
            moto.server.put(str(path.relative_to(quick.folder / BUCKET)), path.read_bytes())
        distant = Quick(stage, quick.folder, DISTANT)
        alone = f"curl, {IN_FLIGHT} connections"
        every = {
            alone: (IN_FLIGHT, False), "curl, 8 connections": (8, False),
            f"{alone}, kept on disk": (IN_FLIGHT, True), "weir, from the origin": None, "weir": None,
        }
        few = {subject: how for subject, how in every.items() if subject in (alone, "curl, 8 connections", "weir")}
        for store, title, subjects in (
            (quick, "store by nginx on loopback", every),
            (distant, f"store by nginx, {DISTANT / 1e6:.0f} MB/s a connection", few),
            (moto, "store by moto", few),
        ):
            name = f"256 MiB that another machine has fetched, kept, {title}"
            spent = f"{name}, processor time"
            for number, subject in results.turns(subjects, FEWEST_ROUNDS):
                if subjects[subject]:
                    taken = parallel(stage, store.base, objects, *subjects[subject])
                else:
                    taken = hit(stage, origin, store if subject == "weir" else None)
                results.sample(name, subject, number, media.BIG_SIZE / taken.seconds / 1e6, "MB/s")
                results.sample(spent, subject, number, taken.processor / media.BIG_SIZE * 1e9, "s/GB")
            others = [subject for subject in subjects if subject != "weir"]
            results.compare(name, *others)
            results.compare(spent, *others, digits=2, title="processor time of the same")


def hit(stage, origin, store):
    """A cold machine's read from a store that has the whole file; without a store, from the origin."""
    os.sync()
    node = Node(stage, fleet_nodes.tier(store.base) if store else "", origin.base)
    before = node.program.processor_seconds()
    taken = clients.download([node.url + media.BIG], media.BIG_SIZE, stage.environment)
    read = node.count("weir_tier_read_bytes_total")
    if read != (media.BIG_SIZE if store else 0):
        raise RuntimeError(f"{read} bytes came from the store")
    node.stop()
    shutil.rmtree(node.user.cache)
    return taken._replace(processor=node.program.processor_seconds() - before)


def parallel(stage, base, objects, connections, is_kept):
    """Downloads the objects with one curl over several connections; drops them, or writes them to files."""
    os.sync()
    folder = stage.new_folder("objects")
    words = ["curl", "--no-progress-meter", "--fail", "--parallel", "--parallel-max", str(connections)]
    words += ["-w", "%{size_download}\n"]
    for number, key in enumerate(objects):
        url = sigv4.presigned(KEYS, f"{base}{BUCKET}/{quote(key)}", 3600)
        words += ["-o", str(folder / str(number)) if is_kept else "/dev/null", url]
    start = time.monotonic()
    curl = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=stage.environment)
    sizes = curl.stdout.read().split()
    _, status, usage = os.wait4(curl.pid, 0)
    seconds = time.monotonic() - start
    curl.returncode = os.waitstatus_to_exitcode(status)
    curl.stdout.close()
    if curl.returncode != 0 or sum(map(int, sizes)) != sum(path.stat().st_size for path in objects.values()):
        raise RuntimeError(f"curl ended with {curl.returncode} and {len(sizes)} objects")
    shutil.rmtree(folder)
    return clients.Taken(seconds, usage.ru_utime + usage.ru_stime)
