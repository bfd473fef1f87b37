// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import WeirCache
import WeirSource

/// The proposals of a shell for an argument.
///
/// Only the completion of a path in a source sends a request to an origin: it lists the folder.
enum Completions {
    /// The largest number of proposals.
    static let most = 500

    /// The listed paths, if the completed word is a path in a source; set before the arguments are
    /// parsed.
    @TaskLocal static var sourcePaths: [String] = []

    /// A source, a path in it, a station, a file, a folder, or the URL of a cached resource.
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

    /// The texts that Weir proposes to a shell, without duplicates and control characters.
    ///
    /// For bash, each text is in quotes, since `compgen` would run a `$(…)` in a name.
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

    /// The files and folders of this machine whose paths begin with the text; folders end with a
    /// slash.
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
