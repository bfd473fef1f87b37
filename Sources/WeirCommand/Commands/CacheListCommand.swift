// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import WeirCache
import WeirSource

/// `weir cache list`.
struct CacheListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List what is held, the last used first.",
        discussion: """
            EXAMPLES
              weir cache list
              weir cache list --json
            """
    )

    @OptionGroup(title: "Cache") var cache: CacheFolderOption
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let directory = try self.cache.path(Surroundings())
        let resources = try Cache.resources(inDirectory: directory)
        if self.output.json {
            for resource in resources { try Output.json(Line(resource)) }
            return
        }
        for resource in resources { Output.print(CacheListCommand.text(resource)) }
        guard !self.output.quiet else { return }
        let total = resources.reduce(Int64(0)) { $0.addingClamped($1.heldBytes) }
        Output.note(
            "\(resources.count) \(resources.count == 1 ? "resource" : "resources"), \(ByteSize.format(total)) in \(directory)"
        )
    }

    /// Identifier, how much of how much, what and where: a line a resource.
    static func text(_ resource: CachedResource) -> String {
        let share =
            switch resource.length {
            case .some(let length) where resource.heldBytes >= length: "whole"
            case .some(let length):
                "\(resource.heldBytes.percentage(of: length)) % of \(ByteSize.format(length))"
            case .none: "of unknown length"
            }
        let account = resource.account.isEmpty ? "" : "  (\(resource.account))"
        return
            "\(resource.identifier.prefix(12))  \(ByteSize.format(resource.heldBytes)), \(share)  \(resource.display)\(account)"
    }

    /// A line of `--json`.
    private struct Line: Encodable {
        var identifier: String
        var url: String
        var account: String
        var heldBytes: Int64
        var length: Int64?
        var mediaType: String?
        var lastUse: Date

        init(_ resource: CachedResource) {
            self.identifier = resource.identifier
            self.url = resource.display
            self.account = resource.account
            self.heldBytes = resource.heldBytes
            self.length = resource.length
            self.mediaType = resource.mediaType?.description
            self.lastUse = resource.lastUse
        }
    }
}
