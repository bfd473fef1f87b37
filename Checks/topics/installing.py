# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""make install, make uninstall and make dist: where they put files; uninstall removes exactly these."""

import contextlib
import gzip
import hashlib
import importlib.machinery
import importlib.util
import io
import os
import random
import shutil
import subprocess
import tarfile

from check_results import Skipped, equal, expect
from stage import place
from stage.stage import Stage
from targets import made, make

LIST = "share/weir/installed"
# The files that an installation needs to work; pages, completions and documents are listed beside them.
EXPECTED = ("bin/weir", "share/man/man1/weir.1.gz", "share/man/man1/weir-serve.1.gz", "share/doc/weir/Playing.md",
            "share/bash-completion/completions/weir", "share/zsh/site-functions/_weir",
            "share/fish/vendor_completions.d/weir.fish")
LISTS = 400


def run(results):
    with Stage("installing") as stage:
        bare = without_build(stage)
        home = stage.new_folder("home")
        prefix = home / ".local"
        with results.check("make install PREFIX=HOME/.local, and the program runs from there") as check:
            make("install", f"PREFIX={prefix}")
            files = found(prefix)
            missing = [each for each in EXPECTED if each not in files]
            equal(missing, [], "files that are missing")
            check.figure = f"{len(files)} files, {version(prefix)}"
        with results.check("its units are in a folder of systemd --user, and are valid") as check:
            check.figure = units(stage, home, prefix)
        with results.check("make uninstall removes everything, from a folder without a build"):
            make("uninstall", f"PREFIX={prefix}", folder=bare)
            equal(found(home, folders=True), set(), "the remaining files in the home folder")
        with results.check("a second make uninstall says that Weir is not installed there") as check:
            text = make("uninstall", f"PREFIX={prefix}", folder=bare, status=2)
            expect("There is no list" in text and "Traceback" not in text, f"it says {text!r}")
            check.figure = text.splitlines()[0]
        odd_prefix(results, stage, bare)
        places(results, stage, bare)
        tree = stage.new_folder("tree")
        small_tree(tree / "p")
        older(results, stage, tree)
        staged(results, stage, tree)
        hostile(results, stage, tree)
        missing_programs(results, stage, bare)
        archive(results)


def without_build(stage):
    """The folder of a user who has cloned the repository again: it has no build."""
    bare = stage.new_folder("clone")
    shutil.copytree(place.ROOT / "Scripts", bare / "Scripts", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(place.ROOT / "Makefile", bare)
    return bare


def found(top, folders=False):
    """The files below a folder, as relative paths; with `folders`, the folders too."""
    return {path.relative_to(top).as_posix() for path in top.rglob("*") if folders or not path.is_dir() or path.is_symlink()}


def version(prefix):
    return subprocess.run([prefix / "bin/weir", "--version"], capture_output=True, text=True, check=True).stdout.strip()


def units(stage, home, prefix):
    if shutil.which("systemd-analyze") is None:
        raise Skipped("this machine has no systemd-analyze")
    paths = systemd(stage, home, "unit-paths").stdout.split("\n")
    folder = prefix / "share/systemd/user"
    expect(str(folder) in paths, f"systemd looks in {paths}")
    equal(sorted(path.name for path in folder.iterdir()), ["weir.service", "weir.socket"], "the units there")
    sound(stage, folder, home)
    return str(folder.relative_to(home))


def systemd(stage, home, *words):
    """Runs systemd-analyze for a user who has set no variable."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "XDG_RUNTIME_DIR": str(stage.folder)}
    return subprocess.run(["systemd-analyze", "--user", *words], capture_output=True, text=True, timeout=60, env=environment)


def sound(stage, folder, home):
    done = systemd(stage, home, "verify", "--man=no", folder / "weir.socket", folder / "weir.service")
    about = [line for line in done.stderr.splitlines() if "weir" in line]
    equal((done.returncode, about), (0, []), "the status and messages of systemd-analyze verify")


def odd_prefix(results, stage, bare):
    with results.check("a prefix with spaces and special characters is installed with valid units, and uninstall removes its two new folders") as check:
        top = stage.new_folder("odd")
        prefix = top / "my files" / "100% of a & b|c"
        make("install", f"PREFIX={prefix}//")
        expect(version(prefix), "the program does not run")
        if shutil.which("systemd-analyze"):
            sound(stage, prefix / "share/systemd/user", top)
        make("uninstall", f"PREFIX={prefix}", folder=bare)
        equal(found(top, folders=True), set(), "the remaining files")
        check.figure = prefix.name
    with results.check("a prefix with a quote is installed without units, because systemd could not start them") as check:
        prefix = top / "it's"
        text = make("install", f"PREFIX={prefix}")
        expect("units are left out" in text and not (prefix / "share/systemd").exists(), f"it says {text!r}")
        make("uninstall", f"PREFIX={prefix}", folder=bare)
        equal(found(top, folders=True), set(), "the remaining files")
        check.figure = text.splitlines()[0]
    with results.check("install and uninstall refuse a prefix that is not an absolute path"):
        for target in ("install", "uninstall"):
            for prefix in ("local", "~/.local", "", "/a\nb"):
                text = said_by_dist(target, prefix)
                expect("PREFIX must be a whole path" in text, f"for {prefix!r} {target} says {text!r}")


def said_by_dist(target, prefix):
    done = subprocess.run([place.ROOT / "Scripts/dist", target, prefix], capture_output=True, text=True, timeout=60)
    equal(done.returncode, 2, f"the status of {target} {prefix!r}")
    return done.stderr


def places(results, stage, bare):
    with results.check("below /usr/local the units are in lib, also with DESTDIR"):
        top = stage.new_folder("staged")
        make("install", "PREFIX=/usr/local", f"DESTDIR={top}")
        unit = top / "usr/local/lib/systemd/user/weir.service"
        expect(unit.is_file(), "there is no unit")
        expect('ExecStart="/usr/local/bin/weir" serve' in unit.read_text(), f"the unit runs another program: {unit.read_text()!r}")
        make("uninstall", "PREFIX=/usr/local", f"DESTDIR={top}", folder=bare)
        equal(found(top, folders=True), set(), "the remaining files")


# The checks below need no built program: they check the rules of the list of installed files.


def small_tree(at):
    """A tree as `Scripts/dist` makes it, with a few files in it."""
    for name in ("bin/weir", "share/man/man1/weir.1.gz", "share/man/man1/weir-play.1.gz", "share/doc/weir/Audio.md",
                 "share/doc/weir/fleet/nginx.conf", "share/systemd/user/weir.service"):
        (at / name).parent.mkdir(parents=True, exist_ok=True)
        (at / name).write_bytes(f"{name}, new\n".encode())


def installed():
    """Scripts/installed as a module: the checks call its functions hundreds of times."""
    loader = importlib.machinery.SourceFileLoader("installed", str(place.ROOT / "Scripts/installed"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("installed", loader))
    loader.exec_module(module)
    return module


@contextlib.contextmanager
def destination(path):
    before = os.environ.pop("DESTDIR", None)
    if path:
        os.environ["DESTDIR"] = str(path)
    try:
        yield
    finally:
        os.environ.pop("DESTDIR", None)
        if before is not None:
            os.environ["DESTDIR"] = before


def call(function, *words, destdir=None):
    """The output of a function of Scripts/installed; a refusal is its last line."""
    module = installed()
    said = io.StringIO()
    with destination(destdir), contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        try:
            getattr(module, function)(*map(str, words))
        except module.Refused as reason:
            print(f"refused: {reason}", file=said)
    return said.getvalue()


def moved(tree, prefix):
    """Copies the tree below the prefix's path, as `put` expects it; returns the top folder of the copy."""
    at = tree / "at" / str(prefix).lstrip("/")
    if not at.exists():
        shutil.copytree(tree / "p", at)
    return tree / "at"


def older(results, stage, tree):
    prefix = stage.new_folder("prefix")
    with results.check("an install over an older one removes obsolete files, but no file of the user"):
        (prefix / "bin").mkdir()
        (prefix / "share").mkdir()
        (prefix / "share/mine").mkdir()
        call("put", moved(tree, prefix), prefix)
        before = moved(tree, prefix) / str(prefix)[1:]
        (before / "share/man/man1/weir-play.1.gz").rename(before / "share/man/man1/weir-hear.1.gz")
        (prefix / "share/man/man1/mine.1.gz").write_bytes(b"")
        call("put", moved(tree, prefix), prefix)
        pages = sorted(path.name for path in (prefix / "share/man/man1").iterdir())
        equal(pages, ["mine.1.gz", "weir-hear.1.gz", "weir.1.gz"], "the pages")
    with results.check("make uninstall keeps a changed file, and says so; it keeps empty folders that it did not create"):
        (prefix / "share/systemd/user/weir.service").write_text("[Service]\nNice=5\n")
        text = call("remove", prefix)
        expect("weir.service was changed after it was installed, and stays" in text, f"it says {text!r}")
        equal(found(prefix, folders=True), {
            "bin", "share", "share/mine", "share/man", "share/man/man1", "share/man/man1/mine.1.gz", "share/systemd",
            "share/systemd/user", "share/systemd/user/weir.service",
        }, "the remaining files")
    with results.check("an install over a version without a list removes its old pages, and its units where systemd does not look"):
        prefix = stage.new_folder("prefix")
        for name in ("share/man/man1/weir-old.1.gz", "lib/systemd/user/weir.service", "lib/systemd/user/other.service"):
            (prefix / name).parent.mkdir(parents=True, exist_ok=True)
            (prefix / name).write_bytes(b"# Weir: plays media while it downloads.\n")
        call("put", moved(tree, prefix), prefix)
        left = {each for each in found(prefix) if "old" in each or each.startswith("lib/")}
        equal(left, {"lib/systemd/user/other.service"}, "the remaining units")
        call("remove", prefix)
        equal(found(prefix), {"lib/systemd/user/other.service"}, "the files that uninstall leaves")


def staged(results, stage, tree):
    with results.check("a list from a staged tree removes the installed files, and only folders named after Weir"):
        top, real = stage.new_folder("staged"), stage.new_folder("real")
        prefix = real / "usr"
        call("put", moved(tree, prefix), prefix, destdir=top)
        # A packager copies the staged tree into a system that already has folders such as usr/bin.
        shutil.copytree(top / str(prefix)[1:], prefix)
        call("remove", prefix)
        left = found(real, folders=True)
        equal({each for each in left if "weir" in each}, set(), "the remaining files of Weir")
        expect("usr/bin" in left and "usr/share/man/man1" in left, f"folders of the system were removed: {sorted(left)}")
        call("remove", prefix, destdir=top)
        equal(found(top, folders=True), set(), "the remaining files of the staged tree")


def hostile(results, stage, tree):
    with results.check(f"no line of a damaged or hostile list removes other files: {LISTS} lists") as check:
        seed = int(os.environ.get("WEIR_SEED") or random.randrange(1 << 32))
        print(f"installing: seed {seed}")
        generator = random.Random(seed)
        top = stage.new_folder("hostile")
        refused = 0
        for number in range(LISTS):
            refused += one_list(generator, top / str(number), tree, seed, number)
        expect(0 < refused < LISTS, f"{refused} of {LISTS} lists were refused")
        check.figure = f"{refused} refused, seed {seed}"
    with results.check("root does not follow a list or folder of another user") as check:
        if os.geteuid() != 0:
            raise Skipped("this check needs root")
        prefix, victim = stage.new_folder("prefix"), stage.new_folder("victim")
        call("put", moved(tree, prefix), prefix)
        (victim / "Audio.md").write_bytes((prefix / "share/doc/weir/Audio.md").read_bytes())
        shutil.rmtree(prefix / "share/doc/weir")
        (prefix / "share/doc/weir").symlink_to(victim)
        os.chown(prefix / "share/doc/weir", 65534, 65534, follow_symlinks=False)
        text = call("remove", prefix)
        expect("another user" in text and (victim / "Audio.md").exists(), f"it followed the link: {text!r}")
        os.chown(prefix / LIST, 65534, 65534)
        text = call("remove", prefix)
        expect("belongs to another user" in text and (prefix / "bin/weir").exists(), f"it used the list: {text!r}")
        check.figure = text.strip()


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def one_list(generator, top, tree, seed, number):
    """Spoils the list of one installation; returns whether the removal refused. Everything else must be as before."""
    prefix = top / "prefix"
    (prefix / "share/doc").mkdir(parents=True)
    (prefix / "mine").mkdir()
    (prefix / "bin").mkdir()
    (prefix / "bin/other").write_bytes(b"another program")
    (top / "outside").write_bytes(b"a file outside")
    (top / "empty").mkdir()
    call("put", moved(tree, prefix), prefix)
    ours = {path: digest(prefix / path) for path in found(prefix) if path not in (LIST, "bin/other")}
    theirs = [("../outside", top / "outside"), ("bin/other", prefix / "bin/other"),
              (str(top / "outside"), top / "outside"), ("share/../../outside", top / "outside")]
    lines = (prefix / LIST).read_text().split("\n")
    for _ in range(generator.randrange(1, 4)):
        at = generator.randrange(len(lines))
        kind = generator.randrange(7)
        if kind == 0:
            path, victim = generator.choice(theirs)
            lines.insert(at, f"file {digest(victim)} {path}")
        elif kind == 1:
            lines.insert(at, f"folder {generator.choice(['mine', '../empty', str(top / 'empty'), '.', '..', 'bin/'])}")
        elif kind == 2:
            lines.insert(at, f"above {generator.choice(['1', '2', '99', '-1', '0', '9' * 30])}")
        elif kind == 3:
            del lines[at:]
        elif kind == 4 and lines[at]:
            place_in = generator.randrange(len(lines[at]))
            character = chr(generator.choice([0, 10, 32, 46, 47, 255, generator.randrange(33, 127)]))
            lines[at] = lines[at][:place_in] + character + lines[at][place_in + 1:]
        elif kind == 5:
            lines.insert(at, lines[generator.randrange(len(lines))])
        else:
            # The line is well formed, but its file has changed since, or is now a link.
            name = generator.choice(sorted(ours))
            (prefix / name).unlink(missing_ok=True)
            if generator.randrange(2):
                (prefix / name).symlink_to(top / "outside")
            else:
                (prefix / name).write_bytes(b"changed")
        lines = lines or [""]
    # If a list's line count is right, `remove` reads it to its end and judges each line by the file that it names.
    if generator.randrange(2):
        lines = [line for line in lines if line and not line.startswith("end ")]
        lines += [f"end {len(lines)}", ""]
    (prefix / LIST).write_text("\n".join(lines), encoding="utf-8", newline="")
    before = found(prefix)
    text = call("remove", prefix)
    told = f"(seed {seed}, list {number}, it says {text.strip()[-200:]!r})"
    expect((top / "outside").read_bytes() == b"a file outside", f"a file outside was removed {told}")
    expect((top / "empty").is_dir() and (prefix / "mine").is_dir(), f"a folder of the user's was removed {told}")
    expect((prefix / "bin/other").read_bytes() == b"another program", f"another program was removed {told}")
    gone = before - found(prefix) - {LIST}
    expect(gone <= set(ours), f"these were removed, too: {sorted(gone - set(ours))} {told}")
    was_refused = "refused: " in text
    if was_refused:
        equal(gone, set(), f"the files removed despite the refusal {told}")
        # Another installation writes a new list.
        call("put", moved(tree, prefix), prefix)
        expect("refused: " not in call("remove", prefix), f"it is refused even after another install {told}")
    return was_refused


def missing_programs(results, stage, bare):
    with results.check("make install first looks for the programs that it needs, and names missing ones") as check:
        # This machine has only a few programs: it has no strip, and no program that could install strip.
        folder = stage.new_folder("programs")
        for name in ("bash", "sh", "uname", "dirname", "sed", "python3", "head", "cat", "sort", "id", "env"):
            if path := shutil.which(name):
                (folder / name).symlink_to(path)
        done = subprocess.run([bare / "Scripts/set-up", "install"], capture_output=True, text=True, timeout=60,
                              env={"PATH": str(folder), "HOME": str(folder)})
        equal(done.returncode, 1, f"the status, with {done.stderr!r},")
        expect("binutils" in done.stderr and "apt-get" in done.stderr, f"it says {done.stderr!r}")
        done = subprocess.run([place.ROOT / "Scripts/dist", "install", str(folder / "p")], capture_output=True, text=True, timeout=60,
                              env={"PATH": str(folder), "HOME": str(folder), "WEIR_PROGRAM": str(place.weir_program())})
        equal(done.returncode, 1, f"the status of Scripts/dist, with {done.stderr!r},")
        expect("There is no program strip" in done.stderr and not (folder / "p").exists(), f"it says {done.stderr!r}")
        check.figure = done.stderr.strip()


def archive(results):
    with results.check("make dist makes an archive with the program, its pages and the licence") as check:
        path = place.ROOT / made("dist")
        with tarfile.open(path) as file:
            names = {name.partition("/")[2] for name in file.getnames()}
            missing = {*EXPECTED, "share/doc/weir/LICENSE"} - names
            equal(missing, set(), "files that are missing")
            page = file.extractfile(next(each for each in file if each.name.endswith("/weir.1.gz"))).read()
        expect(b"plays media while it downloads" in gzip.decompress(page), "the page differs")
        check.figure = f"{path.name}, {path.stat().st_size / 1e6:.1f} MB"
