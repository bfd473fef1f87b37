// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// When the origin is asked whether a cached resource is still what it was.
///
/// Every answer that brings bytes says so, too, and counts. What names no version is not asked about: nothing
/// could be compared.
public enum Revalidation: Hashable, Sendable {
    /// Before each reading whose first byte is held; a reader waits for the answer.
    case always
    /// When this long has passed since the origin last said so, to this process or an earlier one.
    case after(Duration)
    /// Not while bytes are held.
    case never

    /// How long a reader whose bytes are held waits for the answer; later it goes on beside the reader.
    var patience: Duration {
        switch self {
        case .always: .seconds(10)
        case .after: .milliseconds(500)
        case .never: .zero
        }
    }

    /// How long an origin that gave no answer is left alone.
    static let pause = Duration.seconds(30)
}
