// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The state of a reading: the wanted part of each body, the next request, and whether it is
/// finished.
///
/// A reading may need several responses: the origin may send less than requested, ignore the range,
/// or break off. Every later response belongs to the same generation as the first. The validator
/// proves this. Without a validator, the machine reads up to 4 KiB of the earlier bytes again and
/// compares them.
struct ReadingMachine {
    /// The action for a piece of a body.
    enum Arrival {
        /// No bytes to hand on now.
        case nothing
        /// Hand these chunks on.
        case chunks([ByteChunk])
        /// The bytes that were read again differ from the earlier ones.
        case mismatch
        /// A page where media was expected.
        case page
        /// The body holds more bytes than the origin announced.
        case excess
    }

    /// The meaning of the end of a body.
    enum Ending {
        /// Every byte of the range was handed on; these are the last.
        case finished([ByteChunk])
        /// The body has the announced length but not all wanted bytes: ask for the rest.
        case more
        /// The body ended before the end that it announced.
        case cutShort
        /// The whole resource ends before the start of the reading.
        case pastTheEnd(length: Int64)
        /// A page where media was expected.
        case page
    }

    /// How many bytes are read again if no validator joins two responses.
    static let overlap = 4096

    /// The next byte to hand on.
    private(set) var position: Int64
    /// The end of the reading, if it is known.
    private(set) var end: Int64?

    private let keepsTail: Bool
    private let length: Int64?
    private var tail: [UInt8] = []
    private var bodyPosition: Int64 = 0
    private var bodyEnd: Int64?
    /// The position of the reading at the beginning of the current body.
    private var positionBefore: Int64 = 0
    private var pageGuard: PageGuard?
    /// The position of the first byte that the guard checks.
    private let guardedFrom: Int64
    private var held: [ByteChunk] = []

    /// Starts with the first response.
    ///
    /// - Parameters:
    ///   - answer: the accepted first response.
    ///   - expectsPage: whether a page is an acceptable body.
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

    /// Continues with another response.
    mutating func began(_ answer: AcceptedAnswer) {
        self.bodyPosition = answer.bodyLowerBound
        self.positionBefore = self.position
        self.bodyEnd = answer.bodyUpperBound
        if self.end == nil { self.end = answer.upperBound }
    }

    /// The range of the next request: from the next byte, or from a little before it.
    var rest: RequestedRange {
        let start = self.position - Int64(self.tail.count)
        guard let end, end > start else { return .from(start) }
        return .span(start..<end)
    }

    /// The length that the end of this body shows, if no head gave it.
    var lengthShownByEnd: Int64? { self.bodyEnd == nil ? self.bodyPosition : nil }

    /// Whether the current body has been read to its end.
    var isBodyRead: Bool { self.bodyPosition == self.bodyEnd }

    /// Whether every byte was handed on.
    var isFinished: Bool {
        guard let end else { return false }
        return self.position >= end && self.held.isEmpty
    }

    /// Takes a piece of the body.
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

    /// Passes to the guard the bytes of a piece that it has not seen yet.
    private mutating func look(at memory: ByteMemory, from lower: Int64) -> PageGuard.Finding {
        guard let seen = self.pageGuard?.count else { return .other }
        let next = self.guardedFrom + Int64(seen) - lower
        guard next >= 0, next < Int64(memory.count) else { return .undecided }
        return self.pageGuard?.received(memory[Int(next)..<memory.count]) ?? .other
    }

    /// Whether the page is HTML, and not another kind of text.
    var isHTMLPage: Bool { self.pageGuard?.isHTML ?? true }

    /// Whether the guard finds a page when no more bytes follow.
    private var isPageAtEnd: Bool {
        let isWhole = self.length.map { self.bodyPosition == $0 } ?? (self.bodyEnd == nil)
        return self.pageGuard?.ended(isWhole: isWhole) == .page
    }

    /// Ends the current body at the end that its framing announced.
    mutating func ended() -> Ending {
        if let bodyEnd {
            guard self.bodyPosition >= bodyEnd else { return .cutShort }
            // If the body held only the overlap and the end is unknown, this position is the end.
            let hasOnlyOverlap = self.bodyPosition == self.positionBefore
            if self.end.map({ self.position < $0 }) ?? !hasOnlyOverlap { return .more }
        } else if self.bodyPosition < self.position {
            // A body without a length holds the whole resource, so the resource ends here.
            return .pastTheEnd(length: self.bodyPosition)
        }
        self.end = self.position
        if self.isPageAtEnd, !self.held.isEmpty { return .page }
        self.pageGuard = nil
        return .finished(self.takeHeld())
    }

    /// Ends the reading at its current position, the end of the resource.
    mutating func reachedEnd() -> [ByteChunk] {
        self.end = self.position
        return self.takeHeld()
    }

    private mutating func takeHeld() -> [ByteChunk] {
        let chunks = self.held
        self.held = []
        return chunks
    }

    /// Compares the bytes that are read again with the earlier ones.
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
