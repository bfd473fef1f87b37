// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// What happens at the origin as a line of the log; warnings are said unless all is quiet.
enum EventLine {
    /// Writes the lines of a library's events, as far as they are wanted.
    ///
    /// - Parameters:
    ///   - output: how much is said.
    ///   - note: is given the lines; by default they are written to standard error.
    /// - Returns: what a library tells its events.
    static func observer(
        _ output: OutputOptions,
        note: @escaping @Sendable (String) -> Void = { Output.note($0) }
    ) -> SourceObserver {
        let (isVerbose, isQuiet) = (output.verbose, output.quiet)
        return { event in
            if let line = EventLine.text(event, isVerbose: isVerbose, isQuiet: isQuiet) {
                note(line)
            }
        }
    }

    static func text(_ event: SourceEvent, isVerbose: Bool, isQuiet: Bool) -> String? {
        switch event {
        case .cacheDegraded(let reason):
            isQuiet ? nil : "warning: \(reason) Playing goes on without the cache."
        case .cacheRecovered:
            isQuiet ? nil : "The cache keeps what is played again."
        case .cacheDamaged(let count):
            isQuiet
                ? nil
                : "warning: \(count) bytes in the cache were damaged on their disk; they are fetched again when they are wanted."
        case .requested(let host, let range):
            isVerbose ? "  asks \(host)\(range.map { " for bytes \($0)" } ?? "")" : nil
        case .redirected(let from, let target):
            isVerbose ? "  \(from) sends us to \(target)" : nil
        case .linkRenewed(let host):
            isVerbose ? "  has a fresh link to \(host)" : nil
        case .credentialRefreshed(let account):
            isVerbose ? "  has a fresh token for \(account)" : nil
        case .retrying(let offset, let delay, let reason):
            isVerbose ? "  tries again at byte \(offset) in \(delay): \(reason)" : nil
        case .changed(let host):
            isVerbose
                ? "  the resource changed\(host.map { " at \($0)" } ?? ""); a new generation begins"
                : nil
        case .answered(let host, let status):
            isVerbose ? "  \(host) answers \(status)" : nil
        case .keySuspected(let resource):
            isQuiet
                ? nil
                : "warning: the decrypted bytes of \(resource) are no media that Weir knows; the key or the initialization"
                    + " vector may be wrong."
        case .received: nil
        }
    }
}
