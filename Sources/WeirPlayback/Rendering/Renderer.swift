// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// Takes packets from the queue, decodes them, and writes the sound to the sink.
final class Renderer {
    private let core: PlayerCore
    private let run: PlayerRun
    private var item = QueuedItem(id: ItemID(number: 0), name: "")
    private var format: AudioFormat?
    /// Whether the item's format and its decoded format were marked.
    private var isFormatTold = false
    private var decoder: (any AudioDecoder)?
    /// The format of the last decoded sound, the format that the sink accepts, and the converter
    /// between the two.
    private var decoded: PCMFormat?
    private var taken: PCMFormat?
    private var converter: PCMConverter?
    private var ramp: GainRamp
    private var concealment = Concealment()
    private var clock = PacketClock()
    private var lastFailure: PlayerFailure?
    /// Whether a packet was decoded since the packets last started again.
    private var hasDecoded = false
    private var sampleCount: Int64 = 0

    init(_ core: PlayerCore, _ run: PlayerRun) {
        self.core = core
        self.run = run
        self.ramp = GainRamp(gain: core.withStore { $0.display.gain })
    }

    /// Renders until the end, or until the task is cancelled.
    func render() async {
        do {
            while try await self.take(try await self.core.next(self.run)) {}
        } catch let failure as PlayerFailure {
            await self.passOver(failure)
        } catch let error as AudioError where error.code == .badFormat {
            await self.passOver(
                PlayerFailure(.unsupported, "\(self.item.name): \(error.message)", cause: error)
            )
        } catch let error as AudioError where error.code == .deviceChanged {
            await self.core.deviceChanged(error, self.run)
        } catch {
            // A sink may throw any error, even a cancellation although the task was not cancelled.
            if Task.isCancelled { return }
            let message =
                (error as? AudioError)?.message ?? "The sound could not be played: \(error)."
            let failure = PlayerFailure(.sink, message, cause: error)
            self.core.decide { $0.failed(failure, self.run.generation) }
        }
    }

    /// Handles an entry.
    ///
    /// - Returns: whether more entries follow.
    private func take(_ entry: QueueEntry) async throws -> Bool {
        switch entry {
        case .ahead(let item):
            self.judge()
            self.item = item
            self.isFormatTold = false
            // An item is decoded as if it were alone.
            self.decoder?.reset()
            self.hasDecoded = false
            self.concealment.begin()
        case .item(let item):
            self.item = item
            self.clock.restart()
            self.lastFailure = nil
            self.core.note(self.run) { ledger in
                ledger.begin(at: item.position, item.precision)
                ledger.mark(.item(item))
            }
        case .format(let format): try self.prepare(format)
        case .joint:
            self.clock.restart()
            self.decoder?.reset()
            self.hasDecoded = false
        case .skipped(let time): self.core.note(self.run) { $0.mark(.skipped(time)) }
        case .title(let title):
            let sample = self.sampleCount
            self.core.note(self.run) { $0.mark(.title(title, sample: sample)) }
        case .trouble(let trouble): self.core.change(self.run) { $0.events.tell(.trouble(trouble)) }
        case .packet(let packet): try await self.play(packet)
        case .failed(let failure, let item):
            self.concealment.begin()
            self.lastFailure = failure
            self.core.change(self.run) { $0.tellFailed(failure, of: item) }
        case .end:
            self.judge()
            try await self.finish()
            return false
        }
        return true
    }

    /// Reports an item that is over and of which nothing was heard.
    private func judge() {
        guard let (words, cause) = self.concealment.verdict() else { return }
        self.concealment.begin()
        let (item, failure) = (
            self.item, PlayerFailure(.undecodable, "\(self.item.name): \(words)", cause: cause)
        )
        self.lastFailure = failure
        self.core.change(self.run) { $0.tellFailed(failure, of: item.id) }
    }

    /// Makes a decoder for packets of a format, unless the current one fits.
    private func prepare(_ format: AudioFormat) throws {
        let isSame =
            self.format.map {
                $0.section == format.section && $0.codec == format.codec
                    && $0.sampleRate == format.sampleRate
                    && $0.channelCount == format.channelCount
                    && $0.channelLayout == format.channelLayout
                    && $0.configuration == format.configuration
            } ?? false
        if self.format?.section != format.section { self.clock.restart() }
        self.format = format
        if !isSame || self.decoder == nil {
            do throws(AudioError) {
                self.decoder = try self.decoder(for: format)
            } catch {
                throw PlayerFailure(.unsupported, "\(self.item.name): \(error)", cause: error)
            }
            self.hasDecoded = false
            self.isFormatTold = false
            self.concealment.restart()
        } else if self.isFormatTold, let pcm = self.decoded {
            // The length is known more precisely now.
            self.core.note(self.run) { $0.mark(.format(format, pcm)) }
        }
    }

    private func decoder(for format: AudioFormat) throws(AudioError) -> any AudioDecoder {
        var missing: AudioError?
        for factory in self.core.decoders {
            do throws(AudioError) {
                if let decoder = try factory.decoder(for: format) { return decoder }
            } catch {
                // Its library is missing; another factory may work without it.
                guard error.code == .unavailable else { throw error }
                missing = missing ?? error
            }
        }
        if let missing { throw missing }
        throw AudioError(
            .unsupported,
            "No decoder for \(format.codec) is available; this build of Weir has none"
        )
    }

    private func play(_ packet: AudioPacket) async throws {
        guard let format = self.format, let decoder = self.decoder else { return }
        var buffer: PCMBuffer
        do throws(AudioError) {
            guard let decoded = try decoder.decode(packet) else { return }
            buffer = decoded
            self.concealment.succeeded()
            self.hasDecoded = true
        } catch {
            guard let silence = try self.concealed(packet, format, error) else { return }
            buffer = silence
        }
        buffer.trim(
            leading: packet.trimStart,
            trailing: packet.trimEnd,
            at: max(1, format.sampleRate)
        )
        guard buffer.frameCount > 0 else { return }
        try await self.open(buffer.format, format)
        if let gap = self.clock.gap(before: packet, at: format.sampleRate) {
            self.core.note(self.run) { $0.skip(gap) }
        }
        self.clock.wrote(buffer)
        try await self.write(self.converter?.convert(buffer) ?? buffer)
    }

    /// Silence in place of a packet that cannot be decoded.
    ///
    /// - Returns: `nil` for a packet that is not heard. Also `nil` if a live stream was just
    ///   joined: its first packets depend on packets that were never received.
    /// - Throws: ``PlayerFailure`` after too many such packets, or at once if the decoder has
    ///   failed, or does not support the stream.
    private func concealed(
        _ packet: AudioPacket,
        _ format: AudioFormat,
        _ error: AudioError
    ) throws -> PCMBuffer? {
        if error.code == .unsupported {
            throw PlayerFailure(.unsupported, "\(self.item.name): \(error.message)", cause: error)
        }
        if let end = self.concealment.failed(error) {
            throw PlayerFailure(.undecodable, "\(self.item.name): \(end)", cause: error)
        }
        // A packet of the preroll before a seek target is not heard, so nothing is missing.
        if packet.trimStart + packet.trimEnd >= packet.duration { return nil }
        if self.item.isLive, !self.hasDecoded { return nil }
        self.core.note(self.run) { $0.mark(.concealed(error)) }
        let pcm =
            self.decoded
            ?? PCMFormat(
                sampleRate: max(1, format.sampleRate),
                channelCount: max(1, format.channelCount ?? 2),
                channelLayout: format.channelLayout
            )
        let frameCount = Concealment.frameCount(
            packet.duration,
            at: format.sampleRate,
            to: pcm.sampleRate
        )
        return .silence(pcm, frameCount: frameCount)
    }

    // MARK: Writing

    /// Opens the sink again when the sound has another format than before.
    private func open(_ pcm: PCMFormat, _ format: AudioFormat) async throws {
        if pcm != self.decoded || self.taken == nil {
            try await self.flush()
            let taken = try await self.core.openSink(pcm, self.run)
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

    /// Writes the sound that is left in the converter.
    private func flush() async throws {
        guard let rest = self.converter?.finish() else { return }
        self.converter = nil
        try await self.write(rest)
    }

    private func write(_ buffer: PCMBuffer) async throws {
        guard buffer.frameCount > 0 else { return }
        var buffer = buffer
        if self.core.sink.gain == nil {
            self.ramp.apply(self.core.withStore { $0.display.gain }, to: &buffer)
        }
        let level = AudioLevel(of: buffer)
        self.core.note(self.run) { $0.mark(.level(level)) }
        try Task.checkCancellation()
        try await self.core.askSink(self.run) { try await $0.write(buffer) }
        self.sampleCount += Int64(buffer.frameCount)
        self.core.note(self.run) { $0.wrote(frameCount: buffer.frameCount) }
        if !self.core.sink.isPaced { self.core.tick(self.run, isLook: false) }
    }

    private func finish() async throws {
        try await self.flush()
        if self.taken != nil {
            try await self.core.askSink(self.run) { try await $0.drain() }
        }
        self.core.tick(self.run, isLook: false)
        let failure = self.lastFailure
        self.core.change(self.run) { $0.finished(with: failure) }
    }

    /// Leaves the item for the next one, after the sound before it has been heard.
    private func passOver(_ failure: PlayerFailure) async {
        do {
            try await self.flush()
            if self.taken != nil {
                try await self.core.askSink(self.run) { try await $0.drain() }
            }
        } catch {
            // Cancelled, or the sink has failed: its next call fails again.
        }
        if Task.isCancelled { return }
        let id = self.item.id
        self.core.change(self.run) { $0.failed(failure, of: id) }
    }
}
