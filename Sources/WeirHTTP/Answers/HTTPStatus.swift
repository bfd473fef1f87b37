// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The statuses that origins, services and stations send with the same meaning (RFC 9110 §15, RFC 6585 §4).
package enum HTTPStatus {
    /// Whether the response sends the client to the address in its `Location` field.
    package static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// Whether the same request may succeed a little later.
    ///
    /// An origin and a service get the request again at once or after a pause. For a station `StationMachine` decides
    /// when to connect again, by the kind of the error.
    package static func isTemporary(_ status: Int) -> Bool {
        switch status {
        case 408, 423, 425, 429, 500, 502, 503, 504, 509: true
        default: false
        }
    }

    /// Whether the server refuses every request for a while; it has not carried out this one.
    package static func isBusy(_ status: Int) -> Bool { status == 429 || status == 503 }
}
