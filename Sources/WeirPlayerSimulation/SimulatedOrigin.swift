// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAVFoundation
import WeirSource

/// The source of one asset: it opens, pulls and drops readings, and answers when the scheduler says
/// so.
package struct SimulatedOrigin: Sendable {
    typealias ReadID = LoadingRequestServer.ReadID
    typealias Event = LoadingRequestServer.Event

    /// A reading.
    struct Reading: Sendable {
        let id: ReadID
        let demand: ReadDemand
        var isOpen = false
        /// How many bytes were requested and not answered yet.
        var pulled: Int?
        var position: Int64
        var version = 0
        /// Whether the reading was dropped while an answer was pending; the answer still arrives.
        var isDropped = false

        /// Whether it has a pending answer.
        var canAnswer: Bool { !self.isOpen || self.pulled != nil }
    }

    let medium: SimulatedMedium
    let habits: Habits
    private(set) var readings: [Reading] = []
    private var openings = 0
    private var answers = 0
    private var failures = 0

    init(_ medium: SimulatedMedium, habits: Habits) {
        self.medium = medium
        self.habits = habits
    }

    /// The origin's current version.
    private var version: Int {
        guard let change = self.habits.changesAt, self.medium.versions.count > 1 else { return 0 }
        return self.answers >= change ? 1 : 0
    }

    /// The number of readings with a pending answer.
    var answerCount: Int {
        var count = 0
        for index in self.readings.indices where self.readings[index].canAnswer { count += 1 }
        return count
    }

    // MARK: Requests

    mutating func read(_ id: ReadID, _ demand: ReadDemand) {
        self.readings.append(
            Reading(id: id, demand: demand, position: demand.range.knownLowerBound ?? 0)
        )
    }

    mutating func pull(_ id: ReadID, atMost count: Int) {
        guard let index = self.readings.firstIndex(where: { $0.id == id }) else { return }
        self.readings[index].pulled = count
    }

    /// Ends a reading.
    ///
    /// - Parameters:
    ///   - id: the reading.
    ///   - isLate: whether a pending answer still arrives.
    mutating func drop(_ id: ReadID, isLate: Bool) {
        guard let index = self.readings.firstIndex(where: { $0.id == id }) else { return }
        if isLate, self.readings[index].canAnswer {
            self.readings[index].isDropped = true
        } else {
            self.readings.remove(at: index)
        }
    }

    // MARK: Answers

    /// Lets a reading answer.
    ///
    /// - Parameters:
    ///   - index: the index in ``readings`` of a reading that can answer.
    ///   - generator: decides how many bytes arrive.
    /// - Returns: the answer, and the failure that it reveals, if any.
    mutating func answer(_ index: Int, using generator: inout some RandomNumberGenerator)
        -> (Event, SimulatedPlayer.Failure?)
    {
        defer { self.answers += 1 }
        let reading = self.readings[index]
        let (event, trouble) =
            reading.isOpen
            ? self.bytes(index, using: &generator)
            : self.opening(index)
        switch event {
        case .opened, .arrived:
            if reading.isDropped { self.readings.removeAll { $0.id == reading.id } }
        default:
            self.readings.removeAll { $0.id == reading.id }
        }
        return (event, trouble)
    }

    private mutating func opening(_ index: Int) -> (Event, SimulatedPlayer.Failure?) {
        let number = self.openings
        self.openings += 1
        let reading = self.readings[index]
        if self.habits.failingOpenings.contains(number) {
            return (
                .failed(reading.id, SourceError(.unreachable, "The origin does not answer.")),
                .fails
            )
        }
        let content = self.medium.versions[self.version]
        var description = ResourceDescription(
            length: number >= self.habits.announcesLengthFrom ? content.length : nil,
            mediaType: self.medium.mediaType
        )
        if self.habits.hasValidator { description.validator = .revision("\(content.version)") }
        if let version = reading.demand.version,
            !version.agrees(with: self.described(description, length: content.length))
        {
            return (.failed(reading.id, SourceError(.changed, "It has changed.")), .changed)
        }
        guard reading.position <= content.length else {
            let error = SourceError.pastTheEnd(reading.demand.range, length: content.length)
            return (.failed(reading.id, error), .fails)
        }
        self.readings[index].isOpen = true
        self.readings[index].version = self.version
        return (
            .opened(reading.id, description, lowerBound: reading.position),
            self.version > 0 ? .changed : nil
        )
    }

    /// The description with the true length: an origin compares a demand with it, even if it
    /// announces no length.
    private func described(_ description: ResourceDescription, length: Int64)
        -> ResourceDescription
    {
        var description = description
        description.length = length
        return description
    }

    private mutating func bytes(
        _ index: Int,
        using generator: inout some RandomNumberGenerator
    ) -> (Event, SimulatedPlayer.Failure?) {
        let reading = self.readings[index]
        if reading.version != self.version, !self.habits.keepsOldReadings {
            return (.failed(reading.id, SourceError(.changed, "It has changed.")), .changed)
        }
        let content = self.medium.versions[reading.version]
        let stop = min(content.length, reading.demand.range.knownUpperBound ?? content.length)
        var limit = min(stop, self.habits.endsEarlyAt.map { max($0, reading.position) } ?? stop)
        if limit < stop, reading.position >= limit { return (.ended(reading.id), .endsEarly) }
        if let byte = self.habits.failsAt, self.failures < self.habits.failures,
            reading.position <= byte
        {
            limit = min(limit, byte)
            if reading.position == byte, byte < stop {
                self.failures += 1
                return (
                    .failed(reading.id, SourceError(.truncated, "The rest is missing.")), .fails
                )
            }
        }
        guard reading.position < limit, let pulled = reading.pulled else {
            return (.ended(reading.id), nil)
        }
        let left = Int(clamping: limit - reading.position)
        let most = max(1, min(pulled, left, self.habits.largestChunk))
        let count = self.habits.fillsChunks ? most : Int.random(in: 1...most, using: &generator)
        let piece = content.bytes(from: reading.position, atMost: count)
        self.readings[index].position += Int64(piece.count)
        self.readings[index].pulled = nil
        return (.arrived(reading.id, piece), nil)
    }
}

extension SimulatedOrigin {
    /// How a source behaves.
    package struct Habits: Hashable, Sendable {
        /// The most bytes in one chunk; a random number up to this, unless ``fillsChunks``.
        package var largestChunk = 1 << 20
        /// Whether chunks are always as large as they can be.
        package var fillsChunks = false
        /// The openings that fail, counted from 0.
        package var failingOpenings: Set<Int> = []
        /// The first byte that is not available; `nil` if all are.
        package var failsAt: Int64?
        /// How often that byte is not available.
        package var failures = 0
        /// Where the bytes end, whatever length was announced; `nil`: at the real end.
        package var endsEarlyAt: Int64?
        /// The answer from which on the origin has another version, counted from 0; `nil`: never.
        package var changesAt: Int?
        /// Whether open readings continue with the old version.
        package var keepsOldReadings = true
        /// The opening from which on the length is announced, counted from 0.
        package var announcesLengthFrom = 0
        /// Whether the source describes each version with a validator.
        package var hasValidator = true

        /// A source that delivers all requested bytes.
        package init() {}
    }
}
