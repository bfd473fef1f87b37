// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension ThingName {
    /// The error for what is no thing.
    ///
    /// Of the text it repeats a name at most: what stands behind a colon may be a credential.
    static func failure(
        _ text: String,
        scheme: String?,
        names: [String],
        file: String
    ) -> CommandError {
        if let scheme {
            return CommandError(
                .usage,
                "Weir does not speak \(scheme); a thing is an http or https URL, a file or folder, or"
                    + " NAME:PATH of a source in \(file)."
            )
        }
        if let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            ConfiguredSource.isName(text[..<colon])
        {
            return Self.unknown(String(text[..<colon]), text, names: names, file: file)
        }
        if names.contains(text) {
            return CommandError(
                .usage,
                "'\(text)' is a source and nothing of it was named; write \(text):/ for all of it, or"
                    + " \(text):PATH."
            )
        }
        let shown = String(text.prefix { $0 != "?" && $0 != "@" && !$0.isNewline }.prefix(200))
        let nearest = Nearest.name(to: text, among: names).map { " Did you mean \($0):/?" } ?? ""
        return CommandError(
            .usage,
            "There is no file or folder '\(shown)'; a thing is an http or https URL, a file or folder,"
                + " or NAME:PATH of a source in \(file).\(nearest)"
        )
    }

    private static func unknown(
        _ name: String,
        _ text: String,
        names: [String],
        file: String
    ) -> CommandError {
        let rest = text.utf8.dropFirst(name.utf8.count + 1)
        let isPort =
            rest.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
        // Who writes host:8080 means a URL, unless a name is near.
        if isPort, Nearest.name(to: name, among: names) == nil {
            return CommandError(
                .usage,
                "There is no source called '\(name)' in \(file); if that is a host, begin with http://."
            )
        }
        return Configuration.noSource(called: name, among: names, file: file)
    }
}
