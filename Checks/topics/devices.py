# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""`weir play` through real sound servers: the recording of a null sink's monitor is compared with the samples."""

import signal
import time
from array import array

import samples
from check_results import Failed, equal, expect
from listening import Play
from servers.sound import RATE, PipeWire, PulseAudio
from stage import place, waiting
from stage.stage import Stage
from terminal import Terminal

# How many frames identify a place in the sound.
SIGHT = 300


def run(results):
    for kind in (PulseAudio, PipeWire):
        with Stage("devices") as stage:
            server = None
            with results.check(f"{kind.name} runs without a device, and its null sink is recorded") as check:
                server = kind(stage)
                recorder = server.record()
                recorder.until_running()
                recorder.stop()
                check.figure = f"{server.runtime.name}"
            if server is None:
                continue
            for _ in range(5 if results.is_long else 1):
                endings(results, stage, server)
                rates(results, stage, server)
                seeking(results, stage, server)
                pausing(results, stage, server)
                volume(results, stage, server)
            restarting(results, stage, server)
            leaving(results, stage, server)
            hanging(results, stage, server)


def source(seconds, rate=RATE):
    path = samples.programme(seconds, rate)
    return path, array("h", samples.read_wave(path).data)


def play(stage, server, *words):
    return Play(stage, *words, sink="alsa", environment=server.environment)


def find(heard, whole, at, start=0):
    """The frame of the recording at which a frame of the source is found; -1 if it is not."""
    sight = whole[2 * at : 2 * (at + SIGHT)]
    for frame in range(start, len(heard) // 2 - SIGHT):
        if abs(heard[2 * frame] - sight[0]) <= 1 and all(
            abs(heard[2 * frame + index] - value) <= 1 for index, value in enumerate(sight)
        ):
            return frame
    return -1


def same(heard, whole, frame, at):
    """How many frames from these places on are equal, within one step of 16 bits."""
    count = min(len(heard) // 2 - frame, len(whole) // 2 - at)
    ours, theirs = heard[2 * frame : 2 * (frame + count)], whole[2 * at : 2 * (at + count)]
    if ours == theirs:
        return count
    for index, (left, right) in enumerate(zip(ours, theirs)):
        if abs(left - right) > 1:
            return index // 2
    return count


def expect_whole(heard, whole, server, at=0, start=0):
    """Expects the source from a frame to its end in one piece; returns the frame behind that end."""
    at += server.head
    frame = find(heard, whole, at, start)
    expect(frame >= 0, f"the recording ({len(heard) // 2} frames) has nothing of the source")
    count = same(heard, whole, frame, at)
    equal(count, len(whole) // 2 - at, "the number of frames without a gap or a repetition")
    return frame + count


def sounding(heard):
    """The first and the last frame that are not silent."""
    there = [index for index, value in enumerate(heard) if abs(value) > 2]
    expect(there, "no sound was recorded")
    return there[0] // 2, there[-1] // 2


def tried(attempt):
    """Makes an attempt up to three times, and returns the result of the first success.

    On a busy machine, recorders and servers without real-time priority sometimes miss a piece. A fault of Weir occurs
    in each attempt."""
    for _ in range(2):
        try:
            return attempt()
        except (Failed, waiting.TookTooLong):
            time.sleep(0.5)
    return attempt()


def endings(results, stage, server):
    with results.check(f"{server.name}: short files play to the last sample, and the end is reported") as check:
        path, whole = source(1)

        def attempt():
            recorder = server.record()
            recorder.until_running()
            played = play(stage, server, path)
            status = played.wait(10)
            # The recording's length is the clock: this is the frame at which Weir's process ended.
            ended = recorder.size() // 4
            heard = recorder.stop()
            equal(status, 0, f"the exit status, with {played.explain()},")
            late = (ended - expect_whole(heard, whole, server)) / RATE
            expect(late < 2, f"the end came {late:.1f} s after the last sample")
            return late

        late = [tried(attempt) for _ in range(3)]
        check.figure = f"{len(whole) // 2} frames equal in 3 of 3, ended {max(late):.1f} s behind the sound at most"


def rates(results, stage, server):
    with results.check(f"{server.name}: a file of 44.1 kHz, one of 48 kHz and the first again all play") as check:

        def attempt():
            (first, whole), (second, _) = source(1), source(1, 48000)
            recorder = server.record()
            recorder.until_running()
            played = play(stage, server, first, second, first)
            equal(played.wait(15), 0, f"the exit status, with {played.explain()},")
            heard = recorder.stop()
            end = expect_whole(heard, whole, server)
            again = expect_whole(heard, whole, server, start=end) - len(whole) // 2
            begin, last = sounding(heard[2 * end : 2 * again])
            length = (last - begin) / RATE
            expect(abs(length - 1) < 0.02 + server.head / RATE, f"{length:.3f} s of the second file were recorded")
            gaps = (begin / RATE, (again - end - last) / RATE)
            expect(max(gaps) < 0.5, f"the changes of rate are gaps of {gaps[0]:.2f} and {gaps[1]:.2f} s")
            return f"gaps of {gaps[0] * 1000:.0f} and {gaps[1] * 1000:.0f} ms"

        check.figure = tried(attempt)


def seeking(results, stage, server):
    with results.check(f"{server.name}: playback from the middle starts at that sample") as check:

        def attempt():
            path, whole = source(3)
            recorder = server.record()
            recorder.until_running()
            played = play(stage, server, path, "--start", "2")
            equal(played.wait(10), 0, f"the exit status, with {played.explain()},")
            expect_whole(recorder.stop(), whole, server, at=2 * RATE)
            return f"{RATE} frames"

        check.figure = tried(attempt)


def pausing(results, stage, server):
    with results.check(f"{server.name}: a pause loses and repeats no sample") as check:

        def attempt():
            path, whole = source(3)
            recorder = server.record()
            recorder.until_running()
            terminal = Terminal(stage, environment=server.environment)
            cache = stage.new_folder("cache")
            terminal.type(f"{place.weir_program()} play {path} --sink alsa --cache {cache}; echo over-$?")
            time.sleep(1.8)
            terminal.keys("Space")
            time.sleep(1)
            terminal.keys("Space")
            terminal.wait_for("\nover-0", 10)
            heard = recorder.stop()
            frame = find(heard, whole, server.head)
            expect(frame >= 0, "no sound was recorded")
            before = server.head + same(heard, whole, frame, server.head)
            expect(before < len(whole) // 2, "there was no pause")
            pause = frame + before - server.head
            again = expect_whole(heard, whole, server, before, pause) - (len(whole) // 2 - before)
            silence = (again - pause) / RATE
            expect(0.7 < silence < 2, f"the pause is {silence:.2f} s long")
            return f"at frame {before}, for {silence:.2f} s"

        check.figure = tried(attempt)


def loudness(heard, whole, shift, first, count):
    """The factor between the recording and a part of the source; the part is `shift` frames later in the recording."""
    theirs = whole[2 * first : 2 * (first + count)]
    ours = heard[2 * (first + shift) : 2 * (first + shift + count)]
    return sum(a * b for a, b in zip(ours, theirs)) / sum(b * b for b in theirs)


def volume(results, stage, server):
    with results.check(f"{server.name}: a volume change takes effect soon, and no frame is lost or repeated") as check:
        step = RATE // 100

        def attempt():
            path, whole = source(3)
            recorder = server.record()
            recorder.until_running()
            terminal = Terminal(stage, environment=server.environment)
            cache = stage.new_folder("cache")
            terminal.type(f"{place.weir_program()} play {path} --sink alsa --cache {cache}; echo over-$?")
            time.sleep(1.8)
            terminal.keys("Down", "Down", "Down", "Down")
            # The keys take time to reach Weir, and the screen takes time to show the volume. From this point on, only
            # Weir and the sink cause a delay.
            terminal.wait_for("volume 80 %", 5)
            # The recording's length is the clock.
            shown = recorder.size() // 4
            terminal.wait_for("\nover-0", 10)
            heard = recorder.stop()
            begin = find(heard, whole, server.head)
            expect(begin >= 0, "no sound was recorded")
            shift = begin - server.head
            parts = [
                loudness(heard, whole, shift, first, step)
                for first in range(server.head, len(whole) // 2 - step, step)
            ]
            changed = next((index for index, factor in enumerate(parts) if factor < 0.98), None)
            expect(changed is not None, "the volume did not change")
            expect(abs(parts[-1] - 0.8) < 0.01, f"at the end the factor is {parts[-1]:.3f}")
            expect(all(b < a + 0.01 for a, b in zip(parts, parts[1:])), "the volume did not only fall")
            # After the change, each sample equals the source's sample at that place, at the new volume.
            start = len(whole) // 2 - RATE // 4
            tail = heard[2 * (start + shift) : 2 * (len(whole) // 2 + shift)]
            worst = max(abs(ours - 0.8 * theirs) for ours, theirs in zip(tail, whole[2 * start :]))
            expect(worst <= 2, f"behind the change a sample is {worst:.0f} off")
            late = (server.head + changed * step + shift - shown) / RATE
            expect(late < server.volume, f"it was heard {late * 1000:.0f} ms after the screen showed it")
            return f"{late * 1000:.0f} ms after the screen showed it"

        check.figure = tried(attempt)


def restarting(results, stage, server):
    with results.check(f"{server.name}: after the server is away for a second, the sound continues at the same position") as check:
        path, whole = source(5)

        def attempt():
            played = play(stage, server, path)
            played.until_playing()
            time.sleep(1)
            try:
                server.stop()
                time.sleep(1)
                is_alive = played.program.is_alive()
            finally:
                # The next attempt needs the server, too.
                server.start()
            expect(is_alive, f"weir ended with the server: {played.explain()}")
            recorder = server.record()
            recorder.until_running()
            equal(played.wait(15), 0, f"the exit status, with {played.explain()},")
            heard = recorder.stop()
            # A recorder that started late may have missed some frames.
            begin, _ = sounding(heard)
            at = find(whole, heard, begin + RATE // 20)
            expect(at >= 0, "the sound afterwards is not the file's")
            expect(at / RATE < 2.6, f"the sound continued at {at / RATE:.2f} s")
            rest = same(heard, whole, begin + RATE // 20, at)
            expect(rest >= len(whole) // 2 - at, "the rest was not recorded in one piece")
            return f"from {at / RATE:.2f} s on"

        check.figure = tried(attempt)


def leaving(results, stage, server):
    with results.check(f"{server.name}: while the server is away, play reports it and can be stopped") as check:
        path, _ = source(8)
        played = play(stage, server, path)
        played.until_playing()
        time.sleep(0.7)

        def is_told():
            words = [event.get("message") for event in played.of("state") if event.get("reason") == "temporary"]
            return any(word and "waits for its device" in word for word in words)

        try:
            server.stop()
            played.until(lambda: "waitingForQueueToStart/temporary" in played.states, 10, "the message about it")
            # The message follows a moment later, when Weir's first attempt to open the device has failed.
            played.until(is_told, 10, "the message of it")
            began = time.monotonic()
            played.stop()
            check.figure = f"stopped within {time.monotonic() - began:.2f} s"
        finally:
            # The next check needs the server, too.
            server.start()


def hanging(results, stage, server):
    with results.check(f"{server.name}: play reports a hanging server, waits for it, and can be stopped") as check:
        path, whole = source(8)
        lasted = []

        def waits_for_device(event):
            return "waits for its device" in (event.get("message") or "")

        def is_away(played):
            return any(waits_for_device(event) for event in played.of("state"))

        for stops in (True, False):
            recorder = server.record()
            recorder.until_running()
            played = play(stage, server, path)
            played.until_playing()
            time.sleep(1)
            for program in server.programs:
                program.send(signal.SIGSTOP)
            try:
                played.until(lambda: is_away(played), 12, "the message about it")
                if stops:
                    began = time.monotonic()
                    played.stop(seconds=5)
                    lasted.append(time.monotonic() - began)
            finally:
                for program in server.programs:
                    program.send(signal.SIGCONT)
            if not stops:
                equal(played.wait(20), 0, f"the exit status, with {played.explain()},")
                states = played.of("state")
                playing = [index for index, event in enumerate(states) if event["state"] == "playing"]
                waits = [index for index, event in enumerate(states) if waits_for_device(event)]
                is_between = any(playing[0] < index < playing[-1] for index in waits)
                expect(is_between, f"the states are {played.states}")
                heard = recorder.stop()
                end = whole[-2 * RATE :]
                expect(find(heard, end, 0) >= 0, "the last second was not recorded")
            else:
                recorder.stop()
        check.figure = f"stopped within {lasted[0]:.2f} s"
