// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What the user has written down: settings for every command, and sources under names.
struct Configuration: Sendable {
    /// The file that it was read from, or would be read from if there were one.
    let file: String
    /// Values that stand for options of the command line.
    var settings = ConfigurationSettings()
    /// The sources, in the order of their names.
    var sources: [ConfiguredSource] = []

    /// The source of a name.
    ///
    /// - Throws: ``CommandError`` with `usage` if there is none, which names the nearest.
    func source(named name: String) throws(CommandError) -> ConfiguredSource {
        if let source = self.sources.first(where: { $0.name == name }) { return source }
        throw Self.noSource(called: name, among: self.sources.map(\.name), file: self.file)
    }

    /// The error for a name that no source has.
    static func noSource(
        called name: String,
        among names: [String],
        file: String
    ) -> CommandError {
        let nearest = Nearest.name(to: name, among: names).map { "; did you mean '\($0)'?" } ?? "."
        return CommandError(
            .usage,
            "There is no source called '\(name)'\(nearest) weir's sources are in \(file)."
        )
    }
}
