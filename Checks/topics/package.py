# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The Debian package in a clean system: its contents work there, and its removal leaves nothing."""

import hashlib
import os
import re
import shutil
import stat
import subprocess
import wave
from pathlib import Path

from check_results import Skipped, equal, expect
from stage import place, waiting, web
from stage.program import Program
from stage.stage import Stage
from targets import made


def run(results):
    if shutil.which("dpkg-deb") is None or os.geteuid() != 0:
        with results.check("a package is made"):
            raise Skipped("this check needs Debian's tools, and root to make a clean system")
        return
    with Stage("package") as stage:
        files = {}
        with results.check("make deb makes a package without faults for lintian") as check:
            files["deb"] = place.ROOT / made("deb")
            found = subprocess.run(["lintian", "--fail-on", "error,warning", files["deb"]], capture_output=True, text=True, timeout=300)
            equal((found.returncode, found.stdout), (0, ""), "lintian's output")
            check.figure = f"{files['deb'].stat().st_size / 1e6:.1f} MB"
        with results.check("the program has less than 60 MB: ICU's data is not in it (Sources/CWeirICUData names its version)") as check:
            content = said("dpkg-deb", "--contents", files["deb"])
            size = int(re.search(r"(\d+) \S+ \S+ \./usr/bin/weir$", content, re.MULTILINE)[1])
            check.figure = f"{size / 1e6:.1f} MB"
            expect(size < 60e6, f"it has {size} bytes")
        with results.check("the systemd units are valid, and restrict the service") as check:
            check.figure = units(stage)
        with results.check("a release tag names the version of the sources and of the changelog, or is refused with the reason"):
            tags()
        with results.check("release join makes one list from the checksums of two processors, and finds a changed file"):
            checksums(stage.new_folder("release"))
        root = stage.new_folder("root")
        with results.check("a clean system is prepared") as check:
            check.figure = clean_system(files["deb"], root)
        before = everything(root)
        with results.check("the package is installed in it"):
            shutil.copy(files["deb"], root / "weir.deb")
            inside(root, "dpkg", "-i", "/weir.deb")
            (root / "weir.deb").unlink()
        sound(root / "song.wav")
        works(results, stage, root)
        with results.check("after its removal only the user's files remain") as check:
            inside(root, "dpkg", "--purge", "weir")
            left = {path for path in everything(root) - before if not path.startswith(("/root/", "/song.wav", "/var/", "/etc/ld.so"))}
            equal(left, set(), "the remaining files")
            own = [path for path in everything(root) if path.startswith("/root/.cache/weir/")]
            expect(own, "the files of the user's cache are gone")
            check.figure = f"{len(own)} files of the user's"


def said(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600, cwd=place.ROOT, **options)
    expect(done.returncode == 0, f"{words[0]} ended with {done.returncode}: {done.stderr.strip()[-400:]!r}")
    return done.stdout


def release(*words):
    done = subprocess.run(["Scripts/release", *map(str, words)], capture_output=True, text=True, timeout=60, cwd=place.ROOT)
    return done.returncode, done.stdout, done.stderr


def tags():
    version = said(place.weir_program(), "--version").strip()
    equal(release("check", f"v{version}"), (0, f"{version}\n", ""), "the result for the right tag")
    for tag, words in {"v99.0.0": f"the version {version} of the sources", version: "must be as in v0.1.0", "": "must be as in v0.1.0"}.items():
        status, _, error = release("check", tag)
        expect(status == 1 and words in error, f"the tag {tag!r} gives {status}, {error!r}")
    status, notes, _ = release("notes", f"v{version}")
    expect(status == 0 and "### " in notes and "\n## [" not in notes, f"the notes are {notes[:200]!r}")


def checksums(folder):
    for processor in ("x86_64", "aarch64"):
        name = f"weir-0.1.0-linux-{processor}.tar.gz"
        (folder / name).write_text(processor)
        (folder / f"SHA256SUMS-{processor}").write_text(f"{hashlib.sha256(processor.encode()).hexdigest()}  {name}\n")
    (folder / "weir-0.1.0-linux-x86_64.tar.gz").write_text("changed")
    expect(release("join", folder)[0] != 0, "a changed file is not found")
    (folder / "weir-0.1.0-linux-x86_64.tar.gz").write_text("x86_64")
    equal(release("join", folder)[0], 0, "the status of joining")
    equal(sorted(path.name for path in folder.glob("SHA256SUMS*")), ["SHA256SUMS"], "the lists")
    equal(len((folder / "SHA256SUMS").read_text().splitlines()), 2, "the files in the list")


def units(stage):
    folder = stage.new_folder("units")
    text = (place.ROOT / "Packaging/weir.service").read_text().replace("@PROGRAM@", str(place.weir_program()))
    # The manual pages are not installed in this system.
    (folder / "weir.service").write_text(re.sub(r"^Documentation=.*$", "", text, flags=re.MULTILINE))
    socket = (place.ROOT / "Packaging/weir.socket").read_text()
    (folder / "weir.socket").write_text(re.sub(r"^Documentation=.*$", "", socket, flags=re.MULTILINE))
    done = subprocess.run(["systemd-analyze", "verify", "--user", folder / "weir.socket", folder / "weir.service"],
                          capture_output=True, text=True, timeout=60, env=dict(os.environ, XDG_RUNTIME_DIR=str(folder)))
    about = [line for line in done.stderr.splitlines() if "weir" in line]
    equal((done.returncode, about), (0, []), "the status and output of systemd-analyze verify")
    done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", folder / "weir.service"],
                          capture_output=True, text=True, timeout=60)
    level = re.search(r"Overall exposure level for weir\.service: ([\d.]+)", done.stdout)
    expect(level, f"systemd-analyze security says {done.stderr.strip()[-300:]!r}")
    expect(float(level[1]) < 3, f"the exposure is {level[1]}")
    return f"exposure {level[1]}"


def clean_system(package, root):
    """A Debian with the package's dependencies and the manual reader; made once, and kept as an archive."""
    depends = said("dpkg-deb", "-f", package, "Depends")
    names = sorted({re.split(r"[ (|]", each.strip())[0] for each in depends.split(",")} | {"man-db", "bash-completion"})
    digest = hashlib.sha256(" ".join(names).encode()).hexdigest()[:12]
    archive = place.BUILD / f"clean-root-{digest}.tar"
    if not archive.exists():
        unfinished = archive.with_suffix(".part.tar")
        said("mmdebstrap", "--variant=minbase", "--quiet", f"--include={','.join(names)}", codename(), unfinished)
        unfinished.rename(archive)
    said("tar", "-xf", archive, "-C", root, "--exclude=./dev/*")
    for name, numbers in (("null", (1, 3)), ("zero", (1, 5)), ("urandom", (1, 9)), ("tty", (5, 0))):
        os.mknod(root / "dev" / name, 0o666 | stat.S_IFCHR, os.makedev(*numbers))
    (root / "dev/fd").symlink_to("/proc/self/fd")
    return f"{archive.stat().st_size / 1e6:.0f} MB"


def codename():
    return re.search(r"^VERSION_CODENAME=(\w+)", Path("/etc/os-release").read_text(), re.MULTILINE)[1]


ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}


def inside(root, *words, status=0):
    """The output of a program in the clean system."""
    done = subprocess.run(within(root, *words), capture_output=True, text=True, timeout=120, env=ENVIRONMENT,
                          stdin=subprocess.DEVNULL)
    expect(done.returncode == status, f"{words} ended with {done.returncode}: {(done.stdout + done.stderr).strip()[-400:]!r}")
    return done.stdout + done.stderr


def within(root, *words):
    """The command that runs a program in the clean system, with the system's own view of its processes."""
    mount = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
    return ["unshare", "--mount", "sh", "-c", mount, str(root), *words]


def everything(root):
    found = set()
    for top, folders, names in os.walk(root):
        for name in [*folders, *names]:
            found.add("/" + os.path.relpath(os.path.join(top, name), root))
    return found


def sound(path):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(bytes(8000))


def works(results, stage, root):
    with results.check("weir --version and weir play work there, without the audio libraries") as check:
        version = inside(root, "weir", "--version").strip()
        text = inside(root, "weir", "play", "/song.wav", "--sink", "null")
        expect("playing" in text and "ended" in text, f"weir play says {text!r}")
        missing = inside(root, "weir", "play", "/song.wav", status=1)
        expect("libasound" in missing or "could not be opened" in missing, f"without a device it says {missing!r}")
        check.figure = version
    with results.check("weir exec works there"):
        text = inside(root, "weir", "exec", "/song.wav", "--", "sh", "-c", 'echo "url=$0"', "{}")
        expect(re.search(r"url=http://127\.0\.0\.1:\d+/", text), f"it says {text!r}")
    with results.check("weir serve works there"):
        program = stage.put(Program(
            within(root, "/usr/bin/weir", "serve", "/song.wav", "--listen", "127.0.0.1:0"), stage.folder, "inside", ENVIRONMENT
        ))
        url = waiting.until(lambda: program.output.strip() or None, 20, "a URL")
        equal(web.fetch(url).body, (root / "song.wav").read_bytes(), "the bytes")
        equal(program.stop(), 0, "the status")
    with results.check("man weir and the pages of all commands can be read") as check:
        text = inside(root, "man", "-P", "cat", "weir")
        expect("plays media while it downloads" in text and "weir-serve(1)" in text, f"it says {text[:300]!r}")
        pages = sorted(path.name for path in (root / "usr/share/man/man1").glob("weir*"))
        for page in pages:
            expect("NAME" in inside(root, "man", "-P", "cat", page.removesuffix(".1.gz")), page)
        check.figure = f"{len(pages)} pages"
    with results.check("bash completes commands, options and files") as check:
        check.figure = ", ".join(
            f"{line} → {completed(root, line)}" for line in ("weir pla", "weir get --read", "weir play /song")
        )


def completed(root, line):
    """bash's proposals for a line; at least one must begin with the line's last word."""
    words = line.split(" ")
    script = (
        "source /usr/share/bash-completion/bash_completion; source /usr/share/bash-completion/completions/weir; "
        f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; COMP_LINE={line!r}; COMP_POINT={len(line)}; "
        f"_weir weir {words[-1]!r} {words[-2]!r}; "
        "printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    found = [each.strip() for each in inside(root, "bash", "-c", script).splitlines()]
    fitting = [each for each in found if each.startswith(words[-1])]
    expect(fitting, f"for {line!r} bash proposes {found}")
    return fitting[0]
