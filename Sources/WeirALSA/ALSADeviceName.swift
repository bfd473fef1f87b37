// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CWeirALSA
package import WeirPlayback

/// A playback device of ALSA: a card or a plug-in.
package struct ALSADeviceName: Hashable, Sendable {
    /// The name for ``ALSASink/init(device:)``.
    package let name: String
    /// A description for people, in one line.
    package let description: String

    /// The devices in ALSA's configuration; the function opens none of them.
    ///
    /// - Throws: `AudioError` with `unavailable` when ALSA's library is missing.
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
