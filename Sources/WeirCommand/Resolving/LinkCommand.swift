// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir

/// A program of the user's that prints a fresh URL on its first line, and then headers for it.
struct LinkCommand: Sendable {
    /// How long a program may take.
    private static let patience = Duration.seconds(60)

    let words: [String]
    let lifetime: Duration?
    let headers: HTTPHeaderList
    /// The source that it belongs to.
    let source: String

    /// Runs the program for a file.
    ///
    /// - Throws: `SourceError` with `originFailed` if it fails, says nothing, or takes longer than a minute.
    func link(to path: FolderPath) async throws -> Link {
        // As the storage has it, a line feed for a line feed.
        let plain = path.componentBytes.map { "/\(String(decoding: $0, as: UTF8.self))" }.joined()
        let words = self.words.map {
            $0.replacing("{}", with: path.isFolder ? "\(plain)/" : plain)
        }
        let output: ProgramOutput
        do {
            output = try await ProgramOutput.of(words, patience: Self.patience)
        } catch let error as CommandError {
            throw SourceError(.originFailed, error.description)
        }
        guard output.text.utf8.count < ProgramOutput.limit else {
            throw SourceError(
                .originFailed,
                "The url-command '\(self.words[0])' of \(self.source) printed more than a URL and its headers; run it by"
                    + " hand to see what it prints."
            )
        }
        guard output.status == 0 else {
            throw SourceError(
                .originFailed,
                "The url-command '\(self.words[0])' of \(self.source) ended with status \(output.status) instead of"
                    + " printing a URL; run it by hand to see why."
            )
        }
        let lines = output.text.split(whereSeparator: \.isNewline).map {
            $0.trimmingCharacters(in: .whitespaces)
        }.filter { !$0.isEmpty }
        guard let first = lines.first, let url = try? OriginURL(first) else {
            throw SourceError(
                .originFailed,
                "The url-command '\(self.words[0])' of \(self.source) did not print an http or https URL on its first"
                    + " line; run it by hand to see what it prints."
            )
        }
        var headers = self.headers
        for line in lines.dropFirst() {
            guard let header = try? HTTPHeader(parsing: line) else {
                throw SourceError(
                    .originFailed,
                    "The url-command '\(self.words[0])' of \(self.source) printed a line after its URL that is no header;"
                        + " print 'Name: value', or the URL alone."
                )
            }
            headers.append(header)
        }
        return Link(url: url, headers: headers, lifetime: self.lifetime)
    }
}
