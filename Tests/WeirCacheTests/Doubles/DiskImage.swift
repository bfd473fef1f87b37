// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirCache
import WeirCacheTestSupport
import WeirTestKit

/// The durable contents of a disk, and the changes that a power cut may undo.
///
/// A file's bytes are durable once the file was synchronized; its name is durable once its
/// directory was synchronized. A power cut may keep or undo each other change: each change of a
/// name, and each 512 bytes of a write.
struct DiskImage {
    private static let sector: Int64 = 512

    private enum Change {
        case write(at: Int64, [UInt8])
        case truncate(to: Int64)
    }

    private enum NameChange {
        case made(String, Int)
        case renamed(String, String)
        case removed(String)

        var directory: String {
            switch self {
            case .made(let path, _), .renamed(_, let path), .removed(let path):
                DiskImage.directory(of: path)
            }
        }
    }

    private struct File {
        var bytes: [UInt8] = []
        var pending: [Change] = []
    }

    private var files: [Int: File] = [:]
    private var names: [String: Int] = [:]
    private var pendingNames: [NameChange] = []
    private var directories: Set<String> = []
    private var pendingDirectories: [String] = []
    /// The names and descriptors of files, as the running process sees them.
    private var current: [String: Int] = [:]
    private var open: [CInt: Int] = [:]

    /// Applies an operation that succeeded.
    ///
    /// - Returns: whether it made a change that a power cut may undo, or made changes durable.
    mutating func happened(_ call: ScriptedFiles.Call) -> Bool {
        switch call.operation {
        case .open: return self.opened(call)
        case .write:
            return self.change(call, .write(at: call.offset, call.bytes))
        case .truncate:
            return self.change(call, .truncate(to: call.offset))
        case .synchronize:
            guard let descriptor = call.descriptor else {
                self.synchronizedDirectory(call.path)
                return true
            }
            guard let number = self.open[descriptor], var file = self.files[number] else {
                return false
            }
            for change in file.pending { Self.apply(change, to: &file.bytes) }
            file.pending = []
            self.files[number] = file
        case .rename:
            self.current[call.newPath] = self.current.removeValue(forKey: call.path)
            self.pendingNames.append(.renamed(call.path, call.newPath))
        case .remove:
            self.current[call.path] = nil
            self.pendingNames.append(.removed(call.path))
        case .createDirectory: self.pendingDirectories.append(call.path)
        case .read, .copy, .look, .lock, .list: return false
        }
        return true
    }

    private mutating func opened(_ call: ScriptedFiles.Call) -> Bool {
        guard let descriptor = call.descriptor else { return false }
        if let number = self.current[call.path] {
            self.open[descriptor] = number
            return call.purpose == .replacing && self.change(call, .truncate(to: 0))
        }
        // Files are identified by numbers, since names change.
        let number = self.files.count
        self.files[number] = File()
        self.current[call.path] = number
        self.open[descriptor] = number
        self.pendingNames.append(.made(call.path, number))
        return true
    }

    private mutating func change(_ call: ScriptedFiles.Call, _ change: Change) -> Bool {
        guard let number = call.descriptor.flatMap({ self.open[$0] }) else { return false }
        self.files[number]?.pending.append(change)
        return true
    }

    private mutating func synchronizedDirectory(_ path: String) {
        for change in self.pendingNames where change.directory == path {
            Self.apply(change, to: &self.names)
        }
        self.pendingNames.removeAll { $0.directory == path }
        for directory in self.pendingDirectories where Self.directory(of: directory) == path {
            self.directories.insert(directory)
        }
        self.pendingDirectories.removeAll { Self.directory(of: $0) == path }
    }

    /// Writes the state that a power cut at this moment could leave to another directory.
    ///
    /// - Parameters:
    ///   - root: the recorded directory.
    ///   - target: a new directory.
    ///   - generator: decides which changes remain.
    /// - Throws: the errors of the real file system.
    func cut(
        from root: String,
        to target: String,
        using generator: inout SeededGenerator
    ) throws {
        var names = self.names
        for change in self.pendingNames where Bool.random(using: &generator) {
            Self.apply(change, to: &names)
        }
        var directories = self.directories
        for directory in self.pendingDirectories where Bool.random(using: &generator) {
            directories.insert(directory)
        }
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        for directory in directories where directory.hasPrefix(root + "/") {
            try FileManager.default.createDirectory(
                atPath: target + directory.dropFirst(root.count),
                withIntermediateDirectories: true
            )
        }
        for (path, number) in names.sorted(by: { $0.key < $1.key }) where path.hasPrefix(root + "/")
        {
            let directory = Self.directory(of: path)
            guard directory == root || directories.contains(directory), !path.contains("catalogue"),
                let file = self.files[number]
            else { continue }
            let bytes = Self.torn(file, using: &generator)
            try Data(bytes).write(to: URL(filePath: target + path.dropFirst(root.count)))
        }
    }

    private static func torn(_ file: File, using generator: inout SeededGenerator) -> [UInt8] {
        var bytes = file.bytes
        for change in file.pending {
            switch change {
            case .truncate:
                if Bool.random(using: &generator) { self.apply(change, to: &bytes) }
            case .write(let offset, let content):
                // The whole write, nothing, or any of its sectors.
                let chance = Int.random(in: 0..<3, using: &generator)
                var position = offset
                let end = offset + Int64(content.count)
                while position < end {
                    let next = min(end, (position / self.sector + 1) * self.sector)
                    let isLeft = chance == 0 || (chance == 1 && Bool.random(using: &generator))
                    if isLeft {
                        let part = content[Int(position - offset)..<Int(next - offset)]
                        self.apply(.write(at: position, Array(part)), to: &bytes)
                    }
                    position = next
                }
            }
        }
        return bytes
    }

    private static func apply(_ change: Change, to bytes: inout [UInt8]) {
        switch change {
        case .write(let offset, let content):
            let end = Int(offset) + content.count
            if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
            bytes.replaceSubrange(Int(offset)..<end, with: content)
        case .truncate(let size):
            if bytes.count > Int(size) { bytes.removeLast(bytes.count - Int(size)) }
            if bytes.count < Int(size) {
                bytes += [UInt8](repeating: 0, count: Int(size) - bytes.count)
            }
        }
    }

    private static func apply(_ change: NameChange, to names: inout [String: Int]) {
        switch change {
        case .made(let path, let file): names[path] = file
        case .renamed(let old, let new):
            guard let file = names.removeValue(forKey: old) else { return }
            names[new] = file
        case .removed(let path): names[path] = nil
        }
    }

    private static func directory(of path: String) -> String {
        String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }
}
