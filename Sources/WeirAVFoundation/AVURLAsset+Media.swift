// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AVFoundation)
public import AVFoundation
import Foundation
public import WeirSource

extension AVURLAsset {
    /// Makes an asset of any byte source, a `Media` of Weir for one, once its first bytes have told what it is.
    ///
    /// The reading that tells goes on with the player's first request, so that an origin is asked once. The asset's URL
    /// is one of Weir's own, with the extension of the true type; the asset keeps what answers its requests alive, and
    /// ends it. Use it for one item, for copies of it, in a queue or a looper.
    ///
    /// - Parameter media: where the bytes come from.
    /// - Throws: `SourceError`, before there is anything to play: no such resource, no permission, no answer.
    ///   `CancellationError`.
    public convenience init(media: any ByteSource) async throws {
        let loader = AssetLoader(media, queue: .forAnAsset)
        do {
            let description = try await loader.prepare()
            // A cancellation that came with the answer has ended the loader.
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
    ///   - media: where the bytes come from; nothing is read until the player asks.
    ///   - type: what they are. A wrong one makes an asset that does not play.
    public convenience init(media: any ByteSource, type: MediaType) {
        let loader = AssetLoader(media, queue: .forAnAsset)
        self.init(loader, name: nil, type: type)
    }

    /// What happens to the medium behind the asset from now on; `nil` for an asset that is not Weir's.
    public func mediaEvents() -> AsyncStream<MediaAssetEvent>? {
        let delegate = objc_getAssociatedObject(self, associationKey)
        return (delegate as? MediaResourceLoader)?.loader.events()
    }

    private convenience init(_ loader: AssetLoader, name: String?, type: MediaType?) {
        let address = MediaRegistry.shared.register(loader, name: name, type: type)
        guard let url = URL(string: address.description) else {
            // Its scheme, its number and its name are of characters that any URL may have.
            preconditionFailure("\(address) is no URL")
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

/// The key under which an asset keeps what answers its requests.
// Safe to share: only the address counts; its byte lives for ever and is never read or written.
nonisolated(unsafe) private let associationKey = UnsafeRawPointer(
    UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
)
#endif
