// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirSource

/// The origins of a folder or a playlist that did not answer; Weir requests no further files from
/// them.
///
/// So at most one file waits for all attempts at an unreachable origin. Held files need no origin.
struct AwayOrigins {
    private struct Origin {
        let subject: String
        let error: SourceError
        var leftOutCount = 0
    }

    private var origins: [Origin] = []

    /// Records the error of a file, or of the listing of its folder.
    ///
    /// An origin that answers with an error stays in use for the next file.
    mutating func failed(_ display: String, _ error: any Error) {
        guard let error = error as? SourceError, OriginState.isUnanswered(error),
            !self.isAway(display)
        else { return }
        self.origins.append(Origin(subject: Self.subject(of: display), error: error))
    }

    /// Whether the origin of a file is away.
    func isAway(_ display: String) -> Bool { self.index(of: display) != nil }

    /// Counts a file that Weir skips since it is not held and its origin is away.
    mutating func leftOut(_ display: String) {
        guard let index = self.index(of: display) else { return }
        self.origins[index].leftOutCount += 1
    }

    /// A sentence for each origin with skipped files.
    var sentences: [String] {
        self.origins.filter { $0.leftOutCount > 0 }.map { origin in
            let count = origin.leftOutCount
            let files = count == 1 ? "1 incomplete file" : "\(count) incomplete files"
            return
                "\(origin.subject) \(origin.error.originState), so Weir skipped \(files); give the same command again"
                + " later."
        }
    }

    private func index(of display: String) -> Int? {
        let subject = Self.subject(of: display)
        return self.origins.firstIndex { $0.subject == subject }
    }

    /// The host of a URL, or the source in `NAME:/PATH`.
    private static func subject(of display: String) -> String {
        if let url = try? OriginURL(display) { return url.authority }
        return display.firstRange(of: ":/").map { "\(display[..<$0.lowerBound]):" } ?? display
    }
}
