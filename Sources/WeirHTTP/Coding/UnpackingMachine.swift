// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Decides how a coded body is unpacked.
///
/// It chooses the bytes for the unpacking library, interprets ends, and refuses bodies that unpack
/// to implausibly many bytes.
///
/// A gzip body may have several members in sequence (RFC 1952 §2.2), and zeros behind the last one.
struct UnpackingMachine {
    /// The format of the next stream.
    enum Format: Hashable {
        case gzip
        /// RFC 1950.
        case zlib
        /// RFC 1951, without a head or a checksum.
        case raw
    }

    /// The next step.
    enum Step {
        /// Begin a stream of this format, and call ``next()`` again.
        case begin(Format)
        /// Unpack these bytes, and report with
        /// ``unpacked(consumed:produced:hasEnded:isRoomUsed:)``.
        case unpack(ByteMemory)
        /// Pull more of the body, and report with ``received(_:)`` or ``ended()``.
        case pull
        /// Every byte has been unpacked.
        case finish
        /// The body cannot be unpacked; the noun phrase describes it.
        case refuse(String)
    }

    /// How many unpacked bytes one packed byte may produce.
    ///
    /// The format itself allows 1,032, which no media reach.
    static let maximumRatio: Int64 = 100
    /// How many unpacked bytes are allowed beyond the ratio.
    ///
    /// Silence at the start of a file packs better than the whole file.
    static let allowance: Int64 = 16 << 20
    /// The same for a playlist, whose text is of one kind throughout.
    static let playlistAllowance: Int64 = 64 << 10

    private enum State {
        /// Before the first member of a gzip body, or between members.
        case between
        /// Inside a stream.
        case inside
        /// Behind a stream that no other stream may follow.
        case behind
        case refused(String)
    }

    private let coding: ContentCoding
    private var state = State.between
    private var packed = ByteMemory.empty
    private var hasEnded = false
    /// Whether the last call filled its room, so that the library may produce more without new
    /// input.
    private var mayHoldMore = false
    private var packedCount: Int64 = 0
    private var unpackedCount: Int64 = 0
    private var hasMember = false
    private var allowance = UnpackingMachine.allowance

    init(_ coding: ContentCoding) {
        self.coding = coding
    }

    /// Takes more of the body, after ``Step/pull``.
    mutating func received(_ memory: ByteMemory) {
        self.packed = self.packed.isEmpty ? memory : Self.joined(self.packed, memory)
    }

    /// Records that the body has ended.
    mutating func ended() {
        self.hasEnded = true
    }

    /// Takes the result of a call of the library.
    ///
    /// - Parameters:
    ///   - consumed: how many bytes the library consumed.
    ///   - produced: how many bytes it produced.
    ///   - hasEnded: whether the stream has ended with a correct checksum.
    ///   - isRoomUsed: whether the library filled its room.
    mutating func unpacked(consumed: Int, produced: Int, hasEnded: Bool, isRoomUsed: Bool) {
        self.packedCount += Int64(consumed)
        self.unpackedCount += Int64(produced)
        self.packed = self.packed[consumed..<self.packed.count]
        self.mayHoldMore = isRoomUsed
        if consumed == 0, produced == 0, !hasEnded, !self.packed.isEmpty {
            self.failed()
        } else if self.unpackedCount > self.packedCount * Self.maximumRatio + self.allowance {
            self.state = .refused(
                "\(self.coding.name) that unpacks to more than \(Self.maximumRatio) times its size"
            )
        } else if hasEnded {
            self.mayHoldMore = false
            self.state = self.coding == .gzip ? .between : .behind
            self.hasMember = true
        }
    }

    /// Notes that the first unpacked bytes are those of a playlist.
    mutating func isPlaylist() { self.allowance = Self.playlistAllowance }

    /// Takes a failure: the library found bytes that are not in the format.
    mutating func failed() {
        self.state = .refused("\(self.coding.name) that is damaged or is not \(self.coding.name)")
    }

    /// Decides the next step.
    mutating func next() -> Step {
        switch self.state {
        case .refused(let what):
            return .refuse(what)
        case .inside:
            if !self.packed.isEmpty || self.mayHoldMore { return .unpack(self.packed) }
            guard self.hasEnded else { return .pull }
            return self.refuse("\(self.coding.name) that ends too early")
        case .between, .behind:
            if self.hasMember { self.skipZeros() }
            if case .behind = self.state, !self.packed.isEmpty {
                return self.refuse("bytes after the end of \(self.coding.name)")
            }
            guard !self.packed.isEmpty else {
                guard self.hasEnded else { return .pull }
                return self.hasMember ? .finish : self.refuse("no byte of \(self.coding.name)")
            }
            return self.begin()
        }
    }

    private mutating func begin() -> Step {
        switch self.coding {
        case .gzip:
            self.state = .inside
            return .begin(.gzip)
        case .deflate:
            guard self.packed.count >= 2 || self.hasEnded else { return .pull }
            self.state = .inside
            return .begin(Self.hasZlibHead(self.packed) ? .zlib : .raw)
        }
    }

    /// Whether bytes begin with a zlib head (RFC 1950 §2.2).
    ///
    /// The method in the head is deflate, and the two bytes of the head form a multiple of 31.
    private static func hasZlibHead(_ bytes: ByteMemory) -> Bool {
        guard bytes.count >= 2, bytes[0] & 0x0F == 8 else { return false }
        return (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0
    }

    private mutating func skipZeros() {
        let count = self.packed.withUnsafeBytes { $0.prefix { $0 == 0 }.count }
        self.packed = self.packed[count..<self.packed.count]
    }

    private mutating func refuse(_ what: String) -> Step {
        self.state = .refused(what)
        return .refuse(what)
    }

    /// Joins two pieces; the first has only a few bytes.
    private static func joined(_ first: ByteMemory, _ second: ByteMemory) -> ByteMemory {
        ByteMemory(first.array + second.array)
    }
}
