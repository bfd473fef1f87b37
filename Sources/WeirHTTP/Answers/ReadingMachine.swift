// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Where a reading stands: what of each body is wanted, what comes next, and whether it is finished.
///
/// A reading may need several answers: the origin may send less than was asked for, ignore the range,
/// or break off. Every answer after the first belongs to the same generation as the first: by its
/// validator, or, where the origin gives none, by 4 KiB that are read again and compared.
struct ReadingMachine {
    /// What to do with a piece of a body.
    enum Arrival {
        /// It holds nothing that is wanted now.
        case nothing
        /// Hand these on.
        case chunks([ByteChunk])
        /// The bytes that were read again are not the ones that were there.
        case mismatch
        /// A page where media was expected.
        case page
        /// More came than the origin had announced.
        case excess
    }

    /// What the end of a body means.
    enum Ending {
        /// Every byte of the range was handed on; these are the last.
        case finished([ByteChunk])
        /// The body kept its word but held less than is wanted: ask for the rest.
        case more
        /// The body ended before the end that it announced.
        case cutShort
        /// The whole resource is shorter than where the reading starts.
        case pastTheEnd(length: Int64)
        /// A page where media was expected.
        case page
    }

    /// How many bytes are read again where no validator joins two answers.
    static let overlap = 4096

    /// The next byte to hand on.
    private(set) var position: Int64
    /// Where the reading ends, as far as that is known.
    private(set) var end: Int64?

    private let keepsTail: Bool
    private let length: Int64?
    private var tail: [UInt8] = []
    private var bodyPosition: Int64 = 0
    private var bodyEnd: Int64?
    /// Where the reading stood when the present body began.
    private var positionBefore: Int64 = 0
    private var pageGuard: PageGuard?
    /// Where the first byte that the guard looks at belongs.
    private let guardedFrom: Int64
    private var held: [ByteChunk] = []

    /// Starts with the first answer.
    ///
    /// - Parameters:
    ///   - answer: what the first answer says.
    ///   - expectsPage: whether a page would be right.
    init(_ answer: AcceptedAnswer, expectsPage: Bool) {
        self.position = answer.lowerBound
        self.end = answer.upperBound
        self.keepsTail = answer.description.validator == nil
        self.length = answer.description.length
        self.guardedFrom = answer.bodyLowerBound
        let isGuarded = !expectsPage && (answer.bodyLowerBound == 0 || answer.isTypedAsPage)
        self.pageGuard = isGuarded ? PageGuard(isTypedAsPage: answer.isTypedAsPage) : nil
        self.began(answer)
    }

    /// Another answer goes on.
    mutating func began(_ answer: AcceptedAnswer) {
        self.bodyPosition = answer.bodyLowerBound
        self.positionBefore = self.position
        self.bodyEnd = answer.bodyUpperBound
        if self.end == nil { self.end = answer.upperBound }
    }

    /// What to ask for to go on: from the next byte, or from a little before it.
    var rest: RequestedRange {
        let start = self.position - Int64(self.tail.count)
        guard let end, end > start else { return .from(start) }
        return .span(start..<end)
    }

    /// The length that the end of this body shows, if no head had told it.
    var lengthShownByEnd: Int64? { self.bodyEnd == nil ? self.bodyPosition : nil }

    /// Whether nothing of the present body is left.
    var isBodyRead: Bool { self.bodyPosition == self.bodyEnd }

    /// Whether every byte was handed on.
    var isFinished: Bool {
        guard let end else { return false }
        return self.position >= end && self.held.isEmpty
    }

    /// A piece of the body came.
    mutating func received(_ memory: ByteMemory) -> Arrival {
        let lower = self.bodyPosition
        let (upper, isTooFar) = lower.addingReportingOverflow(Int64(memory.count))
        guard !isTooFar else { return .excess }
        if let bodyEnd, upper > bodyEnd { return .excess }
        self.bodyPosition = upper
        guard self.matchesTail(memory, at: lower) else { return .mismatch }
        let first = max(lower, self.position)
        let last = min(upper, self.end ?? upper)
        if first < last {
            let part = memory[Int(first - lower)..<Int(last - lower)]
            self.position = last
            self.keep(part)
            self.held.append(ByteChunk(at: first, memory: part))
        }
        switch self.look(at: memory, from: lower) {
        case .page: return .page
        case .undecided where self.position != self.end: return .nothing
        case .undecided where self.isPageAtEnd: return .page
        case .undecided, .other: break
        }
        self.pageGuard = nil
        let chunks = self.takeHeld()
        return chunks.isEmpty ? .nothing : .chunks(chunks)
    }

    /// Shows the guard what it has not seen of a piece.
    private mutating func look(at memory: ByteMemory, from lower: Int64) -> PageGuard.Finding {
        guard let seen = self.pageGuard?.count else { return .other }
        let next = self.guardedFrom + Int64(seen) - lower
        guard next >= 0, next < Int64(memory.count) else { return .undecided }
        return self.pageGuard?.received(memory[Int(next)..<memory.count]) ?? .other
    }

    /// Whether the page that was found is HTML, and not another text.
    var isHTMLPage: Bool { self.pageGuard?.isHTML ?? true }

    /// What the guard says when no more comes.
    private var isPageAtEnd: Bool {
        let isWhole = self.length.map { self.bodyPosition == $0 } ?? (self.bodyEnd == nil)
        return self.pageGuard?.ended(isWhole: isWhole) == .page
    }

    /// The body came to the end that its framing announced.
    mutating func ended() -> Ending {
        if let bodyEnd {
            guard self.bodyPosition >= bodyEnd else { return .cutShort }
            // Nothing came but what was read again: with an unknown end, that is the end.
            let hasOnlyOverlap = self.bodyPosition == self.positionBefore
            if self.end.map({ self.position < $0 }) ?? !hasOnlyOverlap { return .more }
        } else if self.bodyPosition < self.position {
            // A body without a length is the whole resource.
            return .pastTheEnd(length: self.bodyPosition)
        }
        self.end = self.position
        if self.isPageAtEnd, !self.held.isEmpty { return .page }
        self.pageGuard = nil
        return .finished(self.takeHeld())
    }

    /// The resource ends where the reading stands.
    mutating func reachedEnd() -> [ByteChunk] {
        self.end = self.position
        return self.takeHeld()
    }

    private mutating func takeHeld() -> [ByteChunk] {
        let chunks = self.held
        self.held = []
        return chunks
    }

    /// Compares what is read again with what was there.
    private func matchesTail(_ memory: ByteMemory, at lower: Int64) -> Bool {
        let tailStart = self.position - Int64(self.tail.count)
        let upper = min(lower + Int64(memory.count), self.position)
        let start = max(lower, tailStart)
        guard start < upper else { return true }
        return memory[Int(start - lower)..<Int(upper - lower)].withUnsafeBytes { bytes in
            bytes.elementsEqual(self.tail[Int(start - tailStart)..<Int(upper - tailStart)])
        }
    }

    private mutating func keep(_ part: ByteMemory) {
        guard self.keepsTail else { return }
        let fresh = part[max(0, part.count - Self.overlap)..<part.count].withUnsafeBytes {
            Array($0)
        }
        self.tail = Array((self.tail + fresh).suffix(Self.overlap))
    }
}
