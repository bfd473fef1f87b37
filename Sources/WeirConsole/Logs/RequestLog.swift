// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import Logging
package import WeirProxy
import WeirSource

/// Logs the requests of players, and the requests to origins that they cause, under the same
/// number.
///
/// The number is in the metadata as `request`. Neither secrets, nor queries, nor credentials are
/// logged.
package struct RequestLog: Sendable {
    private let logger: Logger

    /// Creates a log.
    ///
    /// - Parameter logger: the logger to write to.
    package init(_ logger: Logger) {
        self.logger = logger
    }

    /// Logs a request that has ended, with a line that the caller has made.
    package func log(_ record: ProxyRequestRecord, as line: String) {
        let level: Logger.Level =
            switch ProxyMetrics.Outcome(record) {
            case .failed: .error
            case .refused: .notice
            default: .info
            }
        var metadata: Logger.Metadata = [LineLogHandler.requestKey: "\(record.id)"]
        if let client = record.client { metadata["client"] = "\(client)" }
        if let failure = record.ownerFailure { metadata["reason"] = "\(failure)" }
        self.logger.log(level: level, "\(line)", metadata: metadata)
    }

    /// Logs an event between the program and origins, in the task in which it happens.
    package func log(_ line: String, isTrouble: Bool) {
        let number = ClientRequest.current?.id
        self.logger.log(
            level: isTrouble ? .warning : .info,
            "\(line)",
            metadata: number.map { [LineLogHandler.requestKey: "\($0)"] }
        )
    }
}
