// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How long tests take that can go on for any time.
public enum TestLength {
    /// Whether they run in their long form: `make long` says so with `WEIR_LONG=1`.
    public static let isLong = ProcessInfo.processInfo.environment["WEIR_LONG"] != nil

    /// One number for each form.
    public static func short<Value>(_ short: Value, long: Value) -> Value {
        self.isLong ? long : short
    }
}
