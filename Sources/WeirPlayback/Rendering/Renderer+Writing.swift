// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirAudio

extension Renderer {
    /// Opens the sink anew where the sound is of another format than before.
    func open(_ pcm: PCMFormat, _ format: AudioFormat) async throws {
        if pcm != self.decoded || self.taken == nil {
            try await self.flush()
            let taken = try await self.core.sink.open(pcm)
            self.decoded = pcm
            self.taken = taken
            self.converter = taken == pcm ? nil : try PCMConverter(from: pcm, to: taken)
            self.core.note(self.run) { $0.setRate(taken.sampleRate) }
        } else if self.isFormatTold {
            return
        }
        self.isFormatTold = true
        self.core.note(self.run) { $0.mark(.format(format, pcm)) }
    }

    /// Writes what the converter still holds.
    func flush() async throws {
        guard let rest = self.converter?.finish() else { return }
        self.converter = nil
        try await self.write(rest)
    }

    func write(_ buffer: PCMBuffer) async throws {
        guard buffer.frameCount > 0 else { return }
        var buffer = buffer
        self.ramp.apply(self.core.gain, to: &buffer)
        let level = AudioLevel(of: buffer)
        self.core.note(self.run) { $0.mark(.level(level)) }
        try Task.checkCancellation()
        try await self.core.sink.write(buffer)
        self.sampleCount += Int64(buffer.frameCount)
        self.core.note(self.run) { $0.wrote(frameCount: buffer.frameCount) }
        if !self.core.sink.isPaced { self.core.tick(self.run) }
    }

    func finish() async throws {
        try await self.flush()
        if self.taken != nil { try await self.core.sink.drain() }
        self.core.tick(self.run)
        if let failure = self.lastFailure {
            self.core.tell { $0.failed(failure, self.run.generation) }
        } else {
            self.core.tell { $0.finished(self.run.generation) }
        }
    }

    /// Leaves the item for the next, when what was before it has been heard.
    func passOver(_ failure: PlayerFailure) async {
        do {
            try await self.flush()
            if self.taken != nil { try await self.core.sink.drain() }
        } catch {
            // Cancelled, or the sink has failed: it will say so again.
        }
        if Task.isCancelled { return }
        self.core.failed(failure, at: self.item.index, self.run)
    }
}
