// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Requests that are right and refused all the same.
extension YandexDiskMachine {
    /// Refuses a request if a fault says so; the first that is due of these, in this order.
    mutating func refuseByFault(at door: Door) throws(Refusal) {
        let refusals: [(Fault.Name, Int, String)] = [
            (.rateLimited, 429, "TooManyRequestsError"),
            (.downloadLimit, 429, "DiskResourceDownloadLimitExceededError"),
            (.forbidden, 403, "ForbiddenError"),
            (.locked, 423, "DiskResourceLockedError"),
            (.unavailable, 503, "DiskServiceUnavailableError"),
            (.diskFull, 507, "DiskNoFreeSpaceError"),
        ]
        for (name, status, error) in refusals {
            guard let fault = self.behaviour.take(name, at: door) else { continue }
            var answer = door == .api ? ServerAnswer.apiError(status, error, error) : .page(status)
            if name == .rateLimited || name == .unavailable, let seconds = fault.value {
                answer.fields.append(HeaderField("Retry-After", String(seconds)))
            }
            throw .answer(answer)
        }
    }
}
