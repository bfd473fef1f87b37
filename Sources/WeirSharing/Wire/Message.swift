// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirLoader
import WeirSource

/// The messages between the owner of a cache directory and its users.
///
/// The first message of a connection is a request, and each request has its own connection. A
/// message is the version, a byte for its kind, and its fields, without further bytes. Any change
/// needs a new version. A process answers an unreadable message with ``refusal``, which every other
/// version recognizes.
enum Message: Sendable {
    // MARK: Requests of a user

    /// Use a resource, and lend its origin, while the connection lasts.
    case use(SharedResource, LoadPolicy)
    /// Read a resource in use.
    case read(use: UInt64, ReadDemand)
    /// Describe a resource in use.
    case describe(use: UInt64)
    /// Report which bytes of a resource in use are held now.
    case held(use: UInt64)
    /// Supply the data that an order requested from an origin.
    case supply(order: UInt64)
    /// Carry out a command on the cached bytes.
    case command(CacheCommand)
    /// Carry out a command on the download queue.
    case download(DownloadCommand)
    /// Report the state of the download queue, while the connection lasts.
    case watchDownloads
    /// Send a newer text than the one with this number, or let the user load it.
    case shareText(key: String, after: UInt64)

    // MARK: While a resource is in use

    /// The owner allows the use, under this number; the cache has these limits.
    case using(UInt64, CacheLimits)
    /// The process is alive; sent regularly.
    case alive
    /// The owner's order to the user's origin; the user answers it on a separate connection.
    case order(UInt64, Order)
    /// The user requests reports of the held bytes from now on.
    case watch
    /// The held bytes.
    case availability(Availability)

    // MARK: Answers

    /// A reading begins; its bytes follow, and an ``end``.
    case reading(
        ResourceDescription,
        lowerBound: Int64,
        upperBound: Int64?,
        provesEnd: Bool,
        coversWhole: Bool
    )
    /// The reading is complete.
    case end
    /// The description of the resource.
    case described(ResourceDescription)
    /// Whether the resource still has the version that the order names.
    case unchanged(Bool)
    /// Every download, in the order of the queue.
    case downloads([DownloadStatus])
    /// The result of a command.
    case done(CommandResult)
    /// Load the text from the user's origin; it gets this number.
    case loadText(number: UInt64)
    /// A text that changes, and its number; from the owner, or from the user that loaded it.
    case text(SharedText, number: UInt64)
    /// The request failed.
    case failure(any Error)

    /// An order to the origin that a user lends.
    enum Order: Sendable {
        /// Read bytes; an origin that is asked after another one failed does not retry.
        case read(ReadDemand, isLastTry: Bool)
        case describe
        case isUnchanged(ReadDemand.Version)
    }

    /// The version of the messages.
    ///
    /// Version 1 was JSON, which starts with another byte. Version 2 had no downloads. Version 3
    /// could not ask for the held bytes. Version 4 had one sentence for an error, and no accounts
    /// of downloads. Version 5 had no time since when a resource is immutable. Version 6 shared no
    /// texts.
    static let version: UInt8 = 7

    /// The answer to an unreadable message: a failure in the form of version 1.
    ///
    /// Version 1 shows the sentence of the refusal. Every later version shows the same sentence,
    /// since it reads any message of another version as ``WeirCache/CacheError/otherVersion``. The
    /// form must never change.
    static let refusal = Array(
        #"{"failure":{"_0":{"kind":"cache","code":"inUse","message":"\#(CacheError.otherVersion.message)"}}}"#
            .utf8
    )

    /// The message, as the content of a frame.
    var encoded: [UInt8] {
        var buffer = WireBuffer()
        buffer.write(Self.version, self)
        return buffer.bytes
    }

    /// Reads the content of a frame.
    ///
    /// - Throws: ``WeirCache/CacheError/otherVersion`` if it is not a message of this version;
    ///   asking again would not help.
    init(decoding content: [UInt8]) throws(CacheError) {
        var buffer = WireBuffer(content)
        guard try buffer.read(UInt8.self) == Self.version else { throw CacheError.otherVersion }
        self = try buffer.read()
        guard buffer.count == 0 else { throw CacheError.otherVersion }
    }
}

extension Message: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        switch try buffer.read(UInt8.self) {
        case 1: self = .use(try buffer.read(), try buffer.read())
        case 2: self = .read(use: try buffer.read(), try buffer.read())
        case 3: self = .describe(use: try buffer.read())
        case 4: self = .supply(order: try buffer.read())
        case 5: self = .command(try buffer.read())
        case 6: self = .using(try buffer.read(), try buffer.read())
        case 7: self = .alive
        case 8: self = .order(try buffer.read(), try buffer.read())
        case 9: self = .watch
        case 10: self = .availability(try buffer.read())
        case 11:
            let description = try buffer.read(ResourceDescription.self)
            let (lower, upper) = (try buffer.read(Int64.self), try buffer.read(Int64?.self))
            let end = upper ?? ResourceLength.maximum
            guard ResourceLength.checked(from: lower, to: end) != nil else {
                throw CacheError.otherVersion
            }
            self = .reading(
                description,
                lowerBound: lower,
                upperBound: upper,
                provesEnd: try buffer.read(),
                coversWhole: try buffer.read()
            )
        case 12: self = .end
        case 13: self = .described(try buffer.read())
        case 14: self = .unchanged(try buffer.read())
        case 15: self = .done(try buffer.read())
        case 16: self = .failure(try buffer.read(SourceError.self))
        case 17: self = .failure(try buffer.read(CacheError.self))
        case 18: self = .failure(PeerError.disconnected)
        case 19: self = .download(try buffer.read())
        case 20: self = .watchDownloads
        case 21: self = .downloads(try buffer.read())
        case 22: self = .held(use: try buffer.read())
        case 23: self = .shareText(key: try buffer.read(), after: try buffer.read())
        case 24: self = .loadText(number: try buffer.read())
        case 25: self = .text(try buffer.read(), number: try buffer.read())
        default: throw CacheError.otherVersion
        }
    }

    func write(to buffer: inout WireBuffer) {
        switch self {
        case .use(let name, let policy): buffer.write(UInt8(1), name, policy)
        case .read(let use, let demand): buffer.write(UInt8(2), use, demand)
        case .describe(let use): buffer.write(UInt8(3), use)
        case .supply(let order): buffer.write(UInt8(4), order)
        case .command(let command): buffer.write(UInt8(5), command)
        case .using(let use, let limits): buffer.write(UInt8(6), use, limits)
        case .alive: buffer.write(UInt8(7))
        case .order(let number, let order): buffer.write(UInt8(8), number, order)
        case .watch: buffer.write(UInt8(9))
        case .availability(let availability): buffer.write(UInt8(10), availability)
        case .reading(let description, let lower, let upper, let provesEnd, let coversWhole):
            buffer.write(UInt8(11), description, lower, upper, provesEnd, coversWhole)
        case .end: buffer.write(UInt8(12))
        case .described(let description): buffer.write(UInt8(13), description)
        case .unchanged(let isUnchanged): buffer.write(UInt8(14), isUnchanged)
        case .done(let result): buffer.write(UInt8(15), result)
        case .failure(let error as SourceError): buffer.write(UInt8(16), error)
        case .failure(let error as CacheError): buffer.write(UInt8(17), error)
        // The other end reads any other error as `PeerError.disconnected`: another attempt may
        // succeed at once.
        case .failure: buffer.write(UInt8(18))
        case .download(let command): buffer.write(UInt8(19), command)
        case .watchDownloads: buffer.write(UInt8(20))
        case .downloads(let list): buffer.write(UInt8(21), list)
        case .held(let use): buffer.write(UInt8(22), use)
        case .shareText(let key, let number): buffer.write(UInt8(23), key, number)
        case .loadText(let number): buffer.write(UInt8(24), number)
        case .text(let text, let number): buffer.write(UInt8(25), text, number)
        }
    }
}

extension Message.Order: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        switch try buffer.read(UInt8.self) {
        case 1: self = .read(try buffer.read(), isLastTry: try buffer.read())
        case 2: self = .describe
        case 3: self = .isUnchanged(try buffer.read())
        default: throw CacheError.otherVersion
        }
    }

    func write(to buffer: inout WireBuffer) {
        switch self {
        case .read(let demand, let isLastTry): buffer.write(UInt8(1), demand, isLastTry)
        case .describe: buffer.write(UInt8(2))
        case .isUnchanged(let version): buffer.write(UInt8(3), version)
        }
    }
}
