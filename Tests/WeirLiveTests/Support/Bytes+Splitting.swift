// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// The bytes in portions.
    func split(by size: Int) -> [[UInt8]] {
        stride(from: 0, to: self.count, by: size).map {
            Array(self[$0..<Swift.min($0 + size, self.count)])
        }
    }

    /// A server's body for sound with titles.
    ///
    /// - Parameters:
    ///   - interval: how many bytes of sound are between titles.
    ///   - titles: the title behind the first interval, the second, and so on; `nil` for no new title.
    /// - Returns: the body.
    func withTitles(every interval: Int, _ titles: (Int) -> String?) -> [UInt8] {
        var body: [UInt8] = []
        for (index, part) in self.split(by: interval).enumerated() {
            body += part
            guard part.count == interval else { break }
            var block = titles(index).map { [UInt8]("StreamTitle='\($0)';".utf8) } ?? []
            while block.count % 16 != 0 { block.append(0) }
            body.append(UInt8(block.count / 16))
            body += block
        }
        return body
    }
}
