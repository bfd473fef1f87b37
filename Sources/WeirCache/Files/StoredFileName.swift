// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The name of a file of the cache: `<resource>.<generation>.data`, `.journal` or `.journal.new`.
struct StoredFileName: Hashable, Sendable, CustomStringConvertible {
    /// The content of a file.
    enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The bytes, each at its offset in the resource.
        case data = "data"
        /// The list of the held bytes.
        case journal = "journal"
        /// A new version of a journal, which is ignored until it is renamed.
        case newJournal = "journal.new"
    }

    let resource: ResourceID
    let generation: GenerationID
    let kind: Kind

    init(_ resource: ResourceID, _ generation: GenerationID, _ kind: Kind) {
        self.resource = resource
        self.generation = generation
        self.kind = kind
    }

    /// Reads a name exactly as ``description`` writes it; `nil` for names of other files.
    init?(_ name: String) {
        let parts = name.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let resource = ResourceID(parts[0]),
            let generation = GenerationID(parts[1]), generation.description == parts[1],
            let kind = Kind(rawValue: String(parts[2]))
        else { return nil }
        self.init(resource, generation, kind)
    }

    var description: String {
        "\(self.resource).\(self.generation).\(self.kind.rawValue)"
    }

    /// The file's path in a cache directory.
    func path(in directory: String) -> String {
        let stem = Self.stem(self.resource.description, self.generation.description, in: directory)
        return stem + self.kind.rawValue
    }

    /// The common start of the paths of a generation's files: `<directory>/a1/a1b2….0018….`.
    static func stem(
        _ resource: String,
        _ generation: String,
        in directory: String
    ) -> String {
        "\(directory)/\(resource.prefix(2))/\(resource).\(generation)."
    }
}
