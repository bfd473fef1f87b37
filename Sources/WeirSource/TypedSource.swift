// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Determines the type of a resource, from its first bytes, its origin's header and its name.
///
/// It is the last wrapper before a front end: it sees the bytes as a player will see them. Its
/// descriptions have the type that ``MediaType/settled(content:declared:fileExtension:)`` finds in
/// the first 512 bytes, in the base's `mediaType` and in the extension of the base's `name`. It
/// remembers the type for as long as the base reports the same generation or, without one, the same
/// validator.
///
/// **Cost.** A remembered type costs a lock. A type from first bytes on disk costs one small read
/// of the disk. A reading from the start waits until 512 bytes have arrived, or fewer if they are
/// unambiguous. It then yields these chunks first, and sends no other request to the base. A
/// reading from another offset uses the header's or the name's type if nothing better is available,
/// and that type is not remembered. The source makes an extra reading of the first 512 bytes only
/// if the type is unknown without them. This occurs for ``describe()``, and for a reading from the
/// start that ends before byte 512.
package final class TypedSource: ByteSource {
    /// How many bytes at the start of a resource determine its type.
    static let headLength = RequestedRange.headLength

    /// A remembered type.
    private struct Settled {
        let identity: ResourceIdentity
        let type: MediaType?
        /// The last description that got the type: without the type, and with it.
        ///
        /// Each request of a player looks at the disk and gets the same description again.
        var last: (base: ResourceDescription, typed: ResourceDescription)?
    }

    private let base: any ByteSource
    private let settled = Mutex<Settled?>(nil)
    /// The last description of held bytes whose type is not settled: as the base has it, and as
    /// players get it.
    private let forNow = Mutex<(base: ResourceDescription, typed: ResourceDescription)?>(nil)
    /// Whether first bytes without a generation and a validator were checked, and reported if
    /// necessary.
    private let hasTold = Mutex(false)
    private let isNamedByType: Bool
    private let whenUnrecognised: (@Sendable () -> Void)?
    private let whenEncrypted: (@Sendable (EncryptedForm) -> Void)?

    /// Wraps a source.
    ///
    /// - Parameters:
    ///   - base: the source.
    ///   - isNamedByType: whether a name gets the extension of the determined type if its own
    ///     extension differs or is missing. Use it for decrypted bytes, which have the name of the
    ///     encrypted file.
    ///   - whenUnrecognised: called, once for each generation, if the first bytes are neither a
    ///     known format nor text; from any thread.
    ///   - whenEncrypted: called, once for each generation, if the first bytes belong to an
    ///     encrypted file; from any thread.
    package init(
        _ base: any ByteSource,
        isNamedByType: Bool = false,
        whenUnrecognised: (@Sendable () -> Void)? = nil,
        whenEncrypted: (@Sendable (EncryptedForm) -> Void)? = nil
    ) {
        self.base = base
        self.isNamedByType = isNamedByType
        self.whenUnrecognised = whenUnrecognised
        self.whenEncrypted = whenEncrypted
    }

    /// Describes the resource; reads its first 512 bytes if the type is unknown without them.
    ///
    /// If these bytes cannot be read, the type stays unknown, and the call does not fail.
    ///
    /// - Throws: as the base does.
    package func describe() async throws -> ResourceDescription {
        let description = try await self.base.describe()
        if let typed = self.typedWithoutReading(description) { return typed }
        let provisional = self.typed(description, content: nil)
        guard provisional.mediaType == nil else { return provisional }
        return try await self.typedByReading(description)
    }

    /// Asks the base whether the version is unchanged.
    package func isUnchanged(_ version: ReadDemand.Version) async throws -> Bool {
        try await self.base.isUnchanged(version)
    }

    /// Starts to read; the type is determined as far as possible.
    ///
    /// - Throws: as the base does.
    package func read(_ demand: ReadDemand) async throws -> ByteReading {
        let reading = try await self.base.read(demand)
        if let typed = self.typedWithoutReading(reading.resource) {
            return reading.replacing(resource: typed)
        }
        guard reading.lowerBound == 0, reading.upperBound != 0 else {
            return reading.replacing(resource: self.typed(reading.resource, content: nil))
        }
        let (head, isWhole) = try await Self.head(of: reading)
        var typed = self.settle(reading.resource, head: head, isWhole: isWhole)
        if typed.mediaType == nil, !isWhole, let end = reading.upperBound, end < Self.headLength {
            let more = try await self.typedByReading(reading.resource)
            if ResourceIdentity(more) == ResourceIdentity(typed) {
                typed.mediaType = more.mediaType
            }
        }
        return reading.replacing(resource: typed)
    }

    /// The base's bytes on disk; the type is determined as far as possible without waiting for an
    /// origin.
    package func residentSlice(_ range: RequestedRange) -> ResidentSlice? {
        guard let slice = self.base.residentSlice(range) else { return nil }
        return slice.described(
            as: self.typedWithoutReading(slice.resource)
                ?? self.typedForNow(slice.resource)
        )
    }

    /// Opens the base's held bytes.
    package func openHeld() async { await self.base.openHeld() }

    /// The time since the base's origin last confirmed the bytes.
    package var timeSinceConfirmation: Duration? { self.base.timeSinceConfirmation }

    /// The base's held ranges.
    package var availability: Availability { self.base.availability }

    /// The base's availability now and after each change.
    package func availabilityChanges() -> AsyncStream<Availability> {
        self.base.availabilityChanges()
    }

    /// The description with a remembered type, or with the type of the first bytes on disk.
    private func typedWithoutReading(_ description: ResourceDescription) -> ResourceDescription? {
        if let typed = self.typedAsBefore(description) { return typed }
        guard let identity = ResourceIdentity(description),
            let slice = self.base.residentSlice(.span(0..<Self.headLength)),
            slice.range.lowerBound == 0, !slice.range.isEmpty,
            ResourceIdentity(slice.resource) == identity,
            let head = try? slice.clamped(to: 0..<Self.headLength).load()
        else { return nil }
        let length = slice.resource.length ?? .max
        let isWhole = Int64(head.count) >= min(length, Self.headLength)
        return head.withUnsafeBytes { head in
            let content = SniffedContent(of: FirstBytes(head))
            guard isWhole || content?.alternatives.isEmpty == true else { return nil }
            return self.settle(description, content: content, head: head)
        }
    }

    private func typedAsBefore(_ description: ResourceDescription) -> ResourceDescription? {
        self.settled.withLock { settled in
            guard let known = settled else { return nil }
            if let last = known.last, last.base.isCopy(of: description) { return last.typed }
            guard known.identity == ResourceIdentity(description) else { return nil }
            var typed = description
            typed.mediaType = known.type
            typed = self.named(typed)
            settled?.last = (description, typed)
            return typed
        }
    }

    /// Reads the first bytes from the base to determine their type.
    private func typedByReading(
        _ description: ResourceDescription
    ) async throws -> ResourceDescription {
        guard description.length != 0 else { return self.typed(description, content: nil) }
        do {
            let reading = try await self.base.read(.span(0..<Self.headLength))
            let (head, isWhole) = try await Self.head(of: reading)
            return self.settle(reading.resource, head: head, isWhole: isWhole)
        } catch let error as CancellationError {
            throw error
        } catch {
            return self.typed(description, content: nil)
        }
    }

    /// Pulls a reading's chunks until 512 bytes arrive, or fewer are unambiguous, and puts the
    /// chunks back.
    ///
    /// - Returns: the bytes, 512 at most, and whether the resource has no further bytes to look at:
    ///   512 have arrived, or as many as the known length of the resource.
    /// - Throws: as the reading, if it fails before its first chunk or the task is cancelled; the
    ///   consumer gets any later failure.
    private static func head(of reading: ByteReading) async throws -> ([UInt8], isWhole: Bool) {
        let iterator = reading.makeAsyncIterator()
        var chunks: [ByteChunk] = []
        var head: [UInt8] = []
        var end: Result<Void, any Error>?
        while head.count < Self.headLength {
            do {
                guard let chunk = try await iterator.next() else {
                    end = .success(())
                    break
                }
                chunks.append(chunk)
                // If reading the disk fails, the consumer gets the error; the failure does not
                // affect the type.
                guard let bytes = try? chunk.clamped(to: 0..<Self.headLength)?.bytes() else {
                    break
                }
                head += bytes
            } catch {
                guard !head.isEmpty, !(error is CancellationError) else { throw error }
                end = .failure(error)
                break
            }
            let content = head.withUnsafeBytes { SniffedContent(of: FirstBytes($0)) }
            if content?.alternatives.isEmpty == true { break }
        }
        reading.putBack(chunks, end: end)
        let isWhole =
            head.count >= Self.headLength || reading.resource.length == Int64(head.count)
        return (head, isWhole)
    }

    private func settle(
        _ description: ResourceDescription,
        head: [UInt8],
        isWhole: Bool
    ) -> ResourceDescription {
        head.withUnsafeBytes { head in
            let content = SniffedContent(of: FirstBytes(head))
            guard isWhole || content?.alternatives.isEmpty == true else {
                return self.typed(description, content: content)
            }
            return self.settle(description, content: content, head: head)
        }
    }

    /// Sets the final type of a description, and remembers it.
    private func settle(
        _ description: ResourceDescription,
        content: SniffedContent?,
        head: UnsafeRawBufferPointer
    ) -> ResourceDescription {
        let typed = self.typed(description, content: content)
        let isNew: Bool
        if let identity = ResourceIdentity(description) {
            isNew = self.settled.withLock { settled in
                defer { settled = Settled(identity: identity, type: typed.mediaType) }
                return settled?.identity != identity
            }
        } else {
            isNew = self.hasTold.withLock { hasTold in
                defer { hasTold = true }
                return !hasTold
            }
        }
        guard isNew else { return typed }
        if let form = EncryptedForm(of: head) {
            self.whenEncrypted?(form)
        } else if content == nil, !Self.isText(head) {
            self.whenUnrecognised?()
        }
        return typed
    }

    /// The description without the type of the first bytes; the same one until the base changes it.
    private func typedForNow(_ description: ResourceDescription) -> ResourceDescription {
        self.forNow.withLock { last in
            if let last, last.base.isCopy(of: description) { return last.typed }
            let typed = self.typed(description, content: nil)
            last = (description, typed)
            return typed
        }
    }

    private func typed(
        _ description: ResourceDescription,
        content: SniffedContent?
    ) -> ResourceDescription {
        var typed = description
        typed.mediaType = MediaType.settled(
            content: content,
            declared: description.mediaType,
            fileExtension: description.name.flatMap(Self.fileExtension)
        )
        return self.named(typed)
    }

    private func named(_ description: ResourceDescription) -> ResourceDescription {
        guard self.isNamedByType, let type = description.mediaType, let name = description.name,
            let wanted = type.preferredFileExtension
        else { return description }
        let own = Self.fileExtension(of: name)
        guard own.flatMap({ MediaType(fileExtension: $0) }) != type else { return description }
        var named = description
        var stem = name[...]
        if let own, ["bin", "dat", "data"].contains(own.lowercased()) {
            stem = name.dropLast(own.count + 1)
        }
        named.name = "\(stem).\(wanted)"
        return named
    }

    /// Whether bytes could be text: no control characters except white space.
    private static func isText(_ head: UnsafeRawBufferPointer) -> Bool {
        head.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }
    }

    private static func fileExtension(of name: String) -> String? {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        return String(name[name.utf8.index(after: dot)...])
    }
}
