# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Machines that share a store: each is a `weir serve` with its own disk, and possibly its own network."""

import json
import re

from check_results import expect
from clouds import User
from servers.s3 import BUCKET, KEYS
from stage import place, waiting, web
from stage.program import Program

SECRET = "the fleet's shared secret"


def tier(endpoint, keys=KEYS):
    """The section of the configuration that names the store."""
    return (f'[tier]\nbucket = "{BUCKET}"\nendpoint = "{endpoint}"\nroot = "/fleet"\naccess-key = "{keys.id}"\n'
            'secret-key-env = "BUCKET_SECRET"\nsecret-env = "FLEET_SECRET"\n')


class Node:
    """A machine of the fleet; `words` follow `weir serve`, `prefix` has the words that run it in its own network."""

    def __init__(self, stage, configuration, *words, secret=SECRET, listen="127.0.0.1:0", prefix=(), cache=None):
        self.stage = stage
        self.prefix = prefix
        self.user = User(stage, configuration, cache, BUCKET_SECRET=KEYS.secret, FLEET_SECRET=secret)
        self.command = [*prefix, place.weir_program(), "serve", "--json", "--listen", listen, *words]
        self.start()

    def start(self):
        """Starts or restarts the node, with the same disk."""
        self.program = self.stage.put(
            Program(self.command, self.stage.folder, self.stage.name("node"), self.user.environment))
        told = [json.loads(line) for line in waiting.until(self.lines, 60, "weir's start")]
        self.url = next(line["url"] for line in told if line["event"] == "served")
        page = next(line["url"] for line in told if line["event"] == "page")
        self.base, _, self.secret = page.partition("#")

    def lines(self):
        if not self.program.is_alive():
            raise RuntimeError(f"weir ended with {self.program.poll()}: {self.program.error.strip()[-400:]}")
        lines = self.program.output.splitlines()
        return lines if any('"page"' in line for line in lines) else None

    def read(self, name, **headers):
        return web.fetch(f"{self.url}{name}", {key.replace("_", "-"): text for key, text in headers.items()})

    def count(self, name):
        return metric(web.fetch(f"{self.base}metrics", {"Authorization": f"Bearer {self.secret}"}).text, name)

    def is_served_late(self):
        """Whether the store was so late that the node asked the origin meanwhile, or stopped using the store."""
        return self.count("weir_tier_hedges_total") + self.count("weir_tier_pauses_total") > 0

    def stop(self):
        self.program.stop()


def expect_only_hedges(asked, hedges):
    """Expects requests to the origin for stored data only when the store was late."""
    expect(asked <= hedges, f"{asked} requests to the origin for bytes in the store; a late store allows {hedges:.0f}")


def expect_from_store(node, asked):
    """Expects a node that needs only stored data to ask the origin only when the store was late.

    No metric counts the requests that a node makes while it does not use a late store: these are allowed, too.
    """
    if node.count("weir_tier_pauses_total") == 0:
        expect_only_hedges(asked, node.count("weir_tier_hedges_total"))


def metric(text, name):
    """A value in the text of the metrics."""
    return int(float(re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE).group(1)))


def objects(store):
    """The objects of the fleet, by their keys."""
    _, body = store.ask("GET", f"/{BUCKET}?list-type=2&prefix=fleet/")
    return re.findall(r"<Key>([^<]+)</Key>", body.decode())


def extents(store):
    return [key for key in objects(store) if not key.endswith("/descriptor")]


def until_stored(store, count, seconds=30):
    """Waits until the fleet's store has `count` extents, and a descriptor for each of their resources."""
    def is_there():
        found = objects(store)
        folders = {key.split("/")[1] for key in found}
        return sum(not key.endswith("/descriptor") for key in found) == count and all(
            f"fleet/{folder}/descriptor" in found for folder in folders)
    waiting.until(is_there, seconds, f"{count} extents in the store", pause=0.1)
