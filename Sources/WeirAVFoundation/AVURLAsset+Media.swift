// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AVFoundation)
public import AVFoundation
import Foundation
public import WeirSource

extension AVURLAsset {
    /// Makes an asset of any byte source, such as a `Media` of Weir, once the first bytes have
    /// shown the type.
    ///
    /// The player's first request continues the reading of these bytes, so that the origin gets one
    /// request. The asset's URL is one of Weir's own, with the extension of the true type. The
    /// asset keeps the object that answers its requests alive, and closes it. Use the asset for one
    /// item, or for copies of the item in a queue or a looper.
    ///
    /// - Parameter media: the source of the bytes.
    /// - Throws: `SourceError` if the medium cannot be opened: no such resource, no permission, no
    ///   response. `CancellationError`.
    public convenience init(media: any ByteSource) async throws {
        let loader = AssetLoader(media, queue: .forAnAsset)
        do {
            let description = try await loader.prepare()
            // A cancellation that came with the response has closed the loader.
            try Task.checkCancellation()
            self.init(loader, name: description.name, type: description.mediaType)
        } catch {
            await loader.close()
            throw error
        }
    }

    /// Makes an asset of a byte source of a known type, without waiting.
    ///
    /// - Parameters:
    ///   - media: the source of the bytes; Weir reads nothing until the player makes a request.
    ///   - type: the type of the bytes. An asset with a wrong type does not play.
    public convenience init(media: any ByteSource, type: MediaType) {
        let loader = AssetLoader(media, queue: .forAnAsset)
        self.init(loader, name: nil, type: type)
    }

    /// The events of the medium behind the asset from now on; `nil` for an asset that Weir has not
    /// made.
    public func mediaEvents() -> AsyncStream<MediaAssetEvent>? {
        let delegate = objc_getAssociatedObject(self, associationKey)
        return (delegate as? MediaResourceLoader)?.loader.events()
    }

    private convenience init(_ loader: AssetLoader, name: String?, type: MediaType?) {
        let address = MediaRegistry.shared.register(loader, name: name, type: type)
        guard let url = URL(string: address.description) else {
            // The scheme, the number and the name of the address contain only characters that every
            // URL may contain.
            preconditionFailure("\(address) is not a URL")
        }
        self.init(url: url)
        let delegate = MediaResourceLoader(loader, address: address)
        self.resourceLoader.setDelegate(delegate, queue: loader.queue.queue)
        objc_setAssociatedObject(
            self,
            associationKey,
            delegate,
            .OBJC_ASSOCIATION_RETAIN
        )
    }
}

extension DelegateQueue {
    fileprivate static var forAnAsset: DelegateQueue { DelegateQueue(label: "weir.asset") }
}

/// The key under which an asset holds the object that answers its requests.
// Safe to share: only the address counts; its byte lives for ever and is never read or written.
nonisolated(unsafe) private let associationKey = UnsafeRawPointer(
    UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
)
#endif
