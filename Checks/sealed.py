# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Encrypted copies of a file, made by openssl and age, and a search for secrets that must not be stored in plain."""

import base64
import fcntl
import os
import pty
import select
import subprocess
import termios
import time
from dataclasses import dataclass, field

from check_results import Failed
from stage import players

PIECE, STEP = 32, 4096
BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


@dataclass
class Sealed:
    """An encrypted file, and the options with which Weir opens it."""

    name: str
    scheme: str
    data: bytes
    # The content of the key's file.
    key: bytes
    # Options beside --decrypt and the key.
    options: list = field(default_factory=list)
    # Whether an option names an environment variable instead of the key's file.
    is_in_environment: bool = False
    # Secrets that must not be readable anywhere.
    secrets: list = field(default_factory=list)

    def words(self, folder, key=None):
        """The options. The key is in a file of the folder, or in a variable; another `key` is always in a file."""
        place = ["--key-env", "WEIR_CHECKS_KEY"]
        if key is not None or not self.is_in_environment:
            file = folder / f"{self.name}.{'key' if key is None else 'other'}"
            file.write_bytes(self.key if key is None else key)
            file.chmod(0o600)
            place = ["--key-file", file]
        return ["--decrypt", self.scheme, *place, *self.options]

    def environment(self, stage):
        return dict(stage.environment, WEIR_CHECKS_KEY=self.key.decode()) if self.is_in_environment else None


def by_openssl(stage, name, mode, bits, path, form="hex", is_prefixed=False, is_in_environment=False):
    """Runs `openssl enc -aes-BITS-MODE`; the vector is an option, or the first bytes of the file."""
    key, vector = os.urandom(bits // 8), os.urandom(16) if mode != "ecb" else b""
    words = ["openssl", "enc", f"-aes-{bits}-{mode}", "-K", key.hex(), "-in", path]
    data = players.run(words + (["-iv", vector.hex()] if vector else []), stage.environment)
    options = ["--iv", "prefix" if is_prefixed else vector.hex()] if vector else []
    forms = {"hex": key.hex().encode() + b"\n", "base64": base64.b64encode(key) + b"\n", "raw": key}
    text = forms[form].rstrip(b"\n") if is_in_environment else forms[form]
    data = vector + data if is_prefixed else data
    return Sealed(name, f"aes-{mode}", data, text, options, is_in_environment, [key])


def by_passphrase(stage, name, path):
    """Runs `openssl enc -pbkdf2` with a passphrase."""
    phrase = "a phrase of " + os.urandom(9).hex()
    file = stage.folder / f"{name}.phrase"
    file.write_text(phrase + "\n")
    words = ["openssl", "enc", "-aes-256-cbc", "-pbkdf2", "-pass", f"file:{file}", "-in", path]
    data = players.run(words, stage.environment)
    return Sealed(name, "aes-cbc", data, file.read_bytes(), ["--kdf", "pbkdf2"], False, [phrase.encode()])


def opened_by_openssl(stage, scheme, key, vector, path):
    """The output of `openssl enc -d` for a file, or None if it fails."""
    words = ["openssl", "enc", "-d", f"-aes-{len(key) * 8}-{scheme.removeprefix('aes-')}", "-K", key.hex()]
    try:
        return players.run([*words, "-iv", vector.hex(), "-in", path], stage.environment)
    except players.PlayerFailed:
        return None


def identity(stage):
    """A new age identity: the file's text, the recipient, the secret line."""
    text = players.run(["age-keygen"], stage.environment).decode()
    lines = text.splitlines()
    recipient = next(line.rpartition(" ")[2] for line in lines if line.startswith("# public key: "))
    return text.encode(), recipient, next(line for line in lines if line.startswith("AGE-SECRET-KEY-1"))


def by_age(stage, name, path):
    text, recipient, secret = identity(stage)
    data = players.run(["age", "-r", recipient, path], stage.environment)
    return Sealed(name, "age", data, text, [], False, [secret.encode(), bech32_bytes(secret)])


def by_age_passphrase(stage, name, path):
    """Runs `age -p`, which asks for the passphrase at a terminal."""
    phrase = "words of " + os.urandom(9).hex()
    target = stage.folder / f"{name}.age"
    at_terminal(["age", "-p", "-o", target, path], [phrase, phrase], stage.environment)
    return Sealed(name, "age", target.read_bytes(), phrase.encode() + b"\n", [], False, [phrase.encode()])


def bech32_bytes(text):
    """The secret bytes of an age identity, without its checksum."""
    bits = 0
    words = [BECH32.index(letter) for letter in text.lower().rpartition("1")[2]][:-6]
    for word in words:
        bits = bits << 5 | word
    return (bits >> (len(words) * 5 % 8)).to_bytes(len(words) * 5 // 8, "big")


def at_terminal(words, answers, environment, limit=60):
    """Runs a program that asks at its terminal; answers each question, which ends in a colon and a space."""
    ours, theirs = pty.openpty()
    try:
        program = subprocess.Popen(
            [str(word) for word in words],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
    finally:
        os.close(theirs)
    said, asked, end = b"", list(answers), time.monotonic() + limit
    try:
        while select.select([ours], [], [], max(0, end - time.monotonic()))[0]:
            try:
                piece = os.read(ours, 4096)
            except OSError:
                # Linux reports an error when the last process has left the terminal.
                break
            if not piece:
                break
            said += piece
            if said.rstrip(b"\x1b[K\r\n ").endswith(b":") and asked:
                said = b""
                os.write(ours, asked.pop(0).encode() + b"\n")
        if program.wait(max(1, end - time.monotonic())) != 0:
            raise Failed(f"{words[0]} ended with {program.returncode}: {said.decode(errors='replace')[-300:]}")
    finally:
        if program.poll() is None:
            program.kill()
            program.wait()
        os.close(ours)


def held(folder):
    """Every byte of every file below a folder."""
    files = [os.path.join(top, name) for top, _, names in os.walk(folder) for name in sorted(names)]
    pieces = []
    for path in files:
        if os.path.isfile(path):
            with open(path, "rb") as file:
                pieces.append(file.read())
    return b"\0".join(pieces)


def pieces(data, lower=0):
    """Unique pieces of the data: 32 bytes at steps of 4 KiB, with more than 20 different values."""
    found = (data[at : at + PIECE] for at in range(lower, len(data) - PIECE, STEP))
    return [piece for piece in found if len(set(piece)) > 20]


def forms(secret):
    """The forms in which a secret may be written."""
    coded = base64.b64encode(secret)
    plain = {secret, secret.hex().encode(), secret.hex().upper().encode(), coded, coded.rstrip(b"=")}
    return plain | {base64.urlsafe_b64encode(secret).rstrip(b"=")}
