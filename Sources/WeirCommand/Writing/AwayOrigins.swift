// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirSource

/// The origins of a folder or a playlist that left a request unanswered: the rest of their files is not asked for.
///
/// So one file at most waits for all attempts at an origin that is away. Files that are held need no origin.
struct AwayOrigins {
    private struct Origin {
        let subject: String
        let error: SourceError
        var leftOutCount = 0
    }

    private var origins: [Origin] = []

    /// A file failed, or its folder could not be listed, with an error.
    ///
    /// An origin that answers, if only with an error, is asked for the next file, too.
    mutating func failed(_ display: String, _ error: any Error) {
        guard let error = error as? SourceError, OriginState.isUnanswered(error),
            !self.isAway(display)
        else { return }
        self.origins.append(Origin(subject: Self.subject(of: display), error: error))
    }

    /// Whether the origin of a file is away.
    func isAway(_ display: String) -> Bool { self.index(of: display) != nil }

    /// A file that is not held was left out, since its origin is away.
    mutating func leftOut(_ display: String) {
        guard let index = self.index(of: display) else { return }
        self.origins[index].leftOutCount += 1
    }

    /// A sentence for each origin whose files were left out.
    var sentences: [String] {
        self.origins.filter { $0.leftOutCount > 0 }.map { origin in
            let count = origin.leftOutCount
            let files = count == 1 ? "1 file that is" : "\(count) files that are"
            return
                "\(origin.subject) \(origin.error.originState), so \(files) not held whole \(count == 1 ? "was" : "were")"
                + " not asked for; give the same command again later."
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
