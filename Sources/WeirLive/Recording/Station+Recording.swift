// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension Station {
    /// Records the station into a folder, split at titles, without coding anything anew.
    ///
    /// - Parameters:
    ///   - folder: where the files go; it is made if it does not exist, what it is in must.
    ///   - start: where to begin: what is kept of the past can be recorded, too.
    ///   - isReplacing: whether files of an earlier recording that have the same names are replaced; otherwise the new
    ///     ones get numbers.
    /// - Returns: the recording, which goes on until it is stopped, or dropped.
    /// - Throws: ``RecordingError`` if the folder cannot be made or written to.
    public func record(
        into folder: String,
        from start: StationStart = .live,
        isReplacing: Bool = false
    ) throws -> StationRecording {
        let writer = try RecordingWriter(
            folder: folder,
            station: self.name,
            isReplacing: isReplacing
        )
        return StationRecording(self.listen(from: start), writer, executor: self.executor)
    }
}
