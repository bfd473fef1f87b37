// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Measures the cipher layer alone, and tests it more thoroughly than a debug build could.
///
///     cipher-trial speed [SECONDS [SCHEME]]   measures how fast pieces of 64 KiB are decrypted
///     cipher-trial ranges [COUNT]             decrypts COUNT random ranges of 100 MiB
///     cipher-trial table                      decrypts every range of files of 0 to 100 bytes, in
///                                             pieces of 1 to 33 bytes
///
/// `ranges` and `table` try every scheme. The program prints lines of JSON.
@main
struct Program {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        switch words.first {
        case "speed":
            let seconds = words.dropFirst().first.flatMap(Double.init) ?? 0.25
            try await SpeedTrial(seconds: seconds, scheme: words.dropFirst(2).first).run()
        case "ranges":
            try await RangeTrial(count: words.dropFirst().first.flatMap(Int.init) ?? 200).run()
        case "table": try await TableTrial().run()
        default:
            FileHandle.standardError.write(
                Data("usage: cipher-trial speed|ranges|table [NUMBER]\n".utf8)
            )
            exit(2)
        }
    }

    static func print(_ values: [String: any Encodable & Sendable]) {
        let parts = values.sorted { $0.key < $1.key }.map { key, value in
            value is String ? "\"\(key)\": \"\(value)\"" : "\"\(key)\": \(value)"
        }
        Swift.print("{\(parts.joined(separator: ", "))}")
    }
}
