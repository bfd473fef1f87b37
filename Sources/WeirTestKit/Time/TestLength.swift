// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The length of tests that can run for any time.
public enum TestLength {
    private static let isLong = ProcessInfo.processInfo.environment["WEIR_LONG"] != nil

    /// The value for this run: the long one if the environment has `WEIR_LONG`, as in `make long`.
    public static func short<Value>(_ short: Value, long: Value) -> Value {
        self.isLong ? long : short
    }
}
