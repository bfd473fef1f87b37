// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How long tests take that can go on for any time.
public enum TestLength {
    private static let isLong = ProcessInfo.processInfo.environment["WEIR_LONG"] != nil

    /// What holds for the form that runs: the long one where the environment has `WEIR_LONG`, as in `make long`.
    public static func short<Value>(_ short: Value, long: Value) -> Value {
        self.isLong ? long : short
    }
}
