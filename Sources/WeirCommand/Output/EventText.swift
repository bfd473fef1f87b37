// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension SourceEvent {
    /// The event as a line for a person; `nil` for an event that is not shown.
    ///
    /// Warnings are shown except with `--quiet`.
    ///
    /// With `tellsRetries`, an immediate retry is shown, too, for a user who waits for a file.
    func line(
        isVerbose: Bool,
        isQuiet: Bool,
        tellsRetries: Bool = false
    ) -> String? {
        switch self {
        case .cacheDegraded(let reason):
            isQuiet ? nil : "warning: \(reason) Playback continues without the cache."
        case .downloadsUnreadable(let reason):
            isQuiet ? nil : "warning: \(reason)"
        case .cacheRecovered:
            isQuiet ? nil : "The cache stores bytes again."
        case .cacheDamaged(let count):
            isQuiet
                ? nil
                : "warning: \(count) bytes in the cache were damaged on the disk; Weir fetches them again when they"
                    + " are needed."
        case .waiting(let resource, let remaining, let reason):
            isQuiet
                ? nil
                : "\(resource) asks for a pause (\(reason)); the next request follows in \(Self.seconds(remaining)) s."
        case .storingForbidden(let resource, _):
            isQuiet
                ? nil
                : "warning: the origin of \(resource) forbids storing it (Cache-Control: no-store), so Weir plays it"
                    + " but does not keep it; --ignore-cache-control keeps it."
        case .refusedThoughHeld(let resource, _, let reason, let isServed):
            isQuiet ? nil : Self.refusal(resource, reason, isServed: isServed)
        case .requested(let host, let range):
            isVerbose ? "  asks \(host)\(range.map { " for bytes \($0)" } ?? "")" : nil
        case .redirected(let from, let target):
            isVerbose ? "  \(from) redirects to \(target)" : nil
        case .linkRenewed(let host):
            isVerbose ? "  has a new link to \(host)" : nil
        case .credentialRefreshed(let account):
            isVerbose ? "  has a new token for \(account)" : nil
        case .retrying(let resource, let offset, let delay, let attempt, let reason):
            isVerbose || !isQuiet && (tellsRetries || delay >= .seconds(1))
                ? "  \(Self.retry(attempt, at: offset)) in \(Self.seconds(delay)) s for \(resource.printableLine): \(reason)"
                : nil
        case .silent(let host, let hasAnswered, let time, let limit):
            isVerbose || !isQuiet
                ? Self.silence(of: host, hasAnswered: hasAnswered, for: time, limit: limit) : nil
        case .waitingForConnection(let host, let limit):
            isVerbose
                ? "  waits for one of \(limit) connections to \(host), which are all in use" : nil
        case .requestHeld(let host):
            isVerbose ? "  waits, since the requests per second to \(host) are limited" : nil
        case .changed(let host):
            isVerbose
                ? "  the resource changed\(host.map { " at \($0)" } ?? ""); a new generation begins"
                : nil
        case .answered(let host, let status, _):
            isVerbose ? "  \(host) answers \(status)" : nil
        case .keySuspected(let resource, _):
            isQuiet
                ? nil
                : "warning: the decrypted bytes of \(resource) are not media that Weir knows; the key or the"
                    + " initialization vector may be wrong."
        case .encrypted(let resource, let form):
            isQuiet ? nil : "warning: \(resource) \(Self.advice(for: form))"
        case .cacheEvicted(let count, let bytes):
            isVerbose
                ? "  removed \(count == 1 ? "1 resource" : "\(count) resources") (\(ByteSize.format(bytes))) from the cache to keep its limits."
                : nil
        case .tier(let event): event.line(isVerbose: isVerbose, isQuiet: isQuiet)
        case .received, .bytesHeld: nil
        }
    }

    /// The text for a retry: `trying again (2 of 3)`, or `(2)` if only the time is limited.
    private static func retry(_ attempt: RequestAttempt, at offset: Int64) -> String {
        let place = offset > 0 ? "at byte \(offset) " : ""
        let limit = attempt.limit.map { " of \($0)" } ?? ""
        return "trying again \(place)(\(attempt.number)\(limit))"
    }

    /// The line for a silent host, with the elapsed time and the limit.
    static func silence(
        of name: String,
        hasAnswered: Bool = false,
        for time: Duration,
        limit: Duration
    ) -> String {
        let what = hasAnswered ? "has sent nothing" : "has not answered"
        return
            "  \(name) \(what) for \(time.components.seconds) s; Weir waits up to \(Self.seconds(limit)) s."
    }

    /// The advice for playing an encrypted file.
    private static func advice(for form: EncryptedForm) -> String {
        switch form {
        case .age:
            "is encrypted with age, and Weir passes it on encrypted; --decrypt age --key-file FILE decrypts it."
        case .openSSL:
            "was encrypted with openssl enc, and Weir passes it on encrypted; --decrypt aes-cbc --kdf pbkdf2"
                + " --key-file FILE decrypts it (bytes-to-key if openssl ran without -pbkdf2, and aes-ctr if it used"
                + " that cipher)."
        }
    }

    /// The warning about a held resource that its origin no longer serves.
    private static func refusal(_ resource: String, _ reason: String, isServed: Bool) -> String {
        isServed
            ? "warning: Weir plays the held bytes of \(resource), although its origin no longer provides it"
                + " (--when-gone refuse does not play them). The origin says: \(reason)"
            : "warning: Weir does not play the held bytes of \(resource), since its origin no longer provides it"
                + " (--when-gone serve plays them). The origin says: \(reason)"
    }

    /// Whole seconds, rounded up.
    private static func seconds(_ time: Duration) -> Int64 {
        let (seconds, attoseconds) = time.components
        return attoseconds > 0 && seconds < .max ? seconds + 1 : seconds
    }
}

extension TierEvent {
    /// The line for an event of the object store that a fleet of machines shares.
    fileprivate func line(isVerbose: Bool, isQuiet: Bool) -> String? {
        switch self {
        case .failed(let reason): isVerbose ? "  the tier failed: \(reason)" : nil
        case .paused(let time):
            isQuiet
                ? nil
                : "warning: the tier failed, or was slower than the origin, several times. Weir does not use it for"
                    + " \(time.components.seconds) s, and sends requests to origins."
        case .damaged(let key):
            isQuiet
                ? nil
                : "warning: no machine of the fleet wrote this content of the tier's \(key); Weir writes it again."
        case .read, .missed, .late, .hedged, .stored, .dropped: nil
        }
    }
}
