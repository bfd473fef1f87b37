# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""A program that plays a URL with GStreamer's playbin; it takes a JSON line with a command and answers with one.

playbin.py URL
playbin.py URL whole    plays with playbin3 to the end, as fast as possible, and prints its counts of frames as JSON

It calls the library directly, so any Python can run it.
"""

import ctypes
import hashlib
import json
import os
import select
import sys
import time

Pointer = ctypes.c_void_p
PAUSED, PLAYING, NULL = 3, 4, 1
STATE_FAILED = 0
TIME = 3
SEEK_FLUSH, SEEK_ACCURATE = 1, 2
# DONE is ASYNC_DONE: a pause or a seek has ended.
END, ERROR, WARNING, BUFFERING, DONE = 1, 2, 4, 32, 1 << 21
SECOND = 1_000_000_000
# Video and audio, no subtitles.
FLAGS = 3
SINK = "fakesink sync=true"
# What playbin3 needs for HLS, and how long a whole play may take, in seconds.
NEEDED = (b"playbin3", b"hlsdemux2", b"tsdemux")
LIMIT = 45


class Error(ctypes.Structure):
    _fields_ = [("domain", ctypes.c_uint32), ("code", ctypes.c_int), ("message", ctypes.c_char_p)]


def library():
    """GStreamer, with the types of the functions that this program calls."""
    gst = ctypes.CDLL("libgstreamer-1.0.so.0")
    out = ctypes.POINTER
    types = {
        "gst_element_factory_find": (Pointer, ctypes.c_char_p),
        "gst_parse_launch": (Pointer, ctypes.c_char_p, Pointer),
        "gst_element_set_state": (ctypes.c_int, Pointer, ctypes.c_int),
        "gst_element_get_state": (ctypes.c_int, Pointer, Pointer, Pointer, ctypes.c_uint64),
        "gst_element_seek_simple": (ctypes.c_int, Pointer, ctypes.c_int, ctypes.c_int, ctypes.c_int64),
        "gst_element_query_position": (ctypes.c_int, Pointer, ctypes.c_int, out(ctypes.c_int64)),
        "gst_element_query_duration": (ctypes.c_int, Pointer, ctypes.c_int, out(ctypes.c_int64)),
        "gst_element_get_bus": (Pointer, Pointer),
        "gst_bus_timed_pop_filtered": (Pointer, Pointer, ctypes.c_uint64, ctypes.c_int),
        "gst_message_parse_error": (None, Pointer, out(out(Error)), out(ctypes.c_char_p)),
        "gst_message_parse_warning": (None, Pointer, out(out(Error)), out(ctypes.c_char_p)),
        "gst_message_parse_buffering": (None, Pointer, out(ctypes.c_int)),
        "gst_mini_object_unref": (None, Pointer),
        "gst_sample_get_buffer": (Pointer, Pointer),
        "gst_buffer_get_size": (ctypes.c_size_t, Pointer),
        "gst_buffer_extract": (ctypes.c_size_t, Pointer, ctypes.c_size_t, Pointer, ctypes.c_size_t),
        "gst_structure_get_uint64": (ctypes.c_int, Pointer, ctypes.c_char_p, out(ctypes.c_uint64)),
    }
    for name, (result, *arguments) in types.items():
        function = getattr(gst, name)
        function.restype, function.argtypes = result, arguments
    gst.gst_init(None, None)
    return gst


class Playbin:
    """A pipeline and its messages."""

    def __init__(self, url, element="playbin", sink=SINK):
        self.gst = library()
        self.get = ctypes.CDLL("libgobject-2.0.so.0").g_object_get
        self.get.argtypes = [Pointer, ctypes.c_char_p, Pointer, Pointer]
        text = f'{element} uri="{url}" flags={FLAGS} video-sink="{sink}" audio-sink="{sink}"'
        self.element = self.gst.gst_parse_launch(text.encode(), None)
        if not self.element:
            raise SystemExit(f"there is no {element}")
        self.bus = self.gst.gst_element_get_bus(self.element)
        self.sink = self.of(self.element, b"video-sink")
        self.error = None
        self.warnings = []
        self.is_wanted = True
        self.buffered = 100
        self.set(PLAYING)

    def of(self, element, name):
        """A property that is an object."""
        value = Pointer()
        self.get(element, name, ctypes.byref(value), None)
        return value

    def set(self, state):
        if self.gst.gst_element_set_state(self.element, state) == STATE_FAILED and not self.error:
            self.error = f"state {state} was refused"

    def play_or_wait(self):
        """Pauses while the buffer is not full, as gst-play and every other application does."""
        self.set(PLAYING if self.is_wanted and self.buffered >= 100 else PAUSED)

    def listen(self):
        """Handles the pipeline's pending messages."""
        for kind in (ERROR, WARNING, BUFFERING):
            while self.pop(kind):
                pass

    def pop(self, kind, seconds=0):
        """Handles one message of a kind, if one arrives in time."""
        message = self.gst.gst_bus_timed_pop_filtered(self.bus, int(seconds * SECOND), kind)
        if message:
            self.take(message, kind)
            self.gst.gst_mini_object_unref(message)
        return bool(message)

    def take(self, message, kind):
        if kind in (DONE, END):
            return
        if kind == BUFFERING:
            percent = ctypes.c_int()
            self.gst.gst_message_parse_buffering(message, ctypes.byref(percent))
            self.buffered = percent.value
            self.play_or_wait()
            return
        said, detail = ctypes.POINTER(Error)(), ctypes.c_char_p()
        parse = self.gst.gst_message_parse_error if kind == ERROR else self.gst.gst_message_parse_warning
        parse(message, ctypes.byref(said), ctypes.byref(detail))
        text = f"{said.contents.message.decode()} ({(detail.value or b'').decode()})"
        if kind == WARNING:
            self.warnings.append(text)
        elif not self.error:
            # Later errors follow from the first.
            self.error = text

    def seconds(self, query):
        value = ctypes.c_int64()
        return value.value / SECOND if query(self.element, TIME, ctypes.byref(value)) else 0.0

    def seek(self, position, limit):
        """Seeks; returns when the picture at the position is shown, or the seek has failed."""
        end = time.monotonic() + limit
        while self.pop(DONE):
            pass
        flags = SEEK_FLUSH | SEEK_ACCURATE
        # A demuxer that still searches for the end of the file refuses a seek.
        while not self.gst.gst_element_seek_simple(self.element, TIME, flags, int(position * SECOND)):
            self.listen()
            if self.error or time.monotonic() > end:
                self.error = self.error or f"the seek to {position} was refused"
                return
            time.sleep(0.05)
        while not self.pop(DONE, 0.05):
            self.listen()
            if self.error or time.monotonic() > end:
                self.error = self.error or f"the seek to {position} was not over after {limit} s"
                return

    def pause(self):
        self.is_wanted = False
        self.play_or_wait()
        # Waits for a picture; if no picture arrives, the next seek fails.
        self.gst.gst_element_get_state(self.element, None, None, 10 * SECOND)

    def resume(self):
        self.is_wanted = True
        self.play_or_wait()

    def picture(self):
        """A digest of the shown picture."""
        sample = self.of(self.sink, b"last-sample")
        if not sample:
            return None
        buffer = self.gst.gst_sample_get_buffer(sample)
        size = self.gst.gst_buffer_get_size(buffer)
        copy = ctypes.create_string_buffer(size)
        self.gst.gst_buffer_extract(buffer, 0, copy, size)
        self.gst.gst_mini_object_unref(sample)
        return hashlib.md5(copy.raw).hexdigest()

    def shown(self, sink=None):
        """How many pictures, or other buffers, a sink has shown."""
        count = ctypes.c_uint64()
        self.gst.gst_structure_get_uint64(self.of(sink or self.sink, b"stats"), b"rendered", ctypes.byref(count))
        return count.value

    def play_whole(self):
        """Plays to the end; returns how many pictures and pieces of sound the sinks received."""
        limit = time.monotonic() + LIMIT
        while not self.pop(END, 0.05):
            self.listen()
            if self.error or time.monotonic() > limit:
                self.error = self.error or f"it did not end within {LIMIT} s"
                break
        sound = self.of(self.element, b"audio-sink")
        return {"pictures": self.shown(), "sounds": self.shown(sound), "error": self.error, "warnings": self.warnings}

    def answer(self, words):
        match words:
            case ["position"]:
                return self.seconds(self.gst.gst_element_query_position)
            case ["duration"]:
                return self.seconds(self.gst.gst_element_query_duration)
            case ["seek", position, limit]:
                return self.seek(position, limit)
            case ["pause"]:
                return self.pause()
            case ["resume"]:
                return self.resume()
            case ["picture"]:
                return self.picture()
            case ["shown"]:
                return self.shown()
            case ["warnings"]:
                return self.warnings
        raise ValueError(words)


def main():
    if sys.argv[2:] == ["whole"]:
        missing = [name.decode() for name in NEEDED if not library().gst_element_factory_find(name)]
        if missing:
            print(json.dumps({"missing": missing[0]}))
            return
        playbin = Playbin(sys.argv[1], "playbin3", "fakesink sync=false")
        print(json.dumps(playbin.play_whole()))
        playbin.set(NULL)
        return
    playbin = Playbin(sys.argv[1])
    line = b""
    while True:
        playbin.listen()
        if not select.select([0], [], [], 0.02)[0]:
            continue
        piece = os.read(0, 65536)
        if not piece:
            break
        line += piece
        while b"\n" in line:
            command, _, line = line.partition(b"\n")
            value = playbin.answer(json.loads(command))
            playbin.listen()
            print(json.dumps({"value": value, "error": playbin.error}), flush=True)
    playbin.set(NULL)


if __name__ == "__main__":
    main()
