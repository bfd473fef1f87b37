// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirSource

/// The file name in a `Content-Disposition` field (RFC 6266 §4.3).
enum ContentDisposition {
    /// The name, made fit to be written under; `filename*` counts before `filename`.
    static func fileName(_ value: String) -> String? {
        let parameters = ParameterizedValue(value).parameters
        if let extended = parameters["filename*"].flatMap(self.extendedValue),
            let name = FileName.cleaned(extended)
        {
            return name
        }
        return parameters["filename"].flatMap { FileName.cleaned($0) }
    }

    /// `UTF-8'en'%e2%82%ac%20rates` (RFC 8187 §3.2); `nil` for other character sets than UTF-8 and
    /// ISO-8859-1.
    private static func extendedValue(_ text: String) -> String? {
        let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let bytes = PercentCoding.decodedBytes(parts[2])
        switch parts[0].lowercased() {
        case "utf-8":
            return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1":
            var scalars = String.UnicodeScalarView()
            for byte in bytes { scalars.append(Unicode.Scalar(byte)) }
            return String(scalars)
        default:
            return nil
        }
    }
}
