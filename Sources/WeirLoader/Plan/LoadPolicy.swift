// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The numbers that steer what is fetched and when.
public struct LoadPolicy: Hashable, Sendable {
    /// What stays to be fetched when no reader wants it any more.
    public var keep: KeepPolicy
    /// How far a fetch may run ahead of the reader that is farthest along, in bytes.
    public var readAhead: Int64
    /// How far ahead of a running fetch a reader may start and still wait for it, in bytes, at most.
    ///
    /// Beyond it another request is faster. On a slow line it is less: what the line carries in the time
    /// that another request would wait for its first byte, 16 KiB at the least.
    public var reach: Int64
    /// How many requests one resource may have under way.
    public var maximumFetches: Int
    /// How long a connection is kept when its last reader has gone: the next request is often adjacent.
    public var linger: Duration
    /// The same, where the origin has no ranges: what has come of a body would have to come again.
    public var lingerWithoutRanges: Duration
    /// The longest piece that a reader is given at once, in bytes.
    public var maximumChunk: Int64
    /// When the origin is asked whether the cached bytes are still its own.
    public var revalidation: Revalidation
    /// Bytes that carry no validator outlive the process: the user says that they never change.
    public var isImmutable: Bool
    /// Bytes are stored though the origin forbids it (`Cache-Control: no-store`): the user says so.
    ///
    /// So they are with ``KeepPolicy/whole``, and while the resource is pinned in the cache.
    public var storesForbidden: Bool
    /// Whether ``revalidation`` is made stricter by what the origin says of freshness (`no-cache`, `max-age`).
    ///
    /// Not where the user has named a time.
    public var heedsFreshness: Bool
    /// What becomes of held bytes whose origin no longer gives them; `nil`: ``WhenGone/serve``, or what the code with
    /// the source's credential finds right.
    public var whenGone: WhenGone?

    /// The defaults: keep what was played, 1 MB read ahead, 512 KiB reach, 6 fetches, 250 ms, pieces
    /// of 1 MiB, 30 s of linger without ranges, revalidation after 60 s or sooner where the origin wants it, nothing
    /// stored that it forbids.
    public init(
        keep: KeepPolicy = .played,
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
        self.keep = keep
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

    /// When the origin is asked about bytes of which it says this.
    func revalidation(heeding directives: CacheDirectives?) -> Revalidation {
        guard self.heedsFreshness, let freshness = directives?.freshness,
            case .after(let time) = self.revalidation
        else { return self.revalidation }
        return freshness <= .zero ? .always : .after(min(time, freshness))
    }

    /// How old what others have heard of an origin may be to be used without asking it; `nil`: of any age.
    package var freshnessOfOthers: Duration? {
        if self.isImmutable { return nil }
        return switch self.revalidation {
        case .always: .zero
        case .after(let time): time
        case .never: nil
        }
    }

    /// How many held bytes at the start of a read wait until the origin has answered about the bytes behind them.
    ///
    /// 64 KiB; less where the read-ahead is, since the request is then sent only when the reader is nearer.
    var shortBeginning: Int64 { min(64 << 10, max(0, self.readAhead) - 1) }

    /// Whether bytes of a resource of which the origin says this may be stored.
    ///
    /// - Parameters:
    ///   - directives: what the origin says.
    ///   - isPinned: whether the user has pinned the resource.
    /// - Returns: whether they may.
    func mayStore(_ directives: CacheDirectives?, isPinned: Bool) -> Bool {
        directives?.forbidsStoring != true || self.storesForbidden || self.keep == .whole
            || isPinned
    }
}

/// What stays to be fetched when no reader wants it any more.
public enum KeepPolicy: Hashable, Sendable {
    /// Nothing: what was played is kept, and no more is asked for.
    case played
    /// Everything: every hole is filled, while readers are there and after they have gone.
    case whole
    /// The first bytes, this many: enough to start at once the next time.
    case first(Int64)

    /// How far holes are filled without a reader, in a resource of this length.
    func fillEnd(inLength length: Int64) -> Int64 {
        switch self {
        case .played: 0
        case .whole: length
        case .first(let count): min(count, length)
        }
    }
}

/// How many bytes a request asks for although they are held: where no validator vouches for a continuation, they
/// tell whether it is of the same file (law 2).
struct Overlap: Hashable, Sendable, CustomStringConvertible {
    /// Bytes before the hole.
    var before: Int64
    /// Bytes after it.
    var after: Int64

    /// A validator tells more than bytes could.
    static let none = Overlap(before: 0, after: 0)

    /// Both numbers.
    var description: String { "\(self.before) before, \(self.after) after" }
}

/// When the origin is asked whether a cached resource is still what it was.
///
/// Every answer that brings bytes says so, too, and counts. What names no version is not asked about: nothing
/// could be compared.
public enum Revalidation: Hashable, Sendable {
    /// Before each reading whose first byte is held; a reader waits for the answer.
    case always
    /// When this long has passed since the origin last said so, to this process or an earlier one.
    case after(Duration)
    /// Not while bytes are held.
    case never

    /// How long a reader whose bytes are held waits for the answer; later it goes on beside the reader.
    var patience: Duration {
        switch self {
        case .always: .seconds(10)
        case .after: .milliseconds(500)
        case .never: .zero
        }
    }

    /// How long an origin that gave no answer is left alone.
    static let pause = Duration.seconds(30)
    /// How old the origin's word may be for a reader that starts at the end, while an answer of the origin still comes.
    static let pauseAtEnd = Duration.seconds(1)
    /// How long a reader that starts at the end waits for the answer, at least: nothing is held for it.
    static let patienceAtEnd = Duration.seconds(2)
}

/// What becomes of held bytes when the origin says that the resource is not to be had: 401, 403, 404 or 410.
///
/// The user is told in every case, once for each resource.
public enum WhenGone: Hashable, Sendable {
    /// They are served.
    case serve
    /// They are served where there is nothing any more (404, 410), and refused where the credential is (401, 403).
    case refuseUnauthorized
    /// They are refused, with the origin's error.
    case refuse

    /// Whether held bytes are refused because of an error.
    func refuses(_ error: SourceError) -> Bool {
        switch self {
        case .serve: false
        case .refuseUnauthorized: error.code != .notFound
        case .refuse: true
        }
    }
}

extension SourceError {
    /// Whether the origin itself says that the resource is not to be had, which is more than that it cannot be asked.
    var deniesResource: Bool {
        switch self.code {
        case .unauthorized, .notFound: true
        case .forbidden: self.status == 403
        default: false
        }
    }
}
