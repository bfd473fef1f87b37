// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirSource

/// A directory that keeps what was fetched: for every resource a sparse data file, a journal of what
/// of it is held, and a catalogue of them all.
///
/// One cache owns a directory at a time, in all processes. Everything that may wait for a disk but
/// writing bytes happens on a queue of the cache's own. The landing page tells the order in which
/// things become durable, and what a kill or a power cut leaves.
///
/// **Limits.** When more is held than ``limits`` allow (bytes, those being written included; resources;
/// age; too little room left on the disk), the resources that have not been used for the longest time
/// go, until it is not. Those in use or pinned stay, and so does the one that was used last: a resource
/// larger than the limit can be played, and sought in, and goes when another one is used, or at the next
/// start. Looked at after every write, whenever a resource is opened, made or left, at a change of the
/// limits, and at the start; the room on the disk at every checkpoint.
///
/// **Open files.** At most `maximumOpenFiles` data files stay open: of more, those that were not used for the longest
/// time are closed, and opened again when they are used. Only those with a slice in use, those with bytes
/// that are not durable yet, and those that were removed while in use stay open beyond that. Journals are
/// open only while they are written.
package final class Cache: Sendable {
    /// The directory, as an absolute path.
    package let directory: String

    let files: GenerationFiles
    let catalogue: Catalogue
    let work: any SerialWork
    let state: Mutex<State>
    /// Milliseconds since 1970.
    let now: @Sendable () -> Int64
    private let lock: DirectoryLock
    let observer: SourceObserver?
    /// Is told when bytes of a generation have become durable.
    let saved = Mutex<(@Sendable (Generation) -> Void)?>(nil)

    /// Opens a directory, and makes it if it does not exist.
    ///
    /// Takes time in proportion to the number of resources, about a second for 100,000 of them; after
    /// an owner that did not close, the names of all files are compared with the catalogue, and
    /// where that is missing or damaged, all journals are read.
    ///
    /// - Parameters:
    ///   - directory: where everything is kept; made with mode 0700.
    ///   - limits: how much to hold, and for how long; everything without any.
    ///   - observer: is told when bytes cannot be kept, once until they can again.
    ///   - files: the file system.
    ///   - maximumOpenFiles: how many data files stay open without readers; less than 1 is taken for 1.
    ///   - attributes: what the system is told of the directory, before anything is made in it. A system that refuses them
    ///     keeps the cache all the same.
    /// - Throws: ``CacheError`` with `notADirectory`, `notWritable`, `full`, `inUse`, `newerFormat`,
    ///   `exhausted`, `io`.
    package convenience init(
        directory: String,
        limits: CacheLimits = CacheLimits(),
        observer: SourceObserver? = nil,
        files: any FileOperations = PosixFiles(),
        maximumOpenFiles: Int = Cache.defaultMaximumOpenFiles,
        attributes: DirectoryAttributes = DirectoryAttributes()
    ) throws(CacheError) {
        try self.init(
            directory: directory,
            limits: limits,
            observer: observer,
            files: files,
            maximumOpenFiles: maximumOpenFiles,
            attributes: attributes,
            work: DispatchWork(),
            now: Cache.timeOfDay
        )
    }

    /// Has bytes told when they have become durable, from now on; `tell` is called from a thread of the cache, and must
    /// return at once.
    package func observeSaves(_ tell: (@Sendable (Generation) -> Void)?) {
        self.saved.withLock { $0 = tell }
    }

    /// How many data files stay open unless something else is said: 128.
    package static let defaultMaximumOpenFiles = 128

    init(
        directory: String,
        limits: CacheLimits,
        observer: SourceObserver?,
        files: any FileOperations,
        maximumOpenFiles: Int = Cache.defaultMaximumOpenFiles,
        attributes: DirectoryAttributes = DirectoryAttributes(),
        work: any SerialWork,
        now: @escaping @Sendable () -> Int64
    ) throws(CacheError) {
        let disk = Disk(files: files)
        self.directory = Self.absolutePath(directory)
        try Self.makeDirectory(self.directory, disk)
        // A volume that has no such attributes is no reason to keep nothing.
        try? disk.apply(attributes, toDirectory: self.directory)
        self.lock = try DirectoryLock(directory: self.directory, disk)
        self.files = GenerationFiles(
            directory: self.directory,
            disk: disk,
            openFiles: OpenFiles(maximum: maximumOpenFiles)
        )
        let opened = try Catalogue.open(inDirectory: self.directory, disk)
        self.catalogue = opened.catalogue
        var known = opened.known
        var newest = GenerationID(rawValue: 0)
        if !opened.isClean {
            (known, newest) = try self.files.compare(with: opened.catalogue, known: opened.known)
        }
        self.work = work
        self.now = now
        self.observer = observer
        self.state = Mutex(State(known, limits: limits, newest: newest))
        self.lookAtDisk()
        self.evictIfNeeded(.strict)
    }

    /// How much to hold, and for how long; may be changed at any time.
    package var limits: CacheLimits {
        get { self.state.withLock { $0.limits } }
        set {
            self.state.withLock { $0.limits = newValue }
            self.lookAtDisk()
            self.evictIfNeeded(.strict)
        }
    }

    /// How many descriptors of data files are open.
    package var openFileCount: Int { self.files.openFiles.count.current }

    /// How many bytes are held, those being written included.
    package var heldByteCount: Int64 { self.state.withLock { $0.index.total } }

    /// Opens the cached bytes of a resource, and counts as its user until ``Generation/release()``.
    ///
    /// What lies on disk is read once, not in the lock of other resources: takes time in proportion
    /// to the journal, some 100 µs.
    ///
    /// - Returns: the newest generation; `nil` if there is none, or its files prove nothing, in which
    ///   case they go.
    /// - Throws: ``CacheError`` with `newerFormat`, `notWritable`, `exhausted`, `closed`.
    package func open(_ key: ResourceKey) throws(CacheError) -> Generation? {
        try self.open(key.id)
    }

    /// Opens the cached bytes of a resource.
    ///
    /// - Parameters:
    ///   - id: the resource.
    ///   - isUse: whether it counts as used just now, for eviction.
    /// - Returns: the newest generation; `nil` if there is none, or its files prove nothing.
    /// - Throws: as ``open(_:)-(ResourceKey)``.
    func open(_ id: ResourceID, isUse: Bool = true) throws(CacheError) -> Generation? {
        let now = isUse ? self.now() : nil
        let known = self.state.withLock { $0.look(for: id, at: now) }
        switch known {
        case .closed:
            throw CacheError.closed(self.directory)
        case .absent:
            return nil
        case .live(let generation):
            self.used()
            return generation
        case .stored(let generationID):
            self.waitIfCrowded()
            let generation = try self.load(id, generationID, at: now)
            self.used()
            return generation
        }
    }

    /// Starts a new generation of a resource, and counts as its user until ``Generation/release()``.
    ///
    /// Older generations are no longer found, and their files go when the new one's
    /// journal is durable; a reader of one may finish.
    ///
    /// - Parameters:
    ///   - key: the resource.
    ///   - description: what is known of it; its `generation` is set.
    ///   - persistent: whether it may outlive its users; `false` for a resource without a validator,
    ///     whose bytes could not be joined to others another day.
    /// - Returns: the new generation, of which nothing is held.
    /// - Throws: ``CacheError`` with `full`, `notWritable`, `notADirectory`, `exhausted`, `io`, `closed`;
    ///   `lengthConflict` for a length that no resource has (`ResourceLength` of WeirSource).
    package func create(
        _ key: ResourceKey,
        description: ResourceDescription,
        persistent: Bool
    ) throws(CacheError) -> Generation {
        guard description.length.map({ ResourceLength.checked($0) != nil }) ?? true else {
            throw CacheError(
                .lengthConflict,
                "Could not keep a resource of \(description.length ?? 0) bytes: no resource has so many; the origin is wrong.",
                path: self.directory
            )
        }
        self.waitIfCrowded()
        let now = self.now()
        let (id, file) = try self.newData(key.id, at: now)
        var description = description
        description.generation = id
        let header = JournalHeader(key, id, description, created: now)
        let state = GenerationState(description: description, isPersistent: persistent)
        let generation = Generation(
            key.id,
            id,
            file: file,
            state: state,
            journal: persistent ? self.files.newJournal(key.id, id, header) : nil,
            unannounced: persistent ? header : nil,
            cache: self
        )
        let entry = ResourceIndex.Entry(
            id: key.id,
            generation: id,
            heldCount: 0,
            lastUse: now,
            confirmed: now,
            users: 1
        )
        guard let added = self.state.withLock({ $0.add(generation, entry, at: now) }) else {
            try? self.files.remove(key.id, id)
            throw CacheError.closed(self.directory)
        }
        if added.isPinned { generation.state.withLock { $0.pinned(true) } }
        self.work.enqueue(in: id) { self.found(generation, superseding: added.superseded) }
        self.used()
        return generation
    }

    /// Makes everything durable, writes the catalogue and gives the directory to the next process.
    ///
    /// Waits for the disk. Slices stay readable; everything else throws `closed` from now on. Does
    /// nothing the second time. A cache that is dropped without it loses nothing that was durable,
    /// only the next start takes longer.
    package func close() {
        guard let generations = self.state.withLock({ $0.close(at: self.now()) }) else { return }
        for generation in generations { generation.close() }
        self.work.finishLanes()
        self.work.perform {
            self.finish(generations)
            self.lock.release()
        }
    }

    /// Whether the directory is still there, and ours.
    ///
    /// When it is removed, open resources can be read to their end; to keep more, the directory has to be
    /// opened again.
    package var isInPlace: Bool { self.lock.isInPlace(in: self.directory) }

    /// Tells the observer that bytes cannot be kept, unless it knows.
    ///
    /// - Parameter error: why not.
    /// - Returns: whether it is news, and there is no observer to tell.
    @discardableResult
    package func degraded(_ error: CacheError) -> Bool {
        let isNews = self.state.withLock { $0.degrade() }
        guard isNews, let observer else { return isNews }
        observer(.cacheDegraded(reason: error.message))
        return false
    }

    /// Tells the observer that bytes are kept, if it was told that they could not.
    func recovered() {
        let isNews = self.state.withLock { state in
            defer { state.isDegraded = false }
            return state.isDegraded
        }
        if isNews { self.observer?(.cacheRecovered) }
    }
}
