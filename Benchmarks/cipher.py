# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Encrypted media: the cipher layer beside openssl, what is encrypted beside what is plain, age beside age."""

import json
import os
import re
import subprocess
import time
from pathlib import Path

import clients
from stage import media, place
from stage.nginx import Nginx
from stage.stage import Stage
from stage.weir import Weir

# How often the big file is in the one that is decrypted from start to end.
COPIES = 4
TRIAL = place.BUILD / "release" / "CipherTrial"


class Quiet(Weir):
    verbosity = "--quiet"


def layer(results):
    """64 KiB pieces as they come from an origin, and as they lie on disk, beside `openssl speed` at 64 KiB."""
    seconds = 1
    for scheme, words in (("aes-128-ctr", []), ("aes-256-ctr", []), ("aes-128-cbc", ["-decrypt"]), ("aes-256-cbc", ["-decrypt"])):
        measure = f"{scheme}, 64 KiB, the cipher layer alone"
        rates = {"openssl": [], "coming": [], "on disk": []}
        for number in range(results.rounds(7)):
            for name, value in trial(scheme, seconds):
                rates[name].append(results.sample(measure, name, number, value, "MB/s"))
            value = openssl(scheme, words, seconds)
            rates["openssl"].append(results.sample(measure, "openssl speed", number, value, "MB/s"))
        results.compare(f"{measure}, pieces that come", "openssl speed", rates["openssl"], rates["coming"], "MB/s")
        results.compare("the same from a file, read included", "openssl speed", rates["openssl"], rates["on disk"], "MB/s")


def trial(scheme, seconds):
    said = subprocess.run([TRIAL, "speed", str(seconds), scheme], capture_output=True, text=True, check=True, timeout=120)
    for line in said.stdout.splitlines():
        values = json.loads(line)
        yield values["place"], values["megabytesPerSecond"]


def openssl(scheme, words, seconds):
    command = ["openssl", "speed", "-seconds", str(seconds), "-bytes", "65536", *words, "-evp", scheme]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    return float(re.search(r"([\d.]+)k\s*$", said.strip()).group(1)) / 1e3


def warm(results):
    """The same file, plain and in AES-CTR, both in the cache of one weir each."""
    seconds = 1 if results.is_quick else 2
    with Stage("bench") as stage:
        folder = stage.new_folder("origin")
        key, vector = os.urandom(16).hex(), os.urandom(16).hex()
        plain = media.big_folder() / media.BIG
        (folder / media.BIG).symlink_to(plain)
        words = ["openssl", "enc", "-aes-128-ctr", "-K", key, "-iv", vector, "-in", plain, "-out", folder / "sealed.bin"]
        subprocess.run(words, check=True, env=stage.environment)
        (stage.folder / "key").write_text(key)
        (stage.folder / "key").chmod(0o600)
        nginx = Nginx(stage, folder, log=False)
        ciphers = ["--decrypt", "aes-ctr", "--key-file", stage.folder / "key", "--iv", vector]
        urls = {
            "plain": Quiet(stage, nginx.base).url(media.BIG),
            "AES-CTR": Quiet(stage, nginx.base, *ciphers).url("sealed.bin"),
        }
        for url in urls.values():
            for _ in range(2):
                clients.megabytes_per_second(url, media.BIG_SIZE, stage.environment)
        for connections in (1, 16, 64):
            measure = f"warm 64 KiB ranges of AES-CTR, {connections} connection{'s' if connections > 1 else ''}"
            rates = {name: [] for name in urls}
            for number in range(-1, results.rounds(7)):
                for name, url in urls.items():
                    rate = clients.requests_per_second(url, connections, seconds, stage.environment)
                    if number >= 0:
                        rates[name].append(results.sample(measure, name, number, rate, "requests/s"))
            results.compare(measure, "plain media", rates["plain"], rates["AES-CTR"], "requests/s")
        rates = {name: [] for name in urls}
        for number in range(results.rounds(9)):
            for name, url in urls.items():
                value = clients.megabytes_per_second(url, media.BIG_SIZE, stage.environment)
                rates[name].append(results.sample("warm whole file of AES-CTR", name, number, value, "MB/s"))
        results.compare("warm whole file of AES-CTR", "plain media", rates["plain"], rates["AES-CTR"], "MB/s")


def age(results):
    """A file of this machine, decrypted by the program age, and by `weir get`, into a pipe."""
    measure = "an age file of 1 GiB on this machine, start to end"
    with Stage("bench") as stage:
        identity = subprocess.run(["age-keygen"], capture_output=True, text=True, check=True, env=stage.environment).stdout
        (stage.folder / "identity").write_text(identity)
        (stage.folder / "identity").chmod(0o600)
        recipient = re.search(r"public key: (age1\w+)", identity).group(1)
        sealed = stage.folder / "film.age"
        big = media.big_folder() / media.BIG
        with subprocess.Popen(["cat", *[big] * COPIES], stdout=subprocess.PIPE) as plain:
            subprocess.run(["age", "-r", recipient, "-o", sealed], stdin=plain.stdout, check=True, env=stage.environment)
        theirs = ["age", "-d", "-i", stage.folder / "identity", sealed]
        ours = [place.weir_program(), "get", sealed, "--decrypt", "age", "--key-file", stage.folder / "identity"]
        ours += ["--quiet", "-o", "-", "--cache", stage.new_folder("cache")]
        rates = {"age": [], "weir": []}
        for number in range(-1, results.rounds(7)):
            for name, words in (("age", theirs), ("weir", ours)):
                value = COPIES * media.BIG_SIZE / elapsed(words, stage) / 1e6
                if number >= 0:
                    rates[name].append(results.sample(measure, name, number, value, "MB/s"))
        results.compare(measure, "age", rates["age"], rates["weir"], "MB/s")


def elapsed(words, stage):
    """How long a program takes whose output a pipe takes and drops."""
    start = time.monotonic()
    with subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, env=stage.environment) as program:
        count = 0
        while piece := program.stdout.read1(1 << 20):
            count += len(piece)
        status = program.wait(60)
    if status != 0 or count != COPIES * media.BIG_SIZE:
        raise RuntimeError(f"{Path(words[0]).name} gave {count} bytes and ended with {status}")
    return time.monotonic() - start
