# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""AAC encoders of Debian's contrib and non-free: downloaded and unpacked beside the sounds, never installed."""

import os
import subprocess
from pathlib import Path

from . import once, sounds

KEY = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
PACKAGES = ("fdkaac", "libfdk-aac2", "faac", "libfaac0")


class Missing(Exception):
    """The encoders are not available; the message has the reason."""


def folder():
    """The folder of the unpacked encoders; downloads them if it is missing."""
    return once.made(sounds.FOLDER / "encoders", fetch)


def words(*command):
    """The command that runs an encoder."""
    top = folder()
    (libraries,) = {path.parent for path in top.rglob("libfdk-aac.so.2")}
    return ["env", f"LD_LIBRARY_PATH={libraries}", top / "usr" / "bin" / command[0], *command[1:]]


def fetch(new):
    """Downloads the encoders from the archive that this machine uses, with separate lists of packages."""
    new.mkdir(exist_ok=True)
    (new / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    (new / "sources.list").write_text(archive())
    apt = ["apt-get", "-o", f"Dir::Etc::SourceList={new}/sources.list", "-o", "Dir::Etc::SourceParts=/dev/null"]
    apt += ["-o", f"Dir::State::Lists={new}/lists", "-o", "Dir::Cache::pkgcache=", "-o", "Dir::Cache::srcpkgcache="]
    for step in (["update"], ["download", *PACKAGES]):
        done = subprocess.run([*apt, *step], cwd=new, capture_output=True)
        if done.returncode != 0:
            raise Missing(f"apt-get {step[0]} failed: {done.stderr.decode()[-200:].strip()}")
    for package in new.glob("*.deb"):
        sounds.run(["dpkg", "-x", package, new])
        package.unlink()


def archive():
    """The line for apt that names contrib and non-free of this machine's archive."""
    words = ["apt-get", "indextargets", "--format", "$(REPO_URI)|$(SUITE)|$(CODENAME)|$(COMPONENT)"]
    try:
        listed = subprocess.run([*words, "Created-By: Packages"], capture_output=True, text=True).stdout
    except FileNotFoundError as failure:
        raise Missing("there is no apt-get") from failure
    for line in listed.splitlines():
        address, _, name, component = line.split("|")
        if component == "main" and os.path.basename(address.rstrip("/")) == "debian" and "-" not in name:
            signed = f" [signed-by={KEY}]" if KEY.exists() else ""
            return f"deb{signed} {address} {name} contrib non-free\n"
    raise Missing("this machine's packages are not Debian's")
