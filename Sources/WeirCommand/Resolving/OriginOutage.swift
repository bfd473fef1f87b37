// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirSource

/// An origin that failed while Weir listed its folders, and the sentences that report this.
struct OriginOutage {
    /// The name of the origin at the beginning of a sentence.
    let subject: String
    /// The origin's error; ``SourceError/Code/offline`` if Weir is offline.
    let error: SourceError
    /// The time of the oldest stored listing in use, in seconds since 1970; `nil` if only held files were used.
    var listed: Int64?
    /// The files of the origin that the cache holds.
    let held: HeldFiles

    /// The sentence about a listing; `nil` if Weir is offline, which the user knows.
    var listing: String? {
        self.sentence(
            self.listedTime.map { "this is the listing of \($0)" } ?? "these are the held files"
        )
    }

    /// The sentence about a download; `nil` as for ``listing``.
    var getting: String? {
        self.sentence(
            "using \(self.listedTime.map { "the listing of \($0)" } ?? "the held files")"
        )
    }

    /// The sentence about the files to play; `nil` as for ``listing``.
    ///
    /// The counts are separate for whole files, for partly held files, and for files that only a listing of the origin
    /// names.
    func playing(_ files: some Collection<FolderPath>) -> String? {
        let amounts = files.map { self.held.amount(of: $0) }
        let whole = amounts.count { $0 == .whole }
        let part = amounts.count { $0 == .part }
        let rest = amounts.count - whole - part
        let groups = [(whole, "held"), (part, "held in part"), (rest, "listed by the server")]
            .filter { $0.0 > 0 }
        let words = groups.enumerated().map { index, group in
            let (count, what) = group
            let verb = count == 1 ? "is" : "are"
            guard index == 0 else { return "\(count) that \(verb) \(what)" }
            return "the \(count == 1 ? "file" : "\(count) files") that \(verb) \(what)"
        }
        guard let last = words.last else { return self.sentence("no file is held") }
        let first = words.dropLast().joined(separator: ", ")
        return self.sentence("playing \(first.isEmpty ? last : "\(first) and \(last)")")
    }

    private func sentence(_ instead: String) -> String? {
        guard self.error.code != .offline else { return nil }
        return "\(self.subject) \(self.error.originState); \(instead)."
    }

    private var listedTime: String? {
        self.listed.map { Date(timeIntervalSince1970: TimeInterval($0)).listed }
    }
}

extension SourceError {
    /// The state of a failed origin, as the part of a sentence after its name.
    var originState: String {
        switch self.code {
        case .unreachable: "cannot be reached"
        case .timedOut: "does not answer"
        default: "answers with an error\(self.status.map { " (status \($0))" } ?? "")"
        }
    }
}
