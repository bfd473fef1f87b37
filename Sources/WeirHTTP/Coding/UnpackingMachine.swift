// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Decides how a coded body is unpacked: what is given to the library that unpacks, what an end means, and when the
/// bytes below are too many to believe.
///
/// A gzip body may have several members, one behind the other (RFC 1952 §2.2), and zeros behind the last.
struct UnpackingMachine {
    /// The format of what comes next.
    enum Format: Hashable {
        case gzip
        /// RFC 1950.
        case zlib
        /// RFC 1951, without a head or a checksum.
        case raw
    }

    /// What to do next.
    enum Step {
        /// Begin a stream of this format, and ask again.
        case begin(Format)
        /// Unpack these bytes, and tell ``unpacked(consumed:produced:hasEnded:isRoomUsed:)``.
        case unpack(ByteMemory)
        /// Pull more of the body, and tell ``received(_:)`` or ``ended()``.
        case pull
        /// Every byte has been unpacked.
        case finish
        /// The body cannot be unpacked; the noun phrase says what it is.
        case refuse(String)
    }

    /// How many bytes one byte may stand for.
    ///
    /// The format's own bound is 1,032, which no media reach.
    static let maximumRatio: Int64 = 100
    /// So many bytes may come in any case: silence at the start of a file packs better than the whole of it.
    static let allowance: Int64 = 16 << 20

    private enum State {
        /// Between the members of a gzip body, or in front of the first.
        case between
        /// Within a stream.
        case inside
        /// Behind a stream that has no successor.
        case behind
        case refused(String)
    }

    private let coding: ContentCoding
    private var state = State.between
    private var packed = ByteMemory.empty
    private var hasEnded = false
    /// Whether the last call filled its room, so that more may come out without more bytes.
    private var mayHoldMore = false
    private var packedCount: Int64 = 0
    private var unpackedCount: Int64 = 0
    private var hasMember = false

    init(_ coding: ContentCoding) {
        self.coding = coding
    }

    /// More of the body came; only where a step asked for it.
    mutating func received(_ memory: ByteMemory) {
        self.packed = self.packed.isEmpty ? memory : Self.joined(self.packed, memory)
    }

    /// The body has ended.
    mutating func ended() {
        self.hasEnded = true
    }

    /// A call of the library is over.
    ///
    /// - Parameters:
    ///   - consumed: how many of the bytes it took.
    ///   - produced: how many it gave.
    ///   - hasEnded: whether the stream has ended with a right checksum.
    ///   - isRoomUsed: whether it had no room for more.
    mutating func unpacked(consumed: Int, produced: Int, hasEnded: Bool, isRoomUsed: Bool) {
        self.packedCount += Int64(consumed)
        self.unpackedCount += Int64(produced)
        self.packed = self.packed[consumed..<self.packed.count]
        self.mayHoldMore = isRoomUsed
        if consumed == 0, produced == 0, !hasEnded, !self.packed.isEmpty {
            self.failed()
        } else if self.unpackedCount > self.packedCount * Self.maximumRatio + Self.allowance {
            self.state = .refused(
                "\(self.coding.name) that unpacks to more than \(Self.maximumRatio) times its size"
            )
        } else if hasEnded {
            self.mayHoldMore = false
            self.state = self.coding == .gzip ? .between : .behind
            self.hasMember = true
        }
    }

    /// The library found bytes that are not of the format.
    mutating func failed() {
        self.state = .refused("\(self.coding.name) that is damaged or is something else")
    }

    /// What to do.
    mutating func next() -> Step {
        switch self.state {
        case .refused(let what):
            return .refuse(what)
        case .inside:
            if !self.packed.isEmpty || self.mayHoldMore { return .unpack(self.packed) }
            guard self.hasEnded else { return .pull }
            return self.refuse("\(self.coding.name) that ends before its end")
        case .between, .behind:
            if self.hasMember { self.skipZeros() }
            if case .behind = self.state, !self.packed.isEmpty {
                return self.refuse("bytes behind the end of \(self.coding.name)")
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

    /// Whether bytes begin as RFC 1950 §2.2 has it: the method deflate, and a check that 31 divides.
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

    /// Two pieces in one; the first has a few bytes.
    private static func joined(_ first: ByteMemory, _ second: ByteMemory) -> ByteMemory {
        ByteMemory(first.array + second.array)
    }
}
