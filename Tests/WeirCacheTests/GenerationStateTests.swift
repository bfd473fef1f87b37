// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirCache

@Suite("What a generation holds and saves")
struct GenerationStateTests {
    private static let error = CacheError(.full, "No space.")

    private static func state(length: Int64? = nil, persistent: Bool = true) -> GenerationState {
        GenerationState(
            description: ResourceDescription(length: length),
            held: RangeSet(),
            isPersistent: persistent
        )
    }

    private static func batch(_ runs: [Range<Int64>], length: Int64? = nil) -> GenerationState.Batch
    {
        GenerationState.Batch(runs: RangeSet(runs), length: length)
    }

    @Test("the first unsaved byte asks for a checkpoint later, four MiB for one now, each once")
    func demands() {
        var state = Self.state()
        let size = GenerationState.checkpointSize
        #expect(state.wrote(0..<1) == .later)
        #expect(state.wrote(1..<2) == GenerationState.CheckpointDemand.none)
        #expect(state.wrote(2..<size - 1) == GenerationState.CheckpointDemand.none)
        #expect(state.wrote(size - 1..<size) == .now)
        #expect(state.wrote(size..<size * 3) == GenerationState.CheckpointDemand.none)
        #expect(state.startedCheckpoint() == Self.batch([0..<size * 3]))
        #expect(state.startedCheckpoint().isEmpty)
        #expect(state.wrote(size * 3..<size * 3 + 1) == .later)
    }

    @Test("one large write asks for a checkpoint now")
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

    @Test("only what is missing is to be written")
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

    @Test("without a journal nothing asks for a checkpoint")
    func notPersistent() {
        var state = Self.state(persistent: false)
        #expect(state.wrote(0..<10 << 20) == GenerationState.CheckpointDemand.none)
        #expect(state.learned(length: 10 << 20) == GenerationState.CheckpointDemand.none)
        #expect(state.startedCheckpoint().isEmpty)
    }

    @Test("data that could not be saved is no longer held, what was saved before is")
    func lostData() {
        var state = Self.state()
        _ = state.wrote(0..<10)
        _ = state.startedCheckpoint()
        _ = state.wrote(10..<20)
        let batch = state.startedCheckpoint()
        _ = state.wrote(30..<35)
        #expect(state.lostData(of: batch, Self.error) == 15)
        #expect(state.held == RangeSet([0..<10]))
        #expect(state.heldCount == 10)
        #expect(state.failure?.code == .full)
        #expect(state.startedCheckpoint().isEmpty)
    }

    @Test("a write that ends after a failure is not believed")
    func lateWrite() {
        var state = Self.state()
        state.failed(Self.error)
        #expect(state.wrote(0..<10) == nil)
        #expect(state.held.isEmpty)
    }

    @Test("claims that the journal could not take stay to be made")
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

    @Test("what may be claimed is what was saved, not what came since")
    func saved() {
        var state = Self.state()
        _ = state.wrote(0..<10)
        _ = state.startedCheckpoint()
        _ = state.wrote(10..<20)
        #expect(state.saved == RangeSet([0..<10]))
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
