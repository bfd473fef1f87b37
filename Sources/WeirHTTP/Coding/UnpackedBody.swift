// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import CWeirZlib
import Synchronization
import WeirSource

/// A body that decodes its coding as the consumer pulls.
///
/// The end of a stream is verified: gzip and zlib have a checksum there, and bare deflate an end mark.
final class UnpackedBody: HTTPBody {
    /// The smallest and the largest number of bytes that are unpacked at once.
    private static let pieceSizes = 4 << 10...64 << 10

    private struct State {
        var machine: UnpackingMachine
        var stream: ZlibStream?
        var hasBegun = false
    }

    private enum Action {
        case piece(ByteMemory)
        case pull
        case finish
        case refuse(String)
    }

    private let body: any HTTPBody
    private let state: Mutex<State>

    init(_ body: any HTTPBody, coding: ContentCoding) {
        self.body = body
        self.state = Mutex(State(machine: UnpackingMachine(coding)))
    }

    func next() async throws -> ByteMemory? {
        while true {
            switch self.state.withLock({ Self.advance(&$0) }) {
            case .piece(let memory):
                return memory
            case .finish:
                return nil
            case .refuse(let what):
                throw HTTPTransportError(.malformed, what)
            case .pull:
                let memory = try await self.body.next()
                self.state.withLock { state in
                    if let memory { state.machine.received(memory) } else { state.machine.ended() }
                }
            }
        }
    }

    func cancel() {
        self.body.cancel()
    }

    /// Runs the machine up to the next piece, or until it must wait for the body.
    private static func advance(_ state: inout State) -> Action {
        while true {
            switch state.machine.next() {
            case .pull: return .pull
            case .finish: return .finish
            case .refuse(let what): return .refuse(what)
            case .begin(let format):
                switch ZlibStream.begin(format) {
                case .success(let stream): state.stream = stream
                case .failure(let problem): return .refuse(problem.what)
                }
            case .unpack(let packed):
                guard let stream = state.stream else { return .refuse("a stream without a start") }
                let sizes = Self.pieceSizes
                let size = min(max(sizes.lowerBound, packed.count * 4), sizes.upperBound)
                let storage = ByteStorage(capacity: size)
                let result = stream.unpack(packed, into: storage)
                guard result.status != WEIR_ZLIB_BROKEN else {
                    state.machine.failed()
                    continue
                }
                if !state.hasBegun, result.produced > 0 {
                    state.hasBegun = true
                    let start = ByteMemory(storage, count: min(result.produced, 16))
                    if start.withUnsafeBytes({ ListForm(of: $0) == .m3u }) {
                        state.machine.isPlaylist()
                    }
                }
                state.machine.unpacked(
                    consumed: result.consumed,
                    produced: result.produced,
                    hasEnded: result.status == WEIR_ZLIB_ENDED,
                    isRoomUsed: result.produced == storage.capacity
                )
                if result.produced > 0 {
                    return .piece(ByteMemory(storage, count: result.produced))
                }
            }
        }
    }
}

/// A decoding stream of zlib.
///
/// `@unchecked Sendable`: used only under the lock of its body.
private final class ZlibStream: @unchecked Sendable {
    struct Problem: Error {
        let what: String
    }

    private let stream: OpaquePointer

    private init(_ stream: OpaquePointer) {
        self.stream = stream
    }

    deinit {
        weir_zlib_end(self.stream)
    }

    static func begin(_ format: UnpackingMachine.Format) -> Result<ZlibStream, Problem> {
        guard weir_zlib_load() else {
            return .failure(
                Problem(
                    what: "a content coding that Weir cannot decode without zlib; install libz.so.1"
                )
            )
        }
        let kind =
            switch format {
            case .gzip: WEIR_ZLIB_GZIP
            case .zlib: WEIR_ZLIB_ZLIB
            case .raw: WEIR_ZLIB_RAW
            }
        guard let stream = weir_zlib_begin(kind) else {
            return .failure(Problem(what: "a content coding that Weir has no memory to decode"))
        }
        return .success(ZlibStream(stream))
    }

    func unpack(_ packed: ByteMemory, into storage: ByteStorage) -> (
        status: weir_zlib_status, consumed: Int, produced: Int
    ) {
        var (consumed, produced) = (0, 0)
        let status = packed.withUnsafeBytes { bytes in
            weir_zlib_unpack(
                self.stream,
                bytes.baseAddress,
                bytes.count,
                &consumed,
                storage.base,
                storage.capacity,
                &produced
            )
        }
        return (status, consumed, produced)
    }
}
