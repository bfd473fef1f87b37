// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The numbers that decide what is fetched, and when.
public struct LoadPolicy: Hashable, Sendable {
    /// Which bytes are fetched even without a reader.
    public var prefetch: PrefetchPolicy
    /// How many bytes a fetch may run ahead of the foremost reader.
    public var readAhead: Int64
    /// The greatest distance, in bytes, at which a reader waits for a running fetch.
    ///
    /// At a greater distance, another request is faster. On a slow line, the distance is smaller:
    /// the number of bytes that the line carries while another request waits for its first byte,
    /// but at least 16 KiB.
    public var reach: Int64
    /// How many requests for one resource may run at the same time.
    public var maximumFetches: Int
    /// How long a connection stays open without a reader: the next request is often adjacent.
    public var linger: Duration
    /// How long the connection to an origin without ranges stays open without a reader.
    ///
    /// For the next request, this origin would have to send the body from its start again.
    public var lingerWithoutRanges: Duration
    /// The maximum size, in bytes, of a piece for a reader.
    public var maximumChunk: Int64
    /// When the origin is asked whether the cached bytes are current.
    public var revalidation: Revalidation
    /// Whether the user says that the resource never changes; bytes without a validator then
    /// outlive the process.
    public var isImmutable: Bool
    /// If the resource is immutable only since a time, that time, in seconds since 1970.
    ///
    /// Bytes that the origin sent or confirmed before it may be of another version. The origin is asked
    /// about them; without a validator they are fetched again. `nil` for no such time.
    package var immutableSince: Int64?
    /// Whether to store bytes although the origin forbids it (`Cache-Control: no-store`).
    ///
    /// ``PrefetchPolicy/whole``, and a pin in the cache, have the same effect.
    public var storesForbidden: Bool
    /// Whether the origin's freshness (`no-cache`, `max-age`) can make ``revalidation`` stricter.
    ///
    /// `false` if the user has given a time.
    public var heedsFreshness: Bool
    /// The use of held bytes after their origin denies the resource.
    ///
    /// `nil` means ``WhenGone/serve``, unless the code with the source's credential decides
    /// otherwise.
    public var whenGone: WhenGone?

    /// Creates a policy; by default, keeps the played bytes.
    ///
    /// The other defaults: 1 MB read-ahead, 512 KiB reach, 6 fetches, 250 ms linger, 30 s linger
    /// without ranges, and pieces of 1 MiB. Revalidation after 60 s, or sooner if the origin
    /// demands it. Stores no bytes that the origin forbids to store.
    public init(
        prefetch: PrefetchPolicy = .nothing,
        readAhead: Int64 = 1_000_000,
        reach: Int64 = 512 << 10,
        maximumFetches: Int = 6,
        linger: Duration = .milliseconds(250),
        maximumChunk: Int64 = 1 << 20,
        revalidation: Revalidation = .after(.seconds(60)),
        isImmutable: Bool = false,
        storesForbidden: Bool = false,
        heedsFreshness: Bool = true,
        whenGone: WhenGone? = nil,
        lingerWithoutRanges: Duration = .seconds(30)
    ) {
        self.lingerWithoutRanges = lingerWithoutRanges
        self.prefetch = prefetch
        self.readAhead = max(0, readAhead)
        self.reach = max(0, reach)
        self.maximumFetches = max(1, maximumFetches)
        self.linger = linger
        self.maximumChunk = max(1, maximumChunk)
        self.revalidation = revalidation
        self.isImmutable = isImmutable
        self.storesForbidden = storesForbidden
        self.heedsFreshness = heedsFreshness
        self.whenGone = whenGone
    }

    /// When the origin is asked about bytes with these cache directives.
    func revalidation(heeding directives: CacheDirectives?) -> Revalidation {
        guard self.heedsFreshness, let freshness = directives?.freshness,
            case .after(let time) = self.revalidation
        else { return self.revalidation }
        return freshness <= .zero ? .always : .after(min(time, freshness))
    }

    /// The maximum age of another reader's confirmation that can be used; `nil` for any age.
    package var freshnessOfOthers: Duration? {
        if self.isImmutable { return nil }
        return switch self.revalidation {
        case .always: .zero
        case .after(let time): time
        case .never: nil
        }
    }

    /// A read that starts with at most this many held bytes waits for the origin's response about
    /// the next byte.
    ///
    /// 64 KiB, or one byte less than a read-ahead of 64 KiB or less. With as many held bytes as the
    /// read-ahead, the request for the next byte would not be sent yet.
    var shortBeginning: Int64 { min(64 << 10, max(0, self.readAhead) - 1) }

    /// Whether bytes of a resource with these cache directives may be stored.
    ///
    /// - Parameters:
    ///   - directives: the origin's directives.
    ///   - isPinned: whether the user has pinned the resource.
    /// - Returns: whether they may be stored.
    func mayStore(_ directives: CacheDirectives?, isPinned: Bool) -> Bool {
        directives?.forbidsStoring != true || self.storesForbidden || self.prefetch == .whole
            || isPinned
    }
}

/// Which bytes are fetched even without a reader.
public enum PrefetchPolicy: Hashable, Sendable {
    /// None: the cache stores the played bytes, and no others.
    case nothing
    /// All bytes: every hole is filled, with and without readers.
    case whole
    /// This many bytes at the start, enough for an immediate start the next time.
    case first(Int64)

    /// The end of the bytes that are fetched without a reader, in a resource of this length.
    func fillEnd(inLength length: Int64) -> Int64 {
        switch self {
        case .nothing: 0
        case .whole: length
        case .first(let count): min(count, length)
        }
    }
}

/// How many held bytes a request fetches again.
///
/// Without a validator, they show whether a continuation belongs to the same file (law 2).
struct Overlap: Hashable, Sendable, CustomStringConvertible {
    /// Bytes before the hole.
    var before: Int64
    /// Bytes after the hole.
    var after: Int64

    /// No bytes: a validator says more than bytes could.
    static let none = Overlap(before: 0, after: 0)

    /// Both numbers.
    var description: String { "\(self.before) before, \(self.after) after" }
}

/// When the origin is asked whether a cached resource is unchanged.
///
/// Every response with bytes answers the question, too. The origin is not asked about a resource
/// without a validator, since there is nothing to compare.
public enum Revalidation: Hashable, Sendable {
    /// Before each reading whose first byte is held; a reader waits for the response.
    case always
    /// After this time since the origin's last confirmation, to this process or an earlier one.
    case after(Duration)
    /// Never while bytes are held.
    case never

    /// How long a reader of held bytes waits for the response; then it reads on, and the request
    /// continues.
    var patience: Duration {
        switch self {
        case .always: .seconds(10)
        case .after: .milliseconds(500)
        case .never: .zero
        }
    }

    /// How long an origin is not asked again after it gave no response.
    static let pause = Duration.seconds(30)
    /// How old the origin's confirmation may be for a reader at the end, while a response still
    /// arrives.
    static let pauseAtEnd = Duration.seconds(1)
    /// The shortest time that a reader at the end waits for the response, since it has no held
    /// bytes to read.
    static let patienceAtEnd = Duration.seconds(2)
}

/// The use of held bytes after the origin denied the resource with 401, 403, 404 or 410.
///
/// The user is told in every case, once for each resource.
public enum WhenGone: Hashable, Sendable {
    /// The held bytes are served.
    case serve
    /// They are served after 404 and 410, and refused after 401 and 403.
    case refuseUnauthorized
    /// They are refused, with the origin's error.
    case refuse

    /// Whether held bytes are refused after an error.
    func refuses(_ error: SourceError) -> Bool {
        switch self {
        case .serve: false
        case .refuseUnauthorized: error.code != .notFound
        case .refuse: true
        }
    }
}

extension SourceError {
    /// Whether the origin itself denies the resource; `false` if it is merely unreachable.
    var deniesResource: Bool {
        switch self.code {
        case .unauthorized, .notFound: true
        case .forbidden: self.status == 403
        default: false
        }
    }
}
