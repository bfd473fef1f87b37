# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Sound in every container that ffmpeg can write, and in some that it cannot: short files with the expected results."""

import struct
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor

from . import encoders, once, sounds

# A file; its own extension; the media types that a player may receive, as a set (empty: its bytes do not tell); the
# codec's name in `weir inspect`, or None if Weir does not play it; the name that a refusal must have; and the number
# of frames of its source, if known.
Foreign = namedtuple("Foreign", "path ending types codec says frames")

FOLDER = sounds.FOLDER / "foreign-1"

MP3, AAC, OGG, FLAC, WAV = {"audio/mpeg"}, {"audio/aac"}, {"audio/ogg"}, {"audio/flac"}, {"audio/wav"}
MP4 = {"audio/mp4", "video/mp4", "video/3gpp", "audio/3gpp", "video/3gpp2"}
MOV = {"video/quicktime", "video/mp4", "audio/mp4"}
MATROSKA, WEBM = {"video/x-matroska", "audio/x-matroska"}, {"video/webm", "audio/webm"}
AIFF, CAF, AU = {"audio/aiff"}, {"audio/x-caf"}, {"audio/basic"}
TRANSPORT, PROGRAM, ASF = {"video/mp2t"}, {"video/mpeg"}, {"video/x-ms-asf", "audio/x-ms-wma", "video/x-ms-wmv"}

# A small moving picture, for film containers.
PICTURE = ["-f", "lavfi", "-i", "testsrc=size=64x48:rate=25:duration=1"]


def rows():
    """Name, source (kind, rate, channels, bits), ffmpeg's options, types, codec, and the name in a refusal."""

    def row(name, words="", types=(), codec=None, says=None, rate=44100, channels=2, bits=16, kind="loud"):
        return name, (kind, rate, channels, bits), words.split(), set(types), codec, says

    # Files that Weir plays.
    yield row("lame.mp3", "-c:a libmp3lame", MP3, "mp3")
    yield row("shine.mp3", "-c:a libshine", MP3, "mp3")
    yield row("bare.mp3", "-c:a libmp3lame -write_xing 0 -id3v2_version 0", MP3, "mp3")
    for rate in (8000, 12000, 16000, 24000, 48000):
        yield row(f"lame-{rate}.mp3", "-c:a libmp3lame", MP3, "mp3", rate=rate, channels=1)
    yield row("two.mp2", "-c:a mp2", MP3, "mp2")
    yield row("twolame.mp2", "-c:a libtwolame -b:a 96k", MP3, "mp2", rate=24000, channels=1)
    yield row("lavc.aac", "-c:a aac", AAC, "aac")
    for rate, channels in ((8000, 1), (22050, 2), (32000, 3), (48000, 4), (48000, 5), (48000, 6), (48000, 8), (96000, 2)):
        yield row(f"lavc-{rate}-{channels}.aac", "-c:a aac", AAC, "aac", rate=rate, channels=channels)
        yield row(f"aac-{rate}-{channels}.m4a", "-c:a aac", MP4, "aac", rate=rate, channels=channels)
    yield row("vorbis.ogg", "-c:a libvorbis", OGG, "vorbis")
    for channels in (1, 3, 5, 6, 7, 8):
        yield row(f"vorbis-{channels}.ogg", "-c:a libvorbis", OGG, "vorbis", rate=48000, channels=channels)
    yield row("opus.opus", "-c:a libopus", OGG, "opus", rate=48000)
    for channels in (1, 6, 8):
        words = "-c:a libopus" + (" -mapping_family 1" if channels > 2 else "")
        yield row(f"opus-{channels}.ogg", words, OGG, "opus", rate=48000, channels=channels)
    yield row("flac.oga", "-c:a flac", OGG, "flac")
    yield row("speex.spx", "-c:a libspeex", OGG, None, "Speex", rate=16000, channels=1)
    yield row("lavc.flac", "-c:a flac", FLAC, "flac")
    for rate, channels, bits in ((8000, 1, 16), (11025, 3, 16), (48000, 6, 24), (48000, 8, 16), (192000, 2, 24)):
        yield row(f"lavc-{rate}-{channels}-{bits}.flac", "-c:a flac", FLAC, "flac", None, rate, channels, bits)
    pcm = ("pcm_u8", "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32le", "pcm_f64le", "pcm_alaw", "pcm_mulaw")
    for kind in pcm:
        yield row(f"{kind}.wav", f"-c:a {kind}", WAV, kind.replace("u8", "u8"), bits=24 if "24" in kind else 16)
    for rate, channels in ((8000, 1), (44100, 3), (48000, 4), (48000, 5), (48000, 6), (48000, 8), (192000, 2)):
        yield row(f"pcm-{rate}-{channels}.wav", "-c:a pcm_s16le", WAV, "pcm_s16le", rate=rate, channels=channels)
    yield row("rf64.wav", "-c:a pcm_s16le -rf64 always", WAV, "pcm_s16le")
    for codec, word in (("aac", "aac"), ("alac", "alac"), ("flac", "flac"), ("libopus", "opus"), ("libmp3lame", "mp3")):
        yield row(f"{word}.mp4", f"-c:a {codec} -strict -2", MP4, word, rate=48000)
    # MP4 says that it is MPEG audio, but not of which layer.
    yield row("mp2.mp4", "-c:a mp2 -strict -2", MP4, "mp3")
    yield row("alac.m4a", "-c:a alac", MP4, "alac")
    yield row("fast.m4a", "-c:a aac -movflags +faststart", MP4, "aac")
    yield row("fragments.m4a", "-c:a aac -movflags frag_keyframe+empty_moov -frag_duration 300000", MP4, "aac")
    yield row("dash.mp4", "-c:a aac -movflags dash+frag_keyframe+delay_moov -frag_duration 300000", MP4, "aac")
    yield row("phone.3gp", "-c:a aac", MP4, "aac", rate=16000, channels=1)
    yield row("phone.3g2", "-c:a aac", MP4, "aac")
    yield row("flash.f4v", "-c:a aac", MP4, "aac")
    yield row("smooth.ismv", "-c:a aac -f ismv", MP4, "aac")
    yield row("film.psp", "-c:v mpeg4 -c:a aac -f psp", MP4, "aac", rate=48000)
    yield row("aac.mov", "-c:a aac", MOV, "aac")
    yield row("alac.mov", "-c:a alac", MOV, "alac")
    yield row("mp3.mov", "-c:a libmp3lame", MOV, "mp3")
    for kind in ("s8", "u8", "s16le", "s16be", "s24le", "s24be", "s32le", "s32be", "f32le", "f32be", "f64le", "alaw", "mulaw"):
        yield row(f"pcm-{kind}.mov", f"-c:a pcm_{kind}", MOV, f"pcm_{kind}")
    yield row("film.mp4", "-c:v mpeg4 -c:a aac", MP4, "aac")
    yield row("film.mov", "-c:v mjpeg -c:a pcm_s16le", MOV, "pcm_s16le")
    # Containers that Weir can parse, with sound that it does not play.
    for codec, says in (("ac3", "AC-3"), ("eac3", "E-AC-3"), ("dca", "DTS"), ("libvorbis", "Vorbis")):
        yield row(f"{codec}.mp4", f"-c:a {codec} -strict -2", MP4, None, says, rate=48000)
    for codec, says in (("adpcm_ima_qt", "ADPCM"), ("adpcm_ms", "ADPCM"), ("libgsm", "GSM")):
        one = dict(rate=8000, channels=1) if "gsm" in codec else {}
        yield row(f"{codec}.mov", f"-c:a {codec}", MOV, None, says, **one)
    waves = {
        "adpcm_ms": "ADPCM", "adpcm_ima_wav": "ADPCM", "adpcm_yamaha": "ADPCM", "libmp3lame": "MP3", "mp2": "MP2",
        "aac": "AAC", "ac3": "AC-3", "dca": "DTS", "wmav2": "Windows Media", "flac": "FLAC",
    }
    for codec, says in waves.items():
        yield row(f"{codec}.wav", f"-c:a {codec} -strict -2", WAV, None, says, rate=48000)
    for codec, says in (("libgsm_ms", "GSM"), ("g726", "ADPCM"), ("g723_1", "G.723"), ("g722", "G.722")):
        rate = 16000 if codec == "g722" else 8000
        yield row(f"{codec}.wav", f"-c:a {codec}", WAV, None, says, rate=rate, channels=1)
    yield row("film.ogv", "-c:v libtheora -c:a libvorbis", {"video/ogg"}, "vorbis")
    # Containers that Weir does not parse.
    for kind in ("s8", "s16be", "s16le", "s24be", "s32be", "f32be", "f64be", "alaw", "mulaw", "adpcm_ima_qt"):
        codec = kind if "adpcm" in kind else f"pcm_{kind}"
        yield row(f"{kind}.aiff", f"-c:a {codec}", AIFF, None, "AIFF")
    for kind in ("pcm_s16be", "pcm_s24le", "pcm_f32be", "alac", "adpcm_ima_qt", "pcm_mulaw", "libopus", "flac"):
        yield row(f"{kind}.caf", f"-c:a {kind} -strict -2", CAF, None, "Core Audio Format", rate=48000)
    for kind in ("pcm_s16be", "pcm_mulaw", "pcm_f32be"):
        yield row(f"{kind}.au", f"-c:a {kind}", AU, None, "AU")
    for codec in ("aac", "libmp3lame", "libvorbis", "libopus", "flac", "alac", "ac3", "eac3", "dca", "tta", "wavpack",
                  "pcm_s16le", "pcm_f32le", "truehd", "mp2"):
        yield row(f"{codec}.mka", f"-c:a {codec} -strict -2", MATROSKA, None, "Matroska", rate=48000)
    yield row("vorbis.weba", "-c:a libvorbis -f webm", WEBM, None, "WebM", rate=48000)
    yield row("opus.webm", "-c:a libopus -f webm", WEBM, None, "WebM", rate=48000)
    yield row("film.mkv", "-c:v mpeg4 -c:a aac", MATROSKA, None, "Matroska")
    yield row("film.webm", "-c:v libvpx -c:a libvorbis", WEBM, None, "WebM")
    for codec in ("aac", "libmp3lame", "mp2", "ac3", "eac3", "dca", "libopus", "s302m"):
        yield row(f"{codec}.ts", f"-c:a {codec} -strict -2", TRANSPORT, None, "transport stream", rate=48000)
    yield row("film.ts", "-c:v mpeg2video -c:a mp2", TRANSPORT, None, "transport stream")
    yield row("blu.m2ts", "-c:a ac3 -mpegts_m2ts_mode 1", TRANSPORT, None, "transport stream", rate=48000)
    for codec in ("mp2", "libmp3lame", "ac3", "dca", "pcm_dvd"):
        yield row(f"{codec}.mpg", f"-c:a {codec} -strict -2 -f vob", PROGRAM, None, "program stream", rate=48000)
    yield row("film.mpg", "-c:v mpeg1video -c:a mp2", PROGRAM, None, "program stream")
    yield row("film.vob", "-c:v mpeg2video -c:a ac3", PROGRAM, None, "program stream")
    yield row("raw.ac3", "-c:a ac3", {"audio/ac3"}, None, "AC-3", rate=48000)
    yield row("raw-32000-6.ac3", "-c:a ac3", {"audio/ac3"}, None, "AC-3", rate=32000, channels=6)
    yield row("raw.eac3", "-c:a eac3", {"audio/eac3"}, None, "E-AC-3", rate=48000)
    yield row("raw.dts", "-c:a dca -strict -2", {"audio/vnd.dts"}, None, "DTS", rate=48000)
    yield row("raw.thd", "-c:a truehd -strict -2 -f truehd", (), None, "TrueHD", rate=48000)
    yield row("raw.mlp", "-c:a mlp -strict -2 -f mlp", (), None, "MLP", rate=48000)
    yield row("pack.wv", "-c:a wavpack", {"audio/x-wavpack"}, None, "WavPack")
    yield row("true.tta", "-c:a tta", {"audio/x-tta"}, None, "True Audio")
    yield row("two.wma", "-c:a wmav2", ASF, None, "Windows Media")
    yield row("one.wma", "-c:a wmav1", ASF, None, "Windows Media")
    yield row("film.wmv", "-c:v wmv2 -c:a wmav2", ASF, None, "Windows Media")
    yield row("mp3.flv", "-c:a libmp3lame", {"video/x-flv"}, None, "Flash Video")
    yield row("aac.flv", "-c:a aac", {"video/x-flv"}, None, "Flash Video")
    yield row("film.flv", "-c:v flv1 -c:a libmp3lame", {"video/x-flv"}, None, "Flash Video")
    for codec in ("libmp3lame", "pcm_s16le", "ac3"):
        yield row(f"{codec}.avi", f"-c:a {codec}", {"video/x-msvideo"}, None, "AVI", rate=48000)
    yield row("film.avi", "-c:v mpeg4 -c:a libmp3lame", {"video/x-msvideo"}, None, "AVI")
    yield row("ac3.rm", "-c:a ac3", {"application/vnd.rn-realmedia"}, None, "RealMedia", rate=48000)
    yield row("aac.latm", "-c:a aac -f latm", (), None, "LATM")
    yield row("wave.w64", "-c:a pcm_s16le", (), None, "Wave64")
    yield row("creative.voc", "-c:a pcm_u8", (), None, "Creative")
    yield row("ima.nut", "-c:a libvorbis", (), None, "NUT")
    yield row("film.swf", "-c:a libmp3lame", (), None, "Flash")
    yield row("film.mxf", "-c:v mpeg2video -c:a pcm_s16le", (), None, "MXF", rate=48000)
    yield row("film.gxf", "-c:v mpeg2video -c:a pcm_s16le -ar 48000 -ac 1 -s 720x576", (), None, "", rate=48000)
    yield row("film.dv", "-c:v dvvideo -s 720x576 -c:a pcm_s16le", (), None, "", rate=48000)
    yield row("film.wtv", "-c:v mpeg2video -c:a ac3", (), None, "", rate=48000)
    yield row("film.roq", "-c:v roqvideo -s 64x48 -r 30 -c:a roq_dpcm", (), None, "", rate=22050)
    yield row("film.amv", "-c:v amv -s 160x120 -r 30 -c:a adpcm_ima_amv -block_size 735 -strict -1", (), None, "",
              rate=22050, channels=1)
    # Formats of games, telephones and old computers; bare samples and frames, whose bytes do not tell the type.
    for name, words, rate, channels in (
        ("x.adx", "-c:a adpcm_adx", 44100, 2), ("x.alp", "-c:a adpcm_ima_alp -f alp", 22050, 1),
        ("x.apm", "-c:a adpcm_ima_apm -f apm", 44100, 1), ("x.argo_asf", "-c:a adpcm_argo -f argo_asf", 44100, 2),
        ("x.ast", "-c:a pcm_s16be_planar -f ast", 44100, 2), ("x.ircam", "-c:a pcm_s16le -f ircam", 44100, 2),
        ("x.vag", "-c:a adpcm_ima_ssi -f kvag", 44100, 2), ("x.mmf", "-c:a adpcm_yamaha -f mmf", 22050, 1),
        ("x.rso", "-c:a pcm_u8 -f rso", 22050, 1), ("x.sox", "-c:a pcm_s32le -f sox", 44100, 2),
        ("x.aud", "-c:a adpcm_ima_ws -f wsaud", 22050, 1), ("x.c2", "-c:a libcodec2 -f codec2", 8000, 1),
        ("x.spdif", "-c:a ac3 -f spdif", 48000, 2), ("x.302", "-c:a pcm_s24daud -f daud", 96000, 6),
        ("x.gsm", "-c:a libgsm -f gsm", 8000, 1),
        ("x.sbc", "-c:a sbc -f sbc", 44100, 2), ("x.aptx", "-c:a aptx -f aptx", 44100, 2),
        ("x.dfpwm", "-c:a dfpwm -f dfpwm", 48000, 1), ("x.g722", "-c:a g722 -f g722", 16000, 1),
        ("x.g726", "-c:a g726 -f g726", 8000, 1), ("x.g726le", "-c:a g726le -f g726le", 8000, 1),
        ("x.tco", "-c:a g723_1 -f g723_1", 8000, 1),
    ):
        yield row(name, words, (), None, "", rate=rate, channels=channels)
    for kind in ("s8", "u8", "s16le", "s16be", "u16le", "s24le", "s24be", "s32le", "f32le", "f32be", "f64le", "alaw", "mulaw"):
        yield row(f"bare-{kind}.pcm", f"-c:a pcm_{kind} -f {kind}", (), None, "")
    # Noise near silence, and silence at the start: bytes that look like headers by chance.
    for kind in ("quiet", "late"):
        for name, words, types, codec, says in (
            ("aiff", "-c:a pcm_s16be", AIFF, None, "AIFF"), ("24.aiff", "-c:a pcm_s24be", AIFF, None, "AIFF"),
            ("caf", "-c:a pcm_s16be", CAF, None, "Core Audio Format"), ("au", "-c:a pcm_s16be", AU, None, "AU"),
            ("24.caf", "-c:a pcm_s24le", CAF, None, "Core Audio Format"),
            ("w64", "-c:a pcm_s16le", (), None, "Wave64"), ("voc", "-c:a pcm_s16le", (), None, "Creative"),
            ("mka", "-c:a pcm_s16le", MATROSKA, None, "Matroska"), ("aac.mka", "-c:a aac", MATROSKA, None, "Matroska"),
            ("mp3.mka", "-c:a libmp3lame", MATROSKA, None, "Matroska"), ("ts", "-c:a aac", TRANSPORT, None, "transport stream"),
            ("mp2.ts", "-c:a mp2", TRANSPORT, None, "transport stream"), ("mpg", "-c:a mp2", PROGRAM, None, "program stream"),
            ("ac3", "-c:a ac3", {"audio/ac3"}, None, "AC-3"), ("eac3", "-c:a eac3", {"audio/eac3"}, None, "E-AC-3"),
            ("dts", "-c:a dca -strict -2", {"audio/vnd.dts"}, None, "DTS"), ("wv", "-c:a wavpack", {"audio/x-wavpack"}, None, "WavPack"),
            ("tta", "-c:a tta", {"audio/x-tta"}, None, "True Audio"), ("avi", "-c:a pcm_s16le", {"video/x-msvideo"}, None, "AVI"),
            ("flv", "-c:a libmp3lame", {"video/x-flv"}, None, "Flash Video"), ("sox", "-c:a pcm_s32le", (), None, ""),
            ("s16be.pcm", "-c:a pcm_s16be -f s16be", (), None, ""), ("s16le.pcm", "-c:a pcm_s16le -f s16le", (), None, ""),
            ("wav", "-c:a pcm_s16le", WAV, "pcm_s16le", None), ("24.wav", "-c:a pcm_s24le", WAV, "pcm_s24le", None),
            ("flac", "-c:a flac", FLAC, "flac", None), ("mp3", "-c:a libmp3lame", MP3, "mp3", None),
            ("aac", "-c:a aac", AAC, "aac", None), ("m4a", "-c:a aac", MP4, "aac", None),
            ("alac.m4a", "-c:a alac", MP4, "alac", None), ("ogg", "-c:a libvorbis", OGG, "vorbis", None),
            ("opus", "-c:a libopus", OGG, "opus", None), ("mov", "-c:a pcm_s16be", MOV, "pcm_s16be", None),
        ):
            yield row(f"{kind}.{name}", words, types, codec, says, rate=48000, kind=kind)


def source(kind, rate, channels, bits):
    """A WAV as the source for files: a tone over noise, noise near silence, or the tone after silence."""
    loud = sounds.source(rate, channels, bits)
    if kind == "loud":
        return loud
    path = sounds.FOLDER / "sources" / f"{kind}-{rate}-{channels}-{bits}.wav"
    words = ["ffmpeg", "-v", "error", "-y"]
    if kind == "quiet":
        words += ["-f", "lavfi", "-i", f"anoisesrc=a=0.0003:d=1.5:r={rate}:seed=5", "-ac", channels]
    else:
        words += ["-i", loud, "-af", "adelay=700:all=1,atrim=end=2"]
    return once.made(path, lambda new: sounds.run([*words, "-c:a", f"pcm_s{bits}le", new]))


def make(item):
    """One of ffmpeg's files."""
    name, (kind, rate, channels, bits), words, types, codec, says = item
    path = FOLDER / name
    if not path.exists():
        new = path.with_name(f"new-{name}")
        film = PICTURE if "-c:v" in words else []
        words = [*words, "-t", 1] if film else words
        sounds.run(["ffmpeg", "-v", "error", "-y", *film, "-i", source(kind, rate, channels, bits), *words, new])
        new.rename(path)
    frames = sounds.source_length(rate) if kind == "loud" and "-c:v" not in words else None
    return Foreign(path, path.suffix, types, codec, says, frames)


def others():
    """HE-AAC and files of other encoders: name, rate, channels, words, types, codec, and the name in a refusal."""
    for rate, channels in ((44100, 2), (48000, 1), (32000, 2), (24000, 2)):
        for gapless, way in ((0, "itunes"), (1, "iso"), (2, "both")):
            words = f"fdkaac -S -p 5 -b {24 * channels}000 -G {gapless}"
            yield f"he-{rate}-{channels}-{way}.m4a", rate, channels, words, MP4, "aac", None
        yield f"he-{rate}-{channels}.aac", rate, channels, f"fdkaac -S -p 5 -b {24 * channels}000 -f 2", AAC, "aac", None
    for gapless, way in ((0, "itunes"), (1, "iso"), (2, "both")):
        yield f"he2-{way}.m4a", 44100, 2, f"fdkaac -S -p 29 -b 32000 -G {gapless}", MP4, "aac", None
        yield f"fdk-{way}.m4a", 44100, 2, f"fdkaac -S -p 2 -b 96000 -G {gapless}", MP4, "aac", None
    words = "fdkaac -S -p 5 -b 48000 --include-sbr-delay"
    yield "he-delay.m4a", 44100, 2, words, MP4, "aac", None
    yield "he-front.m4a", 44100, 2, "fdkaac -S -p 5 -b 48000 --moov-before-mdat", MP4, "aac", None
    yield "he2.aac", 44100, 2, "fdkaac -S -p 29 -b 32000 -f 2", AAC, "aac", None
    yield "crc.aac", 44100, 2, "fdkaac -S -p 2 -b 96000 -f 2 -C", AAC, "aac", None
    yield "he.latm", 44100, 2, "fdkaac -S -p 5 -b 48000 -f 10", (), None, "LATM"
    yield "he.adif", 44100, 2, "fdkaac -S -p 2 -b 96000 -f 1", (), None, "ADIF"
    yield "faac.m4a", 44100, 2, "faac", MP4, "aac", None
    yield "faac.aac", 44100, 2, "faac", AAC, "aac", None


def make_other(item):
    """A file of another encoder."""
    name, rate, channels, words, types, codec, says = item
    path = FOLDER / name
    if not path.exists():
        new = path.with_name(f"new-{name}")
        sounds.run([*encoders.words(*words.split()), "-o", new, sounds.source(rate, channels)])
        new.rename(path)
    return Foreign(path, path.suffix, set(types), codec, says, sounds.source_length(rate))


def bytes_by_hand():
    """Formats that no available encoder writes, made from the specifications: name, bytes, types, name in a refusal."""
    filling = bytes(range(1, 241)) * 40
    yield "philips.dff", dff(filling), {"audio/x-dff"}, "DSD"
    yield "sony.dsf", dsf(filling), {"audio/x-dsf"}, "DSD"
    yield "x.tak", b"tBaK\x01\x0a\0\0" + filling, (), "TAK"
    yield "x.ape", b"MAC \x96\x0f\0\0\x34\0\0\0" + filling, {"audio/x-ape"}, "Monkey"
    yield "x.mpc", b"MPCKSH\x0f\0\0\0\0\x08" + filling, {"audio/x-musepack"}, "Musepack"
    yield "x.mid", b"MThd\0\0\0\x06\0\x01\0\x01\x01\xe0MTrk\0\0\0\x04\0\xff\x2f\0", {"audio/midi"}, "MIDI"
    yield "x.amr", b"#!AMR\n" + (b"\x3c" + bytes(31)) * 40, {"audio/amr"}, "AMR"
    lc = (FOLDER / "lavc-48000-4.aac").with_name("aac.mp4").read_bytes()
    yield "usac.mp4", usac(lc), MP4, "xHE-AAC"
    yield "protected.m4p", lc.replace(b"mp4a\0\0\0\0", b"drms\0\0\0\0", 1), MP4, "FairPlay"


def dff(samples):
    """DSDIFF 1.5: chunks with lengths of 64 bits."""

    def chunk(name, data):
        return name + struct.pack(">Q", len(data)) + data

    channels = chunk(b"CHNL", struct.pack(">H", 2) + b"SLFTSRGT")
    rate, coded = chunk(b"FS  ", struct.pack(">I", 2822400)), chunk(b"CMPR", b"DSD \x0enot compressed\0")
    body = b"DSD " + chunk(b"FVER", b"\1\5\0\0") + chunk(b"PROP", b"SND " + rate + channels + coded)
    return chunk(b"FRM8", body + chunk(b"DSD ", samples[: len(samples) // 2 * 2]))


def dsf(samples):
    """DSF 1.01, a block of 4096 bytes a channel."""
    data = samples[:8192]
    form = struct.pack("<4sQIIIIIIQII", b"fmt ", 52, 1, 0, 2, 2, 2822400, 1, len(data) * 4, 4096, 0)
    return struct.pack("<4sQQQ", b"DSD ", 28, 92 + len(data), 0) + form + struct.pack("<4sQ", b"data", 12 + len(data)) + data


def usac(mp4):
    """An MP4 whose AudioSpecificConfig (ISO 14496-3 1.6.2.1) says object type 42: 31, then 10 in six bits."""
    config = mp4.index(b"\x05\x80\x80\x80", mp4.index(b"esds"))
    length = mp4[config + 4]
    new = bytes([0b11111_001, 0b010_0011_0, 0b010_00000]) + mp4[config + 8 : config + 5 + length]
    return mp4[: config + 5] + new[:length] + mp4[config + 5 + length :]


def made():
    """The files of ffmpeg and those made by hand; makes them if they are missing."""
    with once.alone_in(FOLDER), ThreadPoolExecutor(2) as pool:
        found = [*pool.map(make, rows())]
        for name, data, types, says in bytes_by_hand():
            path = FOLDER / name
            path.write_bytes(data)
            found.append(Foreign(path, path.suffix, set(types), None, says, None))
        # Weir plays a FLAC that begins at a frame.
        flac, frames = (FOLDER / "lavc.flac").read_bytes(), FOLDER / "frames.flac"
        frames.write_bytes(flac[flac.index(b"\xff\xf8") :])
        return [*found, Foreign(frames, ".flac", set(), "flac", None, None)]


def made_by_others():
    """The files of other encoders; raises `encoders.Missing` if these are not installed."""
    with once.alone_in(FOLDER), ThreadPoolExecutor(2) as pool:
        return [*pool.map(make_other, others())]
