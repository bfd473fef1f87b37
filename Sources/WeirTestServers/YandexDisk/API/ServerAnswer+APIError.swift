// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension ServerAnswer {
    /// What the REST API says when it says no.
    ///
    /// - Parameters:
    ///   - status: the status.
    ///   - error: the name of the error, which clients go by.
    ///   - description: what it means.
    /// - Returns: a JSON document with the status.
    static func apiError(_ status: Int, _ error: String, _ description: String) -> ServerAnswer {
        .json(
            status,
            .object([
                ("message", .string(description)), ("description", .string(description)),
                ("error", .string(error)),
            ])
        )
    }
}
