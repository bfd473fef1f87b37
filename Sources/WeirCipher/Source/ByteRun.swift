// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The bytes of an array, lent to work that throws errors of one type.
enum ByteRun {
    /// Lends the bytes for the time of the call.
    static func withBytes<Value, Failure: Error>(
        of bytes: [UInt8],
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let outcome = bytes.withUnsafeBytes { bytes -> Result<Value, Failure> in
            do throws(Failure) { return .success(try body(bytes)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }
}
