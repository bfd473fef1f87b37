// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// One reading of the source, which reads as much as it is asked for and tells its loader.
///
/// Used by its loader alone; what waits runs beside the loader.
final class AssetReading: Sendable {
    private let pulls: AsyncStream<Int>.Continuation
    private let task: Task<Void, Never>

    init(
        _ id: LoadingRequestServer.ReadID,
        _ demand: ReadDemand,
        of source: any ByteSource,
        for loader: AssetLoader
    ) {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        self.pulls = continuation
        // Owned by the reading; ends with its source, or when the loader ends the reading. Beside the loader, whose
        // queue must not wait for a disk.
        self.task = Task { @concurrent [weak loader] in
            await Self.run(id, demand, of: source, pulls: stream) { event in
                await loader?.heard(event, from: id)
            }
        }
    }

    /// Asks for the next bytes, this many or fewer.
    func pull(_ count: Int) {
        self.pulls.yield(count)
    }

    /// Ends the reading at its source.
    func end() {
        self.pulls.finish()
        self.task.cancel()
    }

    deinit {
        self.end()
    }

    private static func run(
        _ id: LoadingRequestServer.ReadID,
        _ demand: ReadDemand,
        of source: any ByteSource,
        pulls: AsyncStream<Int>,
        tell: (LoadingRequestServer.Event) async -> Void
    ) async {
        do {
            let reading = try await source.read(demand)
            await tell(
                .opened(
                    id,
                    LoadingRequestServer.Opening(
                        description: reading.description,
                        lowerBound: reading.lowerBound
                    )
                )
            )
            var pieces = PieceReader(reading)
            for await count in pulls {
                guard let bytes = try await pieces.next(atMost: count) else {
                    return await tell(.ended(id))
                }
                await tell(.arrived(id, bytes))
            }
        } catch let error as SourceError {
            await tell(.failed(id, error))
        } catch is CancellationError where Task.isCancelled {
            // The loader wants nothing of it any more.
        } catch {
            await tell(.failed(id, .unnamed(error)))
        }
    }
}

extension SourceError {
    /// What a source of somebody else's threw.
    fileprivate static func unnamed(_ error: any Error) -> SourceError {
        SourceError(
            .originFailed,
            "The medium could not be read; see the cause, and play it again.",
            cause: error
        )
    }
}
