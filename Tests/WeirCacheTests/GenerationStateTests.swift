// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirCache

@Suite("The held and saved bytes of a generation")
struct GenerationStateTests {
    private static let error = CacheError(.full, "No space.")

    private static func state(length: Int64? = nil, persistent: Bool = true) -> GenerationState {
        GenerationState(
            description: ResourceDescription(length: length),
            isPersistent: persistent
        )
    }

    private static func batch(_ runs: [Range<Int64>], length: Int64? = nil) -> GenerationState.Batch
    {
        GenerationState.Batch(
            runs: RangeSet(runs),
            length: length,
            claims: runs.compactMap { run in
                CheckedRun(run, BlockPiece.ranges(in: run).map { _ in Checksum() })
            }
        )
    }

    @Test("the first unsaved byte demands a later checkpoint, four MiB one now, each once")
    func demands() {
        var state = Self.state()
        let size = GenerationState.checkpointSize
        #expect(state.wrote(0..<1) == .later)
        #expect(state.wrote(1..<2) == GenerationState.CheckpointDemand.none)
        #expect(state.wrote(2..<size - 1) == GenerationState.CheckpointDemand.none)
        #expect(state.wrote(size - 1..<size) == .now)
        #expect(state.wrote(size..<size * 3) == GenerationState.CheckpointDemand.none)
        #expect(state.startedCheckpoint().runs == RangeSet([0..<size * 3]))
        #expect(state.startedCheckpoint().isEmpty)
        #expect(state.wrote(size * 3..<size * 3 + 1) == .later)
    }

    @Test("one large write demands a checkpoint now")
    func largeWrite() {
        var state = Self.state()
        #expect(state.wrote(0..<GenerationState.checkpointSize) == .now)
    }

    @Test("bytes are held from the moment they are written, and counted once")
    func held() {
        var state = Self.state()
        _ = state.wrote(0..<10)
        _ = state.wrote(20..<30)
        #expect(state.held == RangeSet([0..<10, 20..<30]))
        #expect(state.heldCount == 20)
        #expect(state.readable(at: 5, before: 100) == 5..<10)
        #expect(state.readable(at: 5, before: 7) == 5..<7)
        #expect(state.readable(at: 10, before: 100) == nil)
        #expect(state.readable(at: 5, before: 5) == nil)
    }

    @Test("only missing bytes are to be written")
    func missing() {
        var state = Self.state()
        _ = state.wrote(10..<20)
        #expect(state.nextMissing(in: 0..<30) == 0..<10)
        #expect(state.nextMissing(in: 12..<30) == 20..<30)
        #expect(state.nextMissing(in: 12..<18) == nil)
        _ = state.wrote(0..<10)
        #expect(state.nextMissing(in: 0..<30) == 20..<30)
    }

    @Test("a length is learned once, and saved")
    func length() {
        var state = Self.state()
        _ = state.wrote(0..<10)
        #expect(state.learned(length: 9) == nil)
        #expect(state.learned(length: -1) == nil)
        #expect(state.learned(length: 50) == GenerationState.CheckpointDemand.none)
        #expect(state.learned(length: 50) == GenerationState.CheckpointDemand.none)
        #expect(state.learned(length: 51) == nil)
        #expect(state.description.length == 50)
        #expect(state.startedCheckpoint() == Self.batch([0..<10], length: 50))
        #expect(state.startedCheckpoint().isEmpty)
    }

    @Test("without a journal nothing demands a checkpoint")
    func notPersistent() {
        var state = Self.state(persistent: false)
        #expect(state.wrote(0..<10 << 20) == GenerationState.CheckpointDemand.none)
        #expect(state.learned(length: 10 << 20) == GenerationState.CheckpointDemand.none)
        #expect(state.startedCheckpoint().isEmpty)
    }

    @Test("data that could not be saved is no longer held, and saved data is")
    func lostData() {
        var state = Self.state()
        _ = state.wrote(0..<10)
        _ = state.startedCheckpoint()
        _ = state.wrote(70_000..<70_010)
        let batch = state.startedCheckpoint()
        _ = state.wrote(140_000..<140_005)
        #expect(state.lostData(of: batch, Self.error) == 15)
        #expect(state.held == RangeSet([0..<10]))
        #expect(state.heldCount == 10)
        #expect(state.failure?.code == .full)
        #expect(state.startedCheckpoint().isEmpty)
    }

    @Test("if data could not be saved, the rest of its piece of a block is not held, either")
    func lostNeighbour() {
        var state = Self.state()
        _ = state.wrote(0..<10)
        _ = state.startedCheckpoint()
        _ = state.wrote(10..<20)
        let batch = state.startedCheckpoint()
        #expect(state.lostData(of: batch, Self.error) == 20)
        #expect(state.held.isEmpty)
        #expect(state.startedCheckpoint().isEmpty, "the journal's claim of the first is true still")
    }

    @Test("a write that ends after a failure is not counted")
    func lateWrite() {
        var state = Self.state()
        state.failed(Self.error)
        #expect(state.wrote(0..<10) == nil)
        #expect(state.held.isEmpty)
    }

    @Test("claims that could not be written to the journal wait for the next checkpoint")
    func lostJournal() {
        var state = Self.state()
        _ = state.wrote(0..<10)
        _ = state.learned(length: 100)
        let batch = state.startedCheckpoint()
        state.lostJournal(of: batch, Self.error)
        #expect(state.held == RangeSet([0..<10]))
        #expect(state.unsavedCount == 10)
        #expect(state.startedCheckpoint() == batch)
    }

    @Test(
        "bytes written since a checkpoint started are not in its claims, though they share a block"
    )
    func claims() throws {
        var state = Self.state()
        _ = state.wrote(0..<10)
        let batch = state.startedCheckpoint()
        _ = state.wrote(10..<20)
        #expect(batch.claims.map(\.range) == [0..<10])
        // A block has one checksum: the next claim covers the whole written part of it.
        #expect(state.startedCheckpoint().claims.map(\.range) == [0..<20])
    }

    @Test("a journal much longer than its claims is replaced by claims for all held bytes")
    func replacement() {
        var state = Self.state()
        _ = state.wrote(0..<10)
        #expect(!state.startedCheckpoint(recordCount: 200).replacesJournal)
        _ = state.wrote(100_000..<100_010)
        let batch = state.startedCheckpoint(recordCount: 300)
        #expect(batch.replacesJournal)
        #expect(batch.claims.map(\.range) == [0..<10, 100_000..<100_010])
    }

    @Test("written bytes are claimed in the journal once 128 KiB of them have gathered")
    func provisionalClaims() {
        var state = Self.state()
        _ = state.wrote(0..<100_000)
        #expect(!state.wantsClaims)
        _ = state.wrote(100_000..<140_000)
        #expect(state.wantsClaims)
        #expect(state.takeClaims() == [.provisional(CheckedRun(unchecked: 0..<140_000))])
        #expect(!state.wantsClaims)
        #expect(state.takeClaims().isEmpty)
        // Until the checkpoint ends, no record covers its bytes, so the provisional claim includes
        // them.
        _ = state.wrote(140_000..<240_000)
        #expect(!state.startedCheckpoint().isEmpty)
        _ = state.wrote(240_000..<340_000)
        #expect(state.takeClaims() == [.provisional(CheckedRun(unchecked: 131_072..<340_000))])
        _ = state.wrote(340_000..<440_000)
        state.finished(state.startedCheckpoint())
        _ = state.wrote(440_000..<500_000)
        #expect(!state.wantsClaims)
        // A rewritten journal claims durable bytes only.
        var batch = state.startedCheckpoint()
        batch.replacesJournal = true
        _ = state.wrote(500_000..<600_000)
        state.finished(batch)
        #expect(state.takeClaims() == [.provisional(CheckedRun(unchecked: 458_752..<600_000))])
    }

    @Test("bytes of an earlier process can be read once they were compared")
    func comparing() throws {
        var state = Self.restored([100..<70_000])
        #expect(state.readable(at: 100, before: 200) == nil)
        #expect(state.firstUnchecked(in: 0..<80_000) == 100)
        let piece = try #require(state.uncheckedPiece(at: 100))
        #expect(piece.range == 100..<65_536)
        #expect(state.compared(piece, isSound: true).isEmpty)
        #expect(state.readable(at: 100, before: 80_000) == 100..<65_536)
        #expect(state.uncheckedPiece(at: 100) == nil)
        #expect(state.firstUnchecked(in: 0..<80_000) == 65_536)
        _ = state.wrote(0..<100)
        #expect(state.readable(at: 0, before: 80_000) == 0..<65_536)
        // A doubt also discards the remembered result of the last lookup.
        state.doubt()
        #expect(state.readable(at: 0, before: 80_000) == nil)
    }

    @Test("a damaged piece is a hole, and the journal records the loss before the new bytes")
    func damage() throws {
        var state = Self.restored([0..<200_000])
        let piece = try #require(state.uncheckedPiece(at: 70_000))
        #expect(state.compared(piece, isSound: false) == RangeSet([65_536..<131_072]))
        #expect(state.held == RangeSet([0..<65_536, 131_072..<200_000]))
        #expect(state.heldCount == 200_000 - 65_536)
        _ = state.wrote(65_536..<70_000)
        let records = state.startedCheckpoint().records
        guard case .lost(65_536..<131_072) = records.first, case .held(let run) = records.last
        else {
            Issue.record("records \(records)")
            return
        }
        #expect(records.count == 2)
        #expect(run.range == 65_536..<70_000)
    }

    @Test("a comparison that ends after its piece was replaced changes nothing")
    func lateComparison() throws {
        var state = Self.restored([0..<100])
        let piece = try #require(state.uncheckedPiece(at: 0))
        #expect(state.compared(piece, isSound: false) == RangeSet([0..<100]))
        #expect(state.compared(piece, isSound: false).isEmpty)
        _ = state.wrote(0..<100)
        #expect(state.compared(piece, isSound: false).isEmpty)
        #expect(state.held == RangeSet([0..<100]))
        var grown = Self.restored([0..<100])
        _ = grown.wrote(100..<200)
        #expect(grown.compared(piece, isSound: false).isEmpty)
        #expect(grown.uncheckedPiece(at: 0)?.range == 0..<200)
    }

    private static func restored(_ runs: [Range<Int64>]) -> GenerationState {
        var state = Self.state()
        for run in runs { _ = state.wrote(run) }
        var bytes = JournalHeader.sample
        var checksum = Checksum(
            JournalFormat.integer(UInt32.self, in: bytes[...], at: bytes.count - 4) ?? 0
        )
        for record in state.startedCheckpoint().records {
            record.append(to: &bytes, after: &checksum)
        }
        guard let journal = try? Journal(bytes, dataSize: .max) else { fatalError("no journal") }
        return GenerationState(description: ResourceDescription(length: nil), journal: journal)
    }

    @Test("after a removal nothing is saved any more, and bytes are still held")
    func removed() {
        var state = Self.state()
        _ = state.wrote(0..<10)
        state.removed()
        #expect(state.startedCheckpoint().isEmpty)
        #expect(state.wrote(10..<20) == GenerationState.CheckpointDemand.none)
        #expect(state.held == RangeSet([0..<20]))
    }

    @Test("the first failure stays the reason")
    func firstFailure() {
        var state = Self.state()
        state.failed(Self.error)
        state.failed(CacheError(.io, "Later."))
        #expect(state.failure?.code == .full)
    }
}
