// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import WeirCache
import WeirSource

/// What a shell proposes for an argument.
///
/// An origin is asked for one thing alone: the folder of a source whose path is being typed.
enum Completions {
    /// No shell shows more.
    static let most = 500

    /// The paths in a source, where the word that is completed is one: they are listed before the word is looked at.
    @TaskLocal static var sourcePaths: [String] = []

    /// A thing: a source or a path in it, a station, a file or folder, or a URL of which something is cached.
    static var things: CompletionKind {
        .custom { _, _, prefix in
            let environment = ProgramEnvironment()
            let sources = (try? Configuration.load(nil, environment))?.sources ?? []
            let stations = (try? StationList.read(environment))?.stations ?? []
            let names = sources.map { "\($0.name):/" } + stations.map(\.name)
            let found =
                names + Self.sourcePaths + Self.files(beginningWith: prefix)
                + Self.addresses(environment)
            return Self.proposals(found, beginningWith: prefix)
        }
    }

    /// A resource of the cache, by its URL.
    static var cached: CompletionKind {
        .custom { _, _, prefix in
            Self.proposals(Self.addresses(ProgramEnvironment()), beginningWith: prefix)
        }
    }

    /// The name of a station.
    static var stations: CompletionKind {
        .custom { _, _, prefix in
            let stations = (try? StationList.read(ProgramEnvironment()))?.stations ?? []
            return Self.proposals(stations.map(\.name), beginningWith: prefix)
        }
    }

    /// What a shell is told: nothing twice, and nothing that moves a cursor.
    ///
    /// For bash each is in quotes, since its `compgen` would run what a name has in `$(…)`.
    static func proposals(
        _ texts: [String],
        beginningWith prefix: String,
        for shell: CompletionShell? = CompletionShell.requesting
    ) -> [String] {
        var known: Set<String> = []
        let fitting = texts.filter {
            $0.hasPrefix(prefix) && $0 == $0.printableLine && known.insert($0).inserted
        }
        let proposed = fitting.prefix(Self.most)
        return shell == .bash ? proposed.map(\.shellQuoted) : Array(proposed)
    }

    private static func addresses(_ environment: ProgramEnvironment) -> [String] {
        guard let folder = try? CacheFolderOption.parse([]).path(environment) else { return [] }
        return (try? Cache.resources(inDirectory: folder))?.map(\.display) ?? []
    }

    /// The entries of the folder that the text leads to; a folder has a slash at its end.
    private static func files(beginningWith prefix: String) -> [String] {
        let folder = prefix.lastIndex(of: "/").map { String(prefix[...$0]) } ?? ""
        let name = prefix.dropFirst(folder.count)
        let path = ProgramEnvironment().absolutePath(folder.isEmpty ? "." : folder, from: "")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasPrefix(name) && ($0.first != "." || name.first == ".") }
            .sorted()
            .map { entry in
                var isFolder: ObjCBool = false
                _ = FileManager.default.fileExists(
                    atPath: "\(path)/\(entry)",
                    isDirectory: &isFolder
                )
                return "\(folder)\(entry)\(isFolder.boolValue ? "/" : "")"
            }
    }
}
