// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirHTTP
internal import WeirSource

/// What the API says instead of an answer: `{"error": …, "description": …, "message": …}`.
struct YandexDiskRefusal {
    private struct Body: Decodable {
        let error: String?
    }

    private let answer: ServiceAnswer
    /// The error's name: `DiskNotFoundError`.
    let error: String?

    init(_ answer: ServiceAnswer) {
        self.answer = answer
        self.error =
            answer.isSuccess ? nil : YandexDiskJSON.decoded(Body.self, answer.body)?.error
    }

    /// Whether it is no use to ask again soon, although the status says so.
    var isFinal: Bool {
        self.error == "DiskResourceDownloadLimitExceededError"
            || self.error == "DiskUploadTrafficLimitExceeded"
    }

    /// What to tell people.
    func error(about display: String, host: String) -> SourceError {
        let status = self.answer.status
        if self.isFinal { return CloudSentences.overQuota(display, status: status, host: host) }
        return switch status {
        case 401:
            SourceError(
                .unauthorized,
                "\(host) does not accept the token for \(display) (401 Unauthorized); log in again with"
                    + " weir login yandex, or give a valid token.",
                host: host,
                status: status
            )
        case 403: CloudSentences.forbidden(display, status: status, host: host)
        case 404, 409, 410: CloudSentences.notFound(display, status: status, host: host)
        case 423: CloudSentences.locked(display, status: status, host: host)
        case 429: CloudSentences.throttled(display, answer: self.answer, host: host)
        case 503 where self.answer.retryAfter != nil:
            CloudSentences.throttled(display, answer: self.answer, host: host)
        case 507: CloudSentences.overQuota(display, status: status, host: host)
        case 500...: CloudSentences.failed(display, status: status, host: host)
        default:
            CloudSentences.badAnswer(display, "status \(status)", status: status, host: host)
        }
    }
}
