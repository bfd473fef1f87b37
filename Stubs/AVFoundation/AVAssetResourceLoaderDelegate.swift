// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import FoundationNetworking

// All five methods are optional in Objective-C. Without its runtime they are requirements, each with a default: the
// behaviour of Apple's loader when a delegate lacks the method.

/// A delegate that loads resources that the system cannot load itself.
///
/// <https://developer.apple.com/documentation/avfoundation/avassetresourceloaderdelegate>
public protocol AVAssetResourceLoaderDelegate: NSObjectProtocol {
    /// Asks whether the delegate will load a resource; false means a failure to load.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloaderdelegate/resourceloader(_:shouldwaitforloadingofrequestedresource:)>
    ///
    /// - Parameters:
    ///   - resourceLoader: The loader of the request.
    ///   - loadingRequest: The request.
    /// - Returns: Whether the delegate will finish the request, now or later.
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool

    /// Asks whether the delegate will renew a resource whose renewal date has come.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloaderdelegate/resourceloader(_:shouldwaitforrenewalofrequestedresource:)>
    ///
    /// - Parameters:
    ///   - resourceLoader: The loader of the request.
    ///   - renewalRequest: The request to renew the resource.
    /// - Returns: Whether the delegate will finish the request, now or later.
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForRenewalOfRequestedResource renewalRequest: AVAssetResourceRenewalRequest
    ) -> Bool

    /// Reports that a request is no longer needed.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloaderdelegate/resourceloader(_:didcancel:)-3nl51>
    ///
    /// - Parameters:
    ///   - resourceLoader: The loader of the request.
    ///   - loadingRequest: The request; its `isCancelled` is already true.
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        didCancel loadingRequest: AVAssetResourceLoadingRequest
    )

    /// Asks whether the delegate will answer an authentication challenge; the stub never has one.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloaderdelegate/resourceloader(_:shouldwaitforresponseto:)>
    ///
    /// - Parameters:
    ///   - resourceLoader: The loader of the challenge.
    ///   - authenticationChallenge: The challenge.
    /// - Returns: Whether the delegate will answer it.
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForResponseTo authenticationChallenge: URLAuthenticationChallenge
    ) -> Bool

    /// Reports that an authentication challenge is no longer needed; the stub never has one.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloaderdelegate/resourceloader(_:didcancel:)-1wqin>
    ///
    /// - Parameters:
    ///   - resourceLoader: The loader of the challenge.
    ///   - authenticationChallenge: The challenge.
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        didCancel authenticationChallenge: URLAuthenticationChallenge
    )
}

extension AVAssetResourceLoaderDelegate {
    /// Declines the request.
    ///
    /// - Parameters:
    ///   - resourceLoader: The loader of the request.
    ///   - loadingRequest: The request.
    /// - Returns: False.
    public func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool { false }

    /// Declines the renewal.
    ///
    /// - Parameters:
    ///   - resourceLoader: The loader of the request.
    ///   - renewalRequest: The request to renew the resource.
    /// - Returns: False.
    public func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForRenewalOfRequestedResource renewalRequest: AVAssetResourceRenewalRequest
    ) -> Bool { false }

    /// Does nothing.
    ///
    /// - Parameters:
    ///   - resourceLoader: The loader of the request.
    ///   - loadingRequest: The request.
    public func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        didCancel loadingRequest: AVAssetResourceLoadingRequest
    ) {}

    /// Does not answer the challenge.
    ///
    /// - Parameters:
    ///   - resourceLoader: The loader of the challenge.
    ///   - authenticationChallenge: The challenge.
    /// - Returns: False.
    public func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForResponseTo authenticationChallenge: URLAuthenticationChallenge
    ) -> Bool { false }

    /// Does nothing.
    ///
    /// - Parameters:
    ///   - resourceLoader: The loader of the challenge.
    ///   - authenticationChallenge: The challenge.
    public func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        didCancel authenticationChallenge: URLAuthenticationChallenge
    ) {}
}
