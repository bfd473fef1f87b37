# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Scripts/suites runs every test once, in several processes, and reports failures; checked with a small program."""

import re
import subprocess

from check_results import equal, expect
from stage import place
from stage.stage import Stage

# The output of a Swift test program, as far as Scripts/suites reads it. A test named "fails" fails, "traps" ends the
# process, and the last test of a target with "forgets" does not run.
PROGRAM = r"""#!/usr/bin/env python3
import os, re, sys
TESTS = %r
if "--list-tests" in sys.argv:
    print(*TESTS, sep="\n")
    sys.exit(0)
wanted = re.compile(sys.argv[sys.argv.index("--filter") + 1])
chosen = [test for test in TESTS if wanted.search(test)]
if any("forgets" in test for test in chosen):
    chosen.pop()
failed = 0
for test in chosen:
    name = test.partition("/")[2]
    with open(sys.argv[0] + ".ran", "a") as file:
        print(test, file=file)
    if "traps" in name:
        print(f"◇ Test {name} started.", file=sys.stderr, flush=True)
        os.abort()
    if "fails" in name:
        failed += 1
        print(f"✘ Test {name} recorded an issue at A.swift:1:1: Expectation failed", file=sys.stderr)
        print(f"✘ Test case passing 1 argument to {name} failed after 0.001 seconds with 1 issue.", file=sys.stderr)
    print(f"{'✘' if 'fails' in name else '✔'} Test {name} {'failed' if 'fails' in name else 'passed'} after 0.001 seconds.", file=sys.stderr)
print(f"{'✘' if failed else '✔'} Test run with {len(chosen)} tests in 1 suite {'failed' if failed else 'passed'} after 0.1 seconds.", file=sys.stderr)
sys.exit(1 if failed else 0)
"""
GOOD = ["OneTests.A/one()", "OneTests.A/two()", "OneTestsToo.B/one()", "TwoTests.C/caseless()", "TwoTests.C/run with()"]


def run(results):
    with Stage("testing") as stage:
        with results.check("each test runs once, whatever the number of processes") as check:
            for jobs in (1, 2, 7):
                status, text, ran = suites(stage, GOOD, jobs)
                equal((status, sorted(ran)), (0, sorted(GOOD)), "the status, and the tests that ran")
                equal(text.strip().splitlines()[-1], "5 passed, 0 failed", "the last line")
            check.figure = f"{len(GOOD)} tests"
        with results.check("a test that fails is counted and named at the end, and the others run"):
            tests = [*GOOD, "TwoTests.C/fails()"]
            status, text, ran = suites(stage, tests, 2)
            equal((status, len(ran)), (1, len(tests)), "the status and the number of run tests")
            expect(re.search(r"^5 passed, 1 failed$", text, re.MULTILINE), f"it says {text[-500:]!r}")
            end = text.rpartition("What failed:")[2]
            expect("fails() recorded an issue at A.swift" in end and "Test run with 3 tests" in end, f"it ends in {end!r}")
        with results.check("a crashed process is named with its last line") as check:
            status, text, ran = suites(stage, [*GOOD, "OneTests.A/traps()", "OneTests.A/then()"], 2)
            equal(status, 1, "the status")
            end = text.rpartition("What failed:")[2]
            expect("OneTests: error: it ended with signal 6" in end and "traps() started" in end, f"it ends in {end!r}")
            expect(re.search(r"^3 passed, 0 failed, 4 did not run$", text, re.MULTILINE), f"it says {text[-500:]!r}")
            check.figure = end.strip().splitlines()[0]
        with results.check("a test that did not run is reported"):
            status, text, ran = suites(stage, [*GOOD, "TwoTests.C/forgets()"], 2)
            equal(status, 1, "the status")
            expect("TwoTests: error: it has 3 tests and ran 2" in text.rpartition("What failed:")[2], f"it says {text[-500:]!r}")


def suites(stage, tests, jobs):
    """The status of a run, its output, and the tests that ran."""
    program = stage.new_folder("program") / "tests"
    program.write_text(PROGRAM % (tests,))
    program.chmod(0o755)
    environment = dict(stage.environment, WEIR_JOBS=str(jobs))
    words = [place.ROOT / "Scripts/report", place.ROOT / "Scripts/suites", program]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, env=environment)
    return done.returncode, done.stdout + done.stderr, (program.parent / "tests.ran").read_text().splitlines()
