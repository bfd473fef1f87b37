# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Encrypted media: the cipher layer beside openssl, encrypted files beside plain ones, age beside Weir's age."""

import json
import os
import re
import subprocess
import time
from pathlib import Path

import clients
from peers import QuietWeir
from results import FEWEST_ROUNDS, SOME_ROUNDS
from stage import media, place
from stage.nginx import Nginx
from stage.stage import Stage

# How many copies of the big file are in the file that is decrypted from start to end.
COPIES = 4
TRIAL = place.BUILD / "release" / "CipherTrial"


def layer(results):
    """Decrypts pieces of 64 KiB, from an origin and from a file, beside `openssl speed` at 64 KiB."""
    seconds = 1
    results.uses("openssl")
    for scheme, words in (("aes-128-ctr", []), ("aes-256-ctr", []), ("aes-128-cbc", ["-decrypt"]), ("aes-256-cbc", ["-decrypt"])):
        measure = f"{scheme}, 64 KiB, the cipher layer alone"
        for number, subject in results.turns(("openssl speed", "weir"), FEWEST_ROUNDS, warm_up=0):
            if subject == "weir":
                for name, value in trial(scheme, seconds):
                    results.sample(measure, name, number, value, "MB/s")
            else:
                results.sample(measure, subject, number, openssl(scheme, words, seconds), "MB/s")
        results.compare(measure, "openssl speed", ours="coming", title=f"{measure}, pieces that come")
        results.compare(measure, "openssl speed", ours="on disk", title="the same from a file, read included")


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
    """The same file, plain and in AES-CTR, each in the cache of its own Weir."""
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
            "plain media": QuietWeir(stage, nginx.base).url(media.BIG),
            "AES-CTR": QuietWeir(stage, nginx.base, *ciphers).url("sealed.bin"),
        }
        results.uses("wrk", "curl")
        for url in urls.values():
            for _ in range(2):
                clients.megabytes_per_second(url, media.BIG_SIZE, stage.environment)
        for connections in (1, 16, 64):
            measure = f"warm 64 KiB ranges of AES-CTR, {connections} connection{'s' if connections > 1 else ''}"
            for number, name in results.turns(urls, SOME_ROUNDS):
                rate = clients.requests_per_second(urls[name], connections, 1, stage.environment)
                results.sample(measure, name, number, rate, "requests/s")
            results.compare(measure, "plain media", ours="AES-CTR")
        measure = "warm whole file of AES-CTR"
        for number, name in results.turns(urls, SOME_ROUNDS):
            value = clients.megabytes_per_second(urls[name], media.BIG_SIZE, stage.environment)
            results.sample(measure, name, number, value, "MB/s")
        results.compare(measure, "plain media", ours="AES-CTR")


def age(results):
    """A local file, decrypted by the program age, and by `weir get`, into a pipe."""
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
        # The file has random bytes, so no player knows its type.
        ours += ["--force", "--quiet", "-o", "-", "--cache", stage.new_folder("cache")]
        results.uses("age")
        commands = {"age": theirs, "weir": ours}
        for number, name in results.turns(commands, FEWEST_ROUNDS):
            value = COPIES * media.BIG_SIZE / elapsed(commands[name], stage) / 1e6
            results.sample(measure, name, number, value, "MB/s")
        results.compare(measure, "age")


def elapsed(words, stage):
    """How long a program takes while its output goes to a pipe and is dropped."""
    start = time.monotonic()
    with subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, env=stage.environment) as program:
        count = 0
        while piece := program.stdout.read1(1 << 20):
            count += len(piece)
        status = program.wait(60)
    if status != 0 or count != COPIES * media.BIG_SIZE:
        raise RuntimeError(f"{Path(words[0]).name} gave {count} bytes and ended with {status}")
    return time.monotonic() - start
