// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirSource

extension StationSource {
    /// How long a reader waits for a station that does not come.
    struct Limit: Sendable {
        /// How long.
        let patience: Duration
        /// By whose time.
        let timeline: Timeline
        /// Why the station did not come yet, where that is known.
        let reason: @Sendable () -> StationLoss?

        /// What is told to who has waited.
        ///
        /// - Parameter name: of the station.
        /// - Returns: why it did not come, or that it said nothing.
        func error(_ name: String) -> SourceError {
            if let loss = self.reason() { return SourceError(loss) }
            return SourceError(
                .timedOut,
                "\(name) sent no sound within \(self.patience); try again, or look whether it is on the air."
            )
        }
    }
}
