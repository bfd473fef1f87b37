// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCipher
import WeirSource

/// The decorators of one medium: what readers see, and the part that can be closed.
struct MediaPipeline: Sendable {
    /// The part in the middle.
    enum Middle: Sendable {
        /// Kept, and shared with all who play the resource, here and in other processes.
        case kept(SharedSource)
        /// Read where it lies.
        case direct(DirectSource)
    }

    /// What lies between the middle and the readers.
    struct Cipher: Sendable {
        let decryption: Decryption
        /// How the medium is called.
        let display: String
        let observer: SourceObserver
    }

    /// The end of the line, which readers read.
    let front: any ByteSource
    private let middle: Middle

    init(_ middle: Middle, _ cipher: Cipher?) {
        self.middle = middle
        let base: any ByteSource =
            switch middle {
            case .kept(let source): source
            case .direct(let source): source
            }
        self.front = cipher.map { $0.plain(base) } ?? TypedSource(base)
    }

    func close() async {
        switch self.middle {
        case .kept(let source): await source.close()
        case .direct(let source): source.close()
        }
    }
}

extension MediaPipeline.Cipher {
    /// The decrypted bytes, typed and named by what they are.
    fileprivate func plain(_ base: any ByteSource) -> TypedSource {
        let plain = CipherSource(base, decryption: self.decryption, resource: self.display)
        guard !self.decryption.isAuthenticated else {
            return TypedSource(plain, isNamedByType: true)
        }
        return TypedSource(plain, isNamedByType: true) { [observer, display] in
            observer(.keySuspected(resource: display))
        }
    }
}
