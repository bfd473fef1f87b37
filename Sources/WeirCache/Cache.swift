// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirSource

/// A directory that keeps fetched bytes.
///
/// Every resource has a sparse data file, and a journal of its held ranges. One catalogue lists all
/// resources.
///
/// Only one cache in all processes owns a directory at a time. Everything that may wait for a disk,
/// except reading bytes, happens on the cache's own queue and in its lanes. The landing page describes the order in
/// which things become durable, and the state after a kill or a power cut.
///
/// **Limits.** ``limits`` bounds the held bytes (including those being written), the number of
/// resources, their age, and the room left on the disk. When the cache exceeds a limit, it removes
/// the least recently used resources until all limits are met. Resources in use and pinned
/// resources stay. The most recently used resource also stays, unless it is too old. So a player
/// can play a resource larger than the limit, and seek in it. The cache removes that resource when
/// another one is used or unpinned, when the limits change, or at the next start. The cache checks
/// its limits after every write, whenever a resource is opened, made, left or unpinned, when the
/// limits change, and at the start. It checks the room on the disk at every checkpoint.
///
/// **Open files.** At most `maximumOpenFiles` data files stay open. When more are open, the cache
/// closes the least recently used ones, and opens them again for their next use. Three kinds stay
/// open beyond that number: files with a slice in use, files with bytes that are not durable yet,
/// and files that were removed while in use. Journals are open only while they are written.
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
    /// How many accepted bytes of all generations wait for the disk.
    let acceptedCount = Atomic<Int64>(0)
    /// The writes of accepted bytes.
    let writes = StallWatch()
    /// The work of the queue for generations that their users have left.
    let saves = StallWatch()
    /// Called when bytes of a generation have become durable.
    let saved = Mutex<(@Sendable (Generation) -> Void)?>(nil)

    /// Opens a directory; creates it if it does not exist.
    ///
    /// If the last owner closed the cache, takes the same time for any number of resources. A
    /// thread of the cache then reads the list of many resources, and until it is read, each
    /// resource that is used is looked up by itself. If the last owner did not close the cache,
    /// compares the names of all files with the catalogue, which takes about a second for 100,000
    /// resources. If the catalogue is missing or damaged, reads all journals.
    ///
    /// - Parameters:
    ///   - directory: the directory of the cache; created with mode 0700.
    ///   - limits: how much to hold, and for how long; no limits by default.
    ///   - observer: receives the events of the cache. When bytes cannot be kept, it receives one
    ///     event until they can be kept again.
    ///   - files: the file system.
    ///   - maximumOpenFiles: how many data files stay open without readers; a value below 1 counts
    ///     as 1.
    ///   - attributes: set on the directory before anything is created in it. If the system refuses
    ///     them, the cache works nevertheless.
    /// - Throws: ``CacheError`` with `notADirectory`, `notWritable`, `full`, `inUse`,
    ///   `newerFormat`, `exhausted`, `io`.
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

    /// Sets the callback for bytes that have become durable.
    ///
    /// A thread of the cache calls `tell`, which must return at once.
    package func observeSaves(_ tell: (@Sendable (Generation) -> Void)?) {
        self.saved.withLock { $0 = tell }
    }

    /// The default number of data files that stay open: 128.
    package static let defaultMaximumOpenFiles = 128
    /// The number of resources up to which a start reads the whole list: 1000.
    static let knownAtOnce = 1000

    init(
        directory: String,
        limits: CacheLimits,
        observer: SourceObserver?,
        files: any FileOperations,
        maximumOpenFiles: Int = Cache.defaultMaximumOpenFiles,
        attributes: DirectoryAttributes = DirectoryAttributes(),
        knownAtOnce: Int = Cache.knownAtOnce,
        work: any SerialWork,
        now: @escaping @Sendable () -> Int64
    ) throws(CacheError) {
        let disk = Disk(files: files)
        self.directory = Self.absolutePath(directory)
        try Self.makeDirectory(self.directory, disk)
        // A volume without such attributes is no reason to fail.
        try? disk.apply(attributes, toDirectory: self.directory)
        self.lock = try DirectoryLock(directory: self.directory, disk)
        self.files = GenerationFiles(
            directory: self.directory,
            disk: disk,
            openFiles: OpenFiles(maximum: maximumOpenFiles)
        )
        let opened = try Catalogue.open(inDirectory: self.directory, atOnce: knownAtOnce, disk)
        self.catalogue = opened.catalogue
        var known = opened.known
        var newest = GenerationID(rawValue: 0)
        if !opened.isClean, let listed = known {
            (known, newest) = try self.files.compare(with: opened.catalogue, known: listed)
        }
        self.work = work
        self.now = now
        self.observer = observer
        self.state = Mutex(State(known, limits: limits, newest: newest))
        self.lookAtDisk()
        self.evictIfNeeded(.strict)
        if known == nil { self.work.enqueue { [weak self] in self?.readIndex() } }
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

    /// How many bytes are held, including those being written.
    package var heldByteCount: Int64 {
        self.waitForIndex()
        return self.state.withLock { $0.index.total }
    }

    /// Opens the cached bytes of a resource; the caller counts as a user until
    /// ``Generation/release()``.
    ///
    /// A resource on disk is read once, outside the cache's lock. This takes time in proportion to
    /// the journal, some 100 µs.
    ///
    /// - Returns: the newest generation; `nil` if there is none, or if its files are unusable and
    ///   therefore removed.
    /// - Throws: ``CacheError`` with `newerFormat`, `notWritable`, `exhausted`, `closed`.
    package func open(_ key: ResourceKey) throws(CacheError) -> Generation? {
        try self.open(key.id)
    }

    /// Opens the cached bytes of a resource.
    ///
    /// - Parameters:
    ///   - id: the resource.
    ///   - isUse: whether to set the time of the last use, by which eviction chooses.
    /// - Returns: the newest generation; `nil` if there is none, or if its files are unusable.
    /// - Throws: as ``open(_:)-(ResourceKey)``.
    func open(_ id: ResourceID, isUse: Bool = true) throws(CacheError) -> Generation? {
        let now = isUse ? self.now() : nil
        try self.learn(id)
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
            self.waitForRoom()
            let generation = try self.load(id, generationID, at: now)
            self.used()
            return generation
        }
    }

    /// Starts a new generation of a resource; the caller counts as a user until
    /// ``Generation/release()``.
    ///
    /// Lookups no longer find older generations. The cache removes their files when the new
    /// generation's journal is durable; their readers may finish. Waits for no disk: a thread of the
    /// cache makes the files.
    ///
    /// - Parameters:
    ///   - key: the resource.
    ///   - description: the known facts of the resource; its `generation` is set.
    ///   - persistent: whether the generation may outlive its users; `false` for a resource without
    ///     a validator, whose bytes cannot be joined to bytes that a later process fetches.
    /// - Returns: the new generation, which holds no bytes.
    /// - Throws: ``CacheError`` with `closed`; `lengthConflict` for an impossible length
    ///   (`ResourceLength` of WeirSource).
    package func create(
        _ key: ResourceKey,
        description: ResourceDescription,
        persistent: Bool
    ) throws(CacheError) -> Generation {
        guard description.length.map({ ResourceLength.checked($0) != nil }) ?? true else {
            throw CacheError(
                .lengthConflict,
                "Could not keep a resource of \(description.length ?? 0) bytes: no resource can be that long; the origin is wrong.",
                path: self.directory
            )
        }
        let now = self.now()
        try self.learn(key.id)
        let id = try self.newName(at: now)
        let file = self.files.newData(key.id, id)
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
            throw CacheError.closed(self.directory)
        }
        if added.isPinned { generation.state.withLock { $0.pinned(true) } }
        self.work.enqueue(in: id) { self.found(generation, superseding: added.superseded) }
        self.used()
        return generation
    }

    /// Makes everything durable, writes the catalogue and releases the directory.
    ///
    /// Waits for the disk. Slices stay readable; every other call throws `closed` from now on. A
    /// second call does nothing. A cache that is deallocated without this call loses no durable
    /// bytes, but the next start takes longer.
    package func close() {
        guard let generations = self.state.withLock({ $0.close(at: self.now()) }) else { return }
        for generation in generations { generation.close() }
        self.work.finishLanes()
        self.work.perform {
            self.finish(generations)
            self.lock.release()
        }
    }

    /// Whether the directory still exists, and this cache still owns it.
    ///
    /// If the directory was removed, open resources can be read to their end; to keep more bytes,
    /// open the directory again.
    package var isInPlace: Bool { self.lock.isInPlace(in: self.directory) }

    /// Tells the observer that bytes cannot be kept, unless it was told already.
    ///
    /// - Parameter error: the reason.
    /// - Returns: whether this is news and the cache has no observer.
    @discardableResult
    package func degraded(_ error: CacheError) -> Bool {
        let isNews = self.state.withLock { $0.degrade() }
        guard isNews, let observer else { return isNews }
        observer(.cacheDegraded(reason: error.message))
        return false
    }

    /// Notes that accepted bytes of a generation were written.
    ///
    /// - Parameters:
    ///   - count: their number.
    ///   - generation: the generation.
    ///   - wasGivenUp: whether the generation had given them up before the disk took them.
    func wroteAccepted(_ count: Int64, of generation: Generation, wasGivenUp: Bool) {
        if wasGivenUp {
            self.state.withLock { $0.index.addBytes(count, to: generation.key, generation.id) }
        } else {
            self.acceptedEnded(count)
        }
        self.writes.advanced()
    }

    /// Notes that accepted bytes of a generation will not be written.
    func gaveUpAccepted(_ count: Int64, of generation: Generation) {
        self.acceptedEnded(count)
        self.state.withLock { $0.index.addBytes(-count, to: generation.key, generation.id) }
    }

    /// Notes that accepted bytes no longer wait for the disk.
    func acceptedEnded(_ count: Int64) {
        self.acceptedCount.wrappingSubtract(count, ordering: .relaxed)
    }

    /// Tells the observer that bytes can be kept again, if it was told that they could not.
    func recovered() {
        let isNews = self.state.withLock { state in
            defer { state.isDegraded = false }
            return state.isDegraded
        }
        if isNews { self.observer?(.cacheRecovered) }
    }
}
