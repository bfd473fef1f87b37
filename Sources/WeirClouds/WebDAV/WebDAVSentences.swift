// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirHTTP
internal import WeirSource

/// What people are told about a WebDAV server.
enum WebDAVSentences {
    static func unauthorized(_ display: String, host: String) -> SourceError {
        SourceError(
            .unauthorized,
            "\(host) does not accept the user and password, or the token, for \(display) (401 Unauthorized); check them,"
                + " many servers want an application password here.",
            host: host,
            status: 401
        )
    }

    static func forbidden(_ display: String, host: String) -> SourceError {
        SourceError(
            .forbidden,
            "\(host) does not let this user read \(display) (403 Forbidden); check what the user is allowed to see, and"
                + " whether it is a folder: weir ls shows those.",
            host: host,
            status: 403
        )
    }

    /// What a status says that is not 207.
    static func refusal(_ answer: ServiceAnswer, about display: String, host: String)
        -> SourceError
    {
        switch answer.status {
        case 401: self.unauthorized(display, host: host)
        case 403: self.forbidden(display, host: host)
        case 404, 410: CloudSentences.notFound(display, status: answer.status, host: host)
        case 200..<300, 405, 501:
            SourceError(
                .badAnswer,
                "\(host) cannot list \(display), because it does not speak WebDAV there (status \(answer.status)); check"
                    + " the address, Nextcloud's ends in /remote.php/dav/files/USER/.",
                host: host,
                status: answer.status
            )
        case 423: CloudSentences.locked(display, status: 423, host: host)
        case 429: CloudSentences.throttled(display, answer: answer, host: host)
        case 507: CloudSentences.overQuota(display, status: 507, host: host)
        case 500...: CloudSentences.failed(display, status: answer.status, host: host)
        default:
            CloudSentences.badAnswer(
                display,
                "status \(answer.status)",
                status: answer.status,
                host: host
            )
        }
    }
}
