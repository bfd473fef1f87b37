// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirCipher
import WeirSource

/// Files whose bytes are masked with a key, over and over, behind a header of 16 bytes: `MASKED01`, and the number of the
/// key with its highest byte first.
///
/// It shows how a format is described. A mask is not encryption: some plain bytes reveal the key.
struct MaskedFormat: CipherFormat {
    /// The keys by their numbers; none is empty.
    let keys: [UInt64: SecretBytes]

    func open(_ file: StoredFile) async throws -> OpenedFormat {
        let header = try await file.bytes(in: 0..<16)
        guard header.count == 16, header.starts(with: "MASKED01".utf8) else {
            throw CipherError(.unsupported, "\(file.name) is no masked file; play it as it is.")
        }
        let number = header[8...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let key = self.keys[number] else {
            throw CipherError(.wrongKey, "\(file.name) wants the key \(number); add that key.")
        }
        let layout = StoredLayout(
            prefix: 16,
            plainUnit: Int64(key.count),
            storedUnit: Int64(key.count),
            storedLength: file.resource.length,
            plainLength: file.resource.length.map { $0 - 16 }
        )
        return OpenedFormat(layout: layout, cipher: Unmasking(key: key), fingerprint: number)
    }
}

/// Takes the mask off: each unit is as long as the key, so a run of units begins where the key begins.
private struct Unmasking: UnitCipher {
    let key: SecretBytes

    var largestRun: Int { self.key.count * 4096 }

    func decrypt(
        _ stored: UnsafeRawBufferPointer,
        from first: Int64,
        after before: UnsafeRawBufferPointer,
        isLast: Bool
    ) throws(CipherError) -> Data {
        self.key.withUnsafeBytes { key in
            Data(stored.enumerated().map { $0.element ^ key[$0.offset % key.count] })
        }
    }
}
