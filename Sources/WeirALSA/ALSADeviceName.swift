// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CWeirALSA
package import WeirPlayback

/// A device of ALSA that plays: a card or a plug-in.
package struct ALSADeviceName: Hashable, Sendable {
    /// As ``ALSASink/init(device:)`` takes it.
    package let name: String
    /// Words for people, in one line.
    package let description: String

    /// The devices there are, as the configuration of ALSA lists them; none of them is opened.
    ///
    /// - Throws: `AudioError` with `unavailable` where ALSA's library is not there.
    package static func all() throws(AudioError) -> [ALSADeviceName] {
        if let problem = ALSALibrary.problem { throw problem }
        ALSALibrary.listen()
        var found: [ALSADeviceName] = []
        let status = withUnsafeMutablePointer(to: &found) { found in
            weir_alsa_list(
                { context, name, description in
                    guard let context, let name, let description else { return }
                    let lines = String(cString: description).split(whereSeparator: \.isNewline)
                    context.assumingMemoryBound(to: [ALSADeviceName].self).pointee.append(
                        ALSADeviceName(
                            name: String(cString: name),
                            description: lines.joined(separator: ", ")
                        )
                    )
                },
                found
            )
        }
        guard status >= 0 else {
            throw AudioError(
                .unavailable,
                "The sound devices could not be listed: \(ALSALibrary.words(status)); look at ALSA's configuration."
            )
        }
        return found
    }
}
#endif
