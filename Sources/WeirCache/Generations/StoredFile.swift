// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// The data file of a generation, open or closed.
///
/// It is created when its first byte is written, and opened when it is used. It is closed when
/// other files need the descriptor, or when it was removed and no reader holds the generation. When
/// it is opened again, its identity is compared, so that another file of the same name is refused.
/// While a reader holds the generation, a removal leaves the file open, since nothing could open it
/// again.
final class StoredFile: Sendable {
    private struct State {
        /// The descriptor, if it is kept open for the next use.
        var kept: DataFile?
        /// The same descriptor, or one that stays open only as long as its slices.
        weak var lent: DataFile?
        /// How many holders the generation has.
        var holders = 0
        /// Whether the file has no name any more, or is about to lose it.
        var isRemoved = false
        /// The identity; `nil` before the file is created.
        var identity: FileIdentity?

        var open: DataFile? { self.kept ?? self.lent }
    }

    /// The file's present or former path.
    let path: String
    private let disk: Disk
    private let openFiles: OpenFiles
    /// Creates the file, and returns its descriptor.
    private let create: @Sendable () throws(FileFailure) -> CInt
    private let doubts = DoubtMark()
    private let state: Mutex<State>
    private let use: Atomic<UInt64>
    /// Held while the file is created, so that it is created once, and never after its removal.
    private let creating = Mutex(())

    /// A file that does not exist yet.
    init(
        path: String,
        disk: Disk,
        openFiles: OpenFiles,
        create: @escaping @Sendable () throws(FileFailure) -> CInt
    ) {
        self.path = path
        self.disk = disk
        self.openFiles = openFiles
        self.create = create
        self.state = Mutex(State())
        self.use = Atomic(openFiles.nextUse)
    }

    /// Takes over a descriptor of a file that was just opened.
    init(
        descriptor: CInt,
        identity: FileIdentity,
        path: String,
        disk: Disk,
        openFiles: OpenFiles
    ) {
        let file = DataFile(
            descriptor: descriptor,
            path: path,
            disk: disk,
            doubts: self.doubts,
            count: openFiles.count
        )
        self.path = path
        self.disk = disk
        self.openFiles = openFiles
        self.create = { () throws(FileFailure) in
            throw FileFailure(errno: SystemErrors.absence, operation: .open, path: path)
        }
        self.state = Mutex(State(kept: file, lent: file, identity: identity))
        self.use = Atomic(openFiles.nextUse)
        openFiles.opened(self)
    }

    deinit {
        self.openFiles.remove(ObjectIdentifier(self))
    }

    /// The number of the last use, as ``OpenFiles/nextUse`` counts.
    var lastUse: UInt64 { self.use.load(ordering: .relaxed) }

    /// The file, if it is open; no system call.
    var ifOpen: DataFile? {
        guard let file = self.state.withLock({ $0.open }) else { return nil }
        self.use.store(self.openFiles.nextUse, ordering: .relaxed)
        return file
    }

    /// Whether the file was created.
    var isCreated: Bool { self.state.withLock { $0.identity != nil } }

    /// The file; creates it if it does not exist yet, and opens it if it is closed.
    ///
    /// - Throws: ``CacheError`` with `exhausted` if there is no descriptor left; `io` and others if
    ///   the file cannot be created or has changed.
    func opened() throws(CacheError) -> DataFile {
        if let file = self.ifOpen { return file }
        if !self.isCreated { return try self.created() }
        let new: DataFile
        do throws(FileFailure) {
            new = try self.reopened()
        } catch {
            throw CacheError("open the cached file", path: self.path, failure: error)
        }
        let file = self.state.withLock { state in
            // Another thread may have been faster; then the new descriptor closes itself.
            if let open = state.open { return open }
            state.lent = new
            // A file that is removed and has no holder must not take up the disk.
            if !state.isRemoved || state.holders > 0 { state.kept = new }
            return new
        }
        self.use.store(self.openFiles.nextUse, ordering: .relaxed)
        self.openFiles.opened(self)
        return file
    }

    private func created() throws(CacheError) -> DataFile {
        let file: DataFile
        do throws(FileFailure) {
            file = try self.creating.withLock { _ throws(FileFailure) in
                // Another thread may have been faster.
                if let file = self.ifOpen { return file }
                guard !self.isCreated else { return try self.reopened() }
                let file = self.dataFile(try self.create())
                let identity: FileIdentity
                do throws(FileFailure) {
                    identity = try self.disk.status(of: file.handle).identity
                } catch {
                    _ = try? self.disk.remove(self.path)
                    throw error
                }
                let isRemoved = self.state.withLock { state in
                    state.identity = identity
                    state.lent = file
                    if !state.isRemoved || state.holders > 0 { state.kept = file }
                    return state.isRemoved
                }
                // Its generation was removed before it had a file.
                if isRemoved { try self.disk.remove(self.path) }
                return file
            }
        } catch {
            throw CacheError("make the cached file", path: self.path, failure: error)
        }
        self.use.store(self.openFiles.nextUse, ordering: .relaxed)
        self.openFiles.opened(self)
        return file
    }

    /// Whether a read has failed since the last call.
    func takeDoubt() -> Bool { self.doubts.take() }

    // MARK: Uses

    /// Adds a holder, which must be able to read the generation even if it is removed.
    func hold() {
        self.state.withLock { $0.holders += 1 }
    }

    /// Removes a holder.
    func letGo() {
        let closing = self.state.withLock { state -> DataFile? in
            state.holders -= 1
            guard state.holders == 0, state.isRemoved else { return nil }
            defer { state.kept = nil }
            return state.kept
        }
        // The descriptor is closed outside the lock.
        withExtendedLifetime(closing) {}
    }

    /// Whether the generation has a holder.
    var isHeld: Bool { self.state.withLock { $0.holders > 0 } }

    /// Gives up the descriptor, since another file needs one; slices in use keep it open.
    ///
    /// Does nothing if the file was removed, since it cannot be opened again.
    func close() {
        let closing = self.state.withLock { state -> DataFile? in
            guard !state.isRemoved else { return nil }
            defer { state.kept = nil }
            return state.kept
        }
        withExtendedLifetime(closing) {}
    }

    /// Prepares for the removal of the file's name.
    ///
    /// Holders of the generation can read on: the file is opened for them, if the system allows it.
    func willBeRemoved() {
        let (isNeeded, closing) = self.creating.withLock { _ in
            self.state.withLock { state -> (Bool, DataFile?) in
                state.isRemoved = true
                guard state.identity != nil else { return (false, nil) }
                guard state.holders == 0 else {
                    state.kept = state.open
                    return (state.kept == nil, nil)
                }
                defer { state.kept = nil }
                return (false, state.kept)
            }
        }
        withExtendedLifetime(closing) {}
        if isNeeded { _ = try? self.opened() }
    }

    private func reopened() throws(FileFailure) -> DataFile {
        let file = self.dataFile(try self.disk.openToRead(self.path, or: .updating))
        let identity = try self.disk.status(of: file.handle).identity
        guard identity == self.state.withLock({ $0.identity }) else {
            throw FileFailure(errno: SystemErrors.absence, operation: .open, path: self.path)
        }
        return file
    }

    private func dataFile(_ descriptor: CInt) -> DataFile {
        DataFile(
            descriptor: descriptor,
            path: self.path,
            disk: self.disk,
            doubts: self.doubts,
            count: self.openFiles.count
        )
    }
}
