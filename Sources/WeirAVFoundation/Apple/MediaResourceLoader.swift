// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AVFoundation)
import AVFoundation
import Dispatch
import Foundation

/// What AVFoundation asks for the bytes of one asset; lives as long as the asset.
///
/// Every method is called on the queue of the loader, which is the loader's executor.
final class MediaResourceLoader: NSObject, AVAssetResourceLoaderDelegate, Sendable {
    let loader: AssetLoader
    private let address: MediaAddress

    init(_ loader: AssetLoader, address: MediaAddress) {
        self.loader = loader
        self.address = address
    }

    deinit {
        MediaRegistry.shared.remove(self.address)
        // The asset has gone, on whatever thread. The closure keeps the loader until it has ended all its readings.
        self.loader.queue.queue.async { [loader] in loader.assumeIsolated { $0.close() } }
    }

    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool {
        self.add(loadingRequest)
    }

    /// A renewal is answered as a request is: what is behind the address never ends.
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForRenewalOfRequestedResource renewalRequest: AVAssetResourceRenewalRequest
    ) -> Bool {
        self.add(renewalRequest)
    }

    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        didCancel loadingRequest: AVAssetResourceLoadingRequest
    ) {
        // Two requests may ask for the same bytes of the same URL: only the object tells which one it is.
        let identity = ObjectIdentifier(loadingRequest)
        // Called on the loader's queue; anywhere else this traps.
        self.loader.assumeIsolated { loader in
            loader.cancel { ($0 as? PlayerLoadingRequest)?.identity == identity }
        }
    }

    private func add(_ loadingRequest: AVAssetResourceLoadingRequest) -> Bool {
        guard let url = loadingRequest.request.url,
            MediaRegistry.shared.loader(of: url.absoluteString) === self.loader
        else { return false }
        let request = PlayerLoadingRequest(loadingRequest)
        // Called on the loader's queue; anywhere else this traps.
        self.loader.assumeIsolated { $0.add(request) }
        return true
    }
}
#endif
