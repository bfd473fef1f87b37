// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirLive
import WeirTestKit

/// Records a listener's pieces.
final class Hearing: Sendable {
    /// A stretch, and its pieces until the next one.
    struct Stretch: Sendable {
        var stretch: StreamStretch
        var time: Duration
        var bytes: [UInt8] = []
        var titles: [String] = []
        /// The offsets of the titles in the stretch.
        var titleOffsets: [Int] = []
    }

    struct State: Sendable {
        var stretches: [Stretch] = []
        var isEnded = false
        var loss: StationError?
        var wasCancelled = false
        /// When the last piece came.
        var lastTime: Duration = .zero
        var byteCount: Int64 = 0
    }

    let listener: StationListener
    let state = Watched(State())
    /// Whether bytes and titles are kept; otherwise bytes are only counted.
    private let keepsBytes: Bool

    init(_ listener: StationListener, keepsBytes: Bool = true) {
        self.listener = listener
        self.keepsBytes = keepsBytes
    }

    var stretches: [Stretch] { self.state.value.stretches }
    /// The numbers of all frames; `nil` if there are any other bytes.
    var numbers: [Int]? { NumberedFrames.numbers(self.stretches.flatMap(\.bytes)) }
    /// Why each stretch begins, in short.
    var causes: [String] {
        self.stretches.map { stretch in
            switch stretch.stretch.cause {
            case .joined: "joined"
            case .reconnected(let loss): "reconnected(\(loss?.code.description ?? "nil"))"
            case .moved: "moved"
            case .fellBehind: "fellBehind"
            }
        }
    }

    /// Listens until the listener ends.
    func run(_ now: @Sendable () -> Duration = { .zero }) async {
        do {
            while let piece = try await self.listener.next() { self.take(piece, now()) }
            self.state.update { $0.isEnded = true }
        } catch let loss as StationError {
            self.state.update {
                $0.isEnded = true
                $0.loss = loss
            }
        } catch {
            self.state.update {
                $0.isEnded = true
                $0.wasCancelled = true
            }
        }
    }

    private func take(_ piece: StationPiece, _ time: Duration) {
        let keepsBytes = self.keepsBytes
        self.state.update { state in
            state.lastTime = time
            switch piece {
            case .stretch(let stretch):
                if !keepsBytes, state.stretches.count > 8 { state.stretches.removeFirst() }
                state.stretches.append(Stretch(stretch: stretch, time: time))
            case .audio(let bytes):
                state.byteCount += Int64(bytes.count)
                guard keepsBytes, !state.stretches.isEmpty else { return }
                state.stretches[state.stretches.count - 1].bytes += bytes.array
            case .metadata(let metadata):
                guard keepsBytes, !state.stretches.isEmpty else { return }
                let index = state.stretches.count - 1
                state.stretches[index].titles.append(metadata.title ?? "")
                state.stretches[index].titleOffsets.append(state.stretches[index].bytes.count)
            }
        }
    }
}
