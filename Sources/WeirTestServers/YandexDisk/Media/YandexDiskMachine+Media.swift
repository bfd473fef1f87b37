// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What goes wrong with media, wherever it comes from.
extension YandexDiskMachine {
    /// Answers with media, after the faults that are due.
    mutating func spoiled(
        _ media: MediaAnswer,
        _ request: ServerRequest,
        at door: Door
    ) throws(Refusal) -> ServerAnswer {
        var media = media
        // A request that is itself wrong uses up no fault.
        let isPart = try media.answer(to: request).status == 206
        if self.behaviour.take(.pageInstead, at: door) != nil {
            let page = "<html><body><h1>Please log in</h1></body></html>\n"
            return .text(200, "text/html; charset=utf-8", page)
        }
        guard isPart else { return try media.answer(to: request) }
        if let fault = self.behaviour.take(.wrongRangeStart, at: door) {
            media.startError = Self.bounded(fault.value)
        }
        if let fault = self.behaviour.take(.wrongRangeTotal, at: door) {
            media.totalError = Self.bounded(fault.value)
        }
        media.hidesTotal = self.behaviour.take(.unknownRangeTotal, at: door) != nil
        media.ignoresRange = self.behaviour.take(.rangeIgnored, at: door) != nil
        return try media.answer(to: request)
    }

    /// Errors beyond this would not fit the numbers that they are added to.
    private static func bounded(_ error: Int64?) -> Int64 {
        min(max(error ?? 1, -(1 << 53)), 1 << 53)
    }
}
