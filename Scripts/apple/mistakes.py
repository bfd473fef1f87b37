# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""Typical mistakes with Apple's interfaces, made in copies of the sources: the check must find each."""

import re
from dataclasses import dataclass

from .passes import Pass
from .toolchain import ROOT

LOWEST = {"iOS": (18, 0), "macOS": (15, 0)}
NEWEST = (26, 99)


@dataclass(frozen=True)
class Mistake:
    """One change of one file, and the compiler's message; None if the change is right."""

    what: str
    path: str
    old: str
    new: str
    said: str | None
    system: str = "iOS"
    floor: tuple[int, int] | None = None


CATEGORY = "AVAudioSession.sharedInstance().setCategory(.playback, mode: .default)"
NEWER = CATEGORY.replace(".default", ".default, options: .bluetoothHighQualityRecording")
GUARDED = f"if #available(iOS 26.0, *) {{ try {NEWER} }}"
ASSETS = "Sources/WeirAVFoundation/AVURLAsset+Media.swift"
REQUESTS = "Sources/WeirAVFoundation/MediaResourceLoader.swift"
SESSION = "Sources/WeirAudioToolbox/Session/AudioSessionGuard.swift"
CIPHERS = "Sources/WeirCipher/Library/CommonCryptoLibrary.swift"
BROWSER = "Sources/WeirSwiftUI/WebLogIn.swift"

MISTAKES = [
    Mistake(
        "a function that should be on the main actor",
        ASSETS, "extension AVURLAsset {", "func asset(of item: AVPlayerItem) -> AVAsset { item.asset }\n\nextension AVURLAsset {",
        r"main actor-isolated property 'asset' can not be referenced",
    ),
    Mistake(
        "a callback of C that captures",
        "Sources/WeirAudioToolbox/Decoding/CodecDescription+Extension.swift",
        "{ _, _, _, _ in }", "{ _, _, _, _ in _ = frame.count }",
        r"a C function pointer cannot be formed from a closure that captures context",
    ),
    Mistake(
        "a pointer that may be nil, taken for one that is not",
        "Sources/WeirAudioToolbox/Decoding/PacketFeed.swift", "descriptions?.pointee", "descriptions.pointee",
        r"value of optional type .* must be unwrapped",
    ),
    Mistake(
        "an object that may be nil, taken for one that is not",
        REQUESTS, "information?.allowedContentTypes,", "information.allowedContentTypes,",
        r"value of optional type 'AVAssetResourceLoadingContentInformationRequest\?' must be unwrapped",
    ),
    Mistake(
        "an option of a newer system, not guarded",
        SESSION, CATEGORY, NEWER,
        r"'bluetoothHighQualityRecording' is unavailable: iOS has it from 26.0 on",
    ),
    Mistake("the same option, guarded: no mistake", SESSION, f"try {CATEGORY}", GUARDED, None),
    Mistake(
        "the same option, guarded, where the system has it: no mistake",
        SESSION, f"try {CATEGORY}", GUARDED, None, "iOS", NEWEST,
    ),
    Mistake(
        "a mistake in code for newer systems alone",
        SESSION, f"try {CATEGORY}", GUARDED.replace("bluetoothHighQualityRecording", "bluetoothHighQuality"),
        r"no member 'bluetoothHighQuality'", "iOS", NEWEST,
    ),
    Mistake(
        "a delegate's method that is spelled nearly right",
        REQUESTS, "shouldWaitForLoadingOfRequestedResource loadingRequest:", "shouldWaitForLoadingOfResource loadingRequest:",
        r"nearly matches optional requirement",
    ),
    Mistake(
        "a delegate's method with another result",
        REQUESTS, "shouldWaitForRenewalOfRequestedResource renewalRequest: AVAssetResourceRenewalRequest\n    ) -> Bool {\n        self.add(renewalRequest)",
        "shouldWaitForRenewalOfRequestedResource renewalRequest: AVAssetResourceRenewalRequest\n    ) {\n        _ = self.add(renewalRequest)",
        r"nearly matches optional requirement|different type",
    ),
    Mistake(
        "a notification that crosses to another queue",
        SESSION, "self.queue.async { self.handle(event) }",
        "self.queue.async { self.handle(event); _ = notification }",
        r"capture of 'notification' with non-Sendable type 'Notification'",
    ),
    Mistake(
        "what only iOS has, on macOS",
        SESSION, "canImport(AVFAudio) && !os(macOS)", "canImport(AVFAudio)",
        r"macOS has none of it", "macOS",
    ),
    Mistake(
        "a clock's ticks where a time is wanted",
        "Sources/WeirAudioToolbox/Engine/EngineVoice.swift", "playerTime(forNodeTime: time)", "playerTime(forNodeTime: time.hostTime)",
        r"cannot convert value of type 'UInt64' to expected argument type 'AVAudioTime'",
    ),
    Mistake(
        "the error of a call that throws, left out",
        SESSION, "case .configure: try? Self.configure()", "case .configure: Self.configure()",
        r"call can throw",
    ),
    Mistake(
        "the mode of a file, as wide as on Linux",
        "Sources/WeirLive/TimeShift/UnlinkedFile.swift", "var mode: mode_t {", "var mode: UInt32 {",
        r"cannot convert return expression|mismatching types|type 'mode_t'|to return type 'UInt32'",
    ),
    Mistake(
        "a constant of C, whose type is no argument's",
        CIPHERS, "CCOperation(operation)", "operation",
        r"cannot convert value of type 'Int' to expected argument type 'CCOperation'",
    ),
    Mistake(
        "a count where the place for one is wanted",
        CIPHERS, "&moved\n", "moved\n",
        r"cannot convert value of type 'Int' to expected argument type 'UnsafeMutablePointer<Int>'",
    ),
    Mistake(
        "a buffer where its address is wanted",
        CIPHERS, "output.baseAddress,", "output,",
        r"cannot convert value of type 'UnsafeMutableRawBufferPointer' to expected argument type 'UnsafeMutableRawPointer'",
    ),
    Mistake(
        "bytes for a password of characters",
        CIPHERS, "assumingMemoryBound(to: CChar.self)", "assumingMemoryBound(to: UInt8.self)",
        r"UnsafePointer<UInt8>",
    ),
    Mistake(
        "as many rounds as Swift counts",
        CIPHERS, "rounds,\n", "iterations,\n",
        r"cannot convert value of type 'Int' to expected argument type 'UInt32'",
    ),
    Mistake(
        "a pseudo-random function that CommonCrypto lacks",
        CIPHERS, "case .sha1: function = kCCPRFHmacAlgSHA1", "case .sha1: function = kCCPRFHmacAlgMD5",
        r"cannot find 'kCCPRFHmacAlgMD5' in scope",
    ),
    Mistake(
        "a cryptor that is never set",
        CIPHERS, "                &made\n", "                nil\n",
        r"never mutated|never used|will never be executed",
    ),
    Mistake(
        "the memory that an application may take, on macOS",
        "Sources/WeirCipher/Library/Scrypt.swift",
        "#if os(iOS) || os(tvOS) || os(visionOS) || os(watchOS)", "#if canImport(Darwin)",
        r"macOS has none of it", "macOS",
    ),
    Mistake(
        "a clock as the number that it is on Linux",
        "Sources/WeirCache/Files/PosixFiles.swift", "clock_gettime(CLOCK_REALTIME,", "clock_gettime(0,",
        r"cannot convert value of type 'Int' to expected argument type 'clockid_t'",
    ),
    Mistake(
        "an import that is public for macOS alone",
        "Sources/Weir/MediaLibrary+Transport.swift", "#else\nimport WeirHTTP", "#else\npublic import Foundation\nimport WeirHTTP",
        r"public import of 'Foundation' was not used",
    ),
    Mistake(
        "a handler of a progress that is not Sendable",
        "Sources/Weir/ProgressReport.swift", "let before = progress.cancellationHandler",
        "let before: (() -> Void)? = progress.cancellationHandler",
        r"[Ss]endable",
    ),
    Mistake(
        "a callback without its path",
        BROWSER, ".https(host: host, path: path)", ".https(host: host)",
        r"missing argument for parameter 'path'",
    ),
    Mistake(
        "a callback that is made of nothing",
        BROWSER, ".customScheme(scheme)", "ASWebAuthenticationSession.Callback()",
        r"'init\(\)' is unavailable",
    ),
    Mistake(
        "a window by another name than the protocol has for it",
        BROWSER, "presentationAnchor(for session:", "presentationAnchor(of session:",
        r"has different argument labels from those required by protocol 'ASWebAuthenticationPresentationContextProviding'",
    ),
    Mistake(
        "the end of a page, read on the main actor alone",
        BROWSER, "private nonisolated static func result", "private static func result",
        r"main actor-isolated static method 'result'",
    ),
    Mistake(
        "an error of the log-in by a name that it has not",
        BROWSER, "ASWebAuthenticationSessionError.canceledLogin", "ASWebAuthenticationSessionError.cancelledLogin",
        r"has no member 'cancelledLogin'",
    ),
]


def found(mistake, build):
    """Makes a mistake; returns the fault of the check, if any."""
    text = (ROOT / mistake.path).read_text()
    if text.count(mistake.old) < 1:
        return f"{mistake.path} has nothing to change"
    floor = mistake.floor or LOWEST[mistake.system]
    changed = text.replace(mistake.old, mistake.new, 1)
    one = Pass(mistake.system, floor, build, {mistake.path: changed})
    said = one.check_file(mistake.path)
    # Restores the copy before another check reads it.
    Pass(mistake.system, floor, build).copies(str((ROOT / mistake.path).parent.relative_to(ROOT)))
    if mistake.said is None:
        return f"it was refused:\n{said}" if said else None
    if not said:
        return "it was not found"
    return None if re.search(mistake.said, said) else f"the compiler reported something else:\n{said}"


def all_found(build):
    """Makes each mistake and prints whether the check found it; returns whether it found all."""
    faults = 0
    for mistake in MISTAKES:
        fault = found(mistake, build)
        print(f"{'missed' if fault else 'found ' if mistake.said else 'passed'}  {mistake.what}")
        if fault:
            print(f"  {mistake.path}: {fault}")
            faults += 1
    print(f"{len(MISTAKES)} mistakes, {faults} faults")
    return faults == 0
