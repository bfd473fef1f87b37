// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirSource

/// The name of a file of a recording.
struct RecordingFile: Hashable, Sendable {
    /// Its number in the recording, from 1.
    var number: Int
    /// The title that the station announced for it; `nil` without a title.
    var title: String?
    /// The extension of the name, without its dot.
    var fileExtension: String

    /// The longest name in bytes; file systems allow 255, and the recorder adds a suffix.
    static let longestName = 200

    /// The name of the file: `01 Artist - Title.mp3`.
    ///
    /// - Parameters:
    ///   - station: used in place of a missing title.
    ///   - copy: the file's number among files of the same name in its folder; from 2 on the name
    ///     contains it.
    /// - Returns: a name that is safe on every file system, as `FileName` makes it. It has no
    ///   character that a file system rejects, and no dot or space at the ends of the title.
    func name(station: String, copy: Int = 1) -> String {
        let number = self.number < 10 ? "0\(self.number)" : "\(self.number)"
        let end = (copy > 1 ? " (\(copy))" : "") + "." + self.fileExtension
        let room = Self.longestName - number.utf8.count - 1 - end.utf8.count
        let text = [self.title ?? "", station].lazy.compactMap { Self.safe($0, room) }.first
        return number + " " + (text ?? "Recording") + end
    }

    /// The text with the forbidden characters replaced; `nil` if nothing is left.
    private static func safe(_ text: String, _ room: Int) -> String? {
        var scalars = String.UnicodeScalarView()
        var isSpace = true
        // Names are short: characters far behind cannot be in one.
        for scalar in text.unicodeScalars.prefix(4 * Self.longestName) {
            switch scalar.value {
            case 0x20, 0x09...0x0D, 0x85, 0xA0, 0x2028, 0x2029:
                if !isSpace { scalars.append(" ") }
                isSpace = true
                continue
            // Invisible characters that `FileName` does not remove.
            case 0x200B...0x200F, 0x2060...0x2065, 0xFFFC...0xFFFD, 0xE0000...0xE007F: continue
            case 0x22: scalars.append("'")
            case 0x3A, 0x2A, 0x3F, 0x3C, 0x3E, 0x7C: scalars.append("_")
            default: scalars.append(scalar)
            }
            isSpace = false
        }
        return FileName.cleaned(title: String(scalars), limit: room).flatMap(Self.withoutEnd)
    }

    private static func withoutEnd(_ text: String) -> String? {
        var scalars = text.unicodeScalars[...]
        while let last = scalars.last, last == "." || last == " " { scalars.removeLast() }
        return scalars.isEmpty ? nil : String(scalars)
    }
}

extension RecordingFile {
    /// The file extension for a container and codec.
    static func fileExtension(of container: AudioContainer?, _ codec: AudioCodec?) -> String {
        switch (container, codec) {
        case (.mpegAudio, .mpegLayer(1)): "mp1"
        case (.mpegAudio, .mpegLayer(2)): "mp2"
        case (.mpegAudio, _): "mp3"
        case (.adts, _), (.loas, _): "aac"
        case (.ogg, .opus): "opus"
        case (.ogg, .flac): "oga"
        case (.ogg, _): "ogg"
        case (.flac, _): "flac"
        case (.wave, _): "wav"
        case (.mp4, _): "m4a"
        case (nil, _): "audio"
        }
    }
}

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A file of a recording while it is written; its name ends with `.part` until it is complete.
final class OpenRecording: Sendable {
    /// The path of the complete file.
    let path: String
    /// Its title.
    let title: String?
    private let descriptor: CInt

    init(descriptor: CInt, path: String, title: String?) {
        self.descriptor = descriptor
        self.path = path
        self.title = title
    }

    deinit {
        close(self.descriptor)
    }

    /// Writes all of the bytes at the end.
    ///
    /// - Parameters:
    ///   - bytes: the bytes to write.
    ///   - end: the length before this write. If the bytes do not all fit, the file is cut back to
    ///     it, so that it ends at the end of a packet.
    /// - Throws: if the disk is full, or fails.
    func write(_ bytes: ByteMemory, at end: Int64) throws(RecordingError) {
        try bytes.withUnsafeBytes { (bytes) throws(RecordingError) in
            var done = 0
            while done < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
                let count = pwrite(
                    self.descriptor,
                    rest.baseAddress,
                    rest.count,
                    off_t(end) + off_t(done)
                )
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    let reason = String(cString: strerror(errno))
                    _ = ftruncate(self.descriptor, off_t(end))
                    throw RecordingError(
                        "The recording \(self.path) could not be written (\(reason)); free some space,"
                            + " or record to another folder."
                    )
                }
                done += count
            }
        }
    }
}
