// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import WeirSource

/// A folder of this machine as a storage; its files are played where they lie and not kept a second time.
public final class FileStorage: MediaStorage {
    private static let pageSize = 200

    /// The folder that paths start from, without a slash at its end.
    public let folder: String

    private let name: String?

    /// A folder.
    ///
    /// - Parameters:
    ///   - folder: its path; nothing outside of it is named, unless a symbolic link in it leads there.
    ///   - name: what is shown before a path; `nil` shows paths of this machine.
    public init(folder: String, name: String? = nil) {
        var folder = folder
        while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
        self.folder = folder == "/" ? "" : folder
        self.name = name
    }

    /// The name and the path, or the path on this machine.
    public func displayName(of path: FolderPath) -> String {
        self.name.map { "\($0):\(path)" } ?? self.place(path)
    }

    /// None: the file lies here already.
    public func identity(of path: FolderPath) -> String? { nil }

    /// No.
    public var usesCredential: Bool { false }

    /// What lies at a path.
    public func entry(at path: FolderPath) async throws -> FolderEntry {
        let place = self.place(path)
        let status = try FileStatusReading.status(of: place, display: self.displayName(of: path))
        return status.entry(name: path.name ?? (place as NSString).lastPathComponent)
    }

    /// The entries of a folder, by name; what cannot be looked at is left out.
    public func entries(in path: FolderPath) -> FolderPages {
        FolderPages {
            let state = PageState()
            let names = Listed()
            return {
                guard let offset = state.next else { return nil }
                if offset == 0 { names.list = try self.names(in: path) }
                let page = names.list.dropFirst(offset).prefix(Self.pageSize)
                state.next = page.count < Self.pageSize ? nil : offset + page.count
                return page.compactMap { name in
                    let place = "\(self.place(path.asFile))/\(name)"
                    return try? FileStatusReading.status(of: place, display: name).entry(name: name)
                }
            }
        }
    }

    /// The file.
    public func source(of path: FolderPath) -> any ByteSource {
        FileSource(path: self.place(path.asFile), display: self.displayName(of: path))
    }

    private func names(in path: FolderPath) throws -> [String] {
        let display = self.displayName(of: path)
        let place = self.place(path)
        let status = try FileStatusReading.status(of: place, display: display)
        guard status.isFolder else { throw CloudSentences.isFile(display, host: nil) }
        do {
            return try FileManager.default.contentsOfDirectory(atPath: place).sorted()
        } catch {
            throw CloudSentences.forbidden(display, status: nil, host: nil)
        }
    }

    private func place(_ path: FolderPath) -> String {
        let place = "\(self.folder)\(path.isFolder ? path.asFile : path)"
        return place.count > 1 && place.hasSuffix("/") ? String(place.dropLast()) : place
    }
}
