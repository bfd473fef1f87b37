// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import FoundationNetworking

// All five are optional in Objective-C. Without its runtime they are requirements with a default each: what Apple's
// loader does where a delegate lacks the method.

/// Who answers for what the system cannot load itself.
///
/// <https://developer.apple.com/documentation/avfoundation/avassetresourceloaderdelegate>
public protocol AVAssetResourceLoaderDelegate: NSObjectProtocol {
    /// Asks whether the delegate will load a resource; false is a failure to load.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloaderdelegate/resourceloader(_:shouldwaitforloadingofrequestedresource:)>
    ///
    /// - Parameters:
    ///   - resourceLoader: Whose request it is.
    ///   - loadingRequest: What to load.
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
    ///   - resourceLoader: Whose request it is.
    ///   - renewalRequest: What to renew.
    /// - Returns: Whether the delegate will finish the request, now or later.
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForRenewalOfRequestedResource renewalRequest: AVAssetResourceRenewalRequest
    ) -> Bool

    /// Says that a request is of no use any more.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloaderdelegate/resourceloader(_:didcancel:)-3nl51>
    ///
    /// - Parameters:
    ///   - resourceLoader: Whose request it was.
    ///   - loadingRequest: The request; it says already that it is cancelled.
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        didCancel loadingRequest: AVAssetResourceLoadingRequest
    )

    /// Asks whether the delegate will answer an authentication challenge; the stub never has one.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloaderdelegate/resourceloader(_:shouldwaitforresponseto:)>
    ///
    /// - Parameters:
    ///   - resourceLoader: Whose challenge it is.
    ///   - authenticationChallenge: The challenge.
    /// - Returns: Whether the delegate will answer it.
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForResponseTo authenticationChallenge: URLAuthenticationChallenge
    ) -> Bool

    /// Says that an authentication challenge is of no use any more; the stub never has one.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloaderdelegate/resourceloader(_:didcancel:)-1wqin>
    ///
    /// - Parameters:
    ///   - resourceLoader: Whose challenge it was.
    ///   - authenticationChallenge: The challenge.
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        didCancel authenticationChallenge: URLAuthenticationChallenge
    )
}

extension AVAssetResourceLoaderDelegate {
    /// Does not load.
    ///
    /// - Parameters:
    ///   - resourceLoader: Whose request it is.
    ///   - loadingRequest: What to load.
    /// - Returns: False.
    public func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool { false }

    /// Does not renew.
    ///
    /// - Parameters:
    ///   - resourceLoader: Whose request it is.
    ///   - renewalRequest: What to renew.
    /// - Returns: False.
    public func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForRenewalOfRequestedResource renewalRequest: AVAssetResourceRenewalRequest
    ) -> Bool { false }

    /// Takes no notice.
    ///
    /// - Parameters:
    ///   - resourceLoader: Whose request it was.
    ///   - loadingRequest: The request.
    public func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        didCancel loadingRequest: AVAssetResourceLoadingRequest
    ) {}

    /// Does not answer.
    ///
    /// - Parameters:
    ///   - resourceLoader: Whose challenge it is.
    ///   - authenticationChallenge: The challenge.
    /// - Returns: False.
    public func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForResponseTo authenticationChallenge: URLAuthenticationChallenge
    ) -> Bool { false }

    /// Takes no notice.
    ///
    /// - Parameters:
    ///   - resourceLoader: Whose challenge it was.
    ///   - authenticationChallenge: The challenge.
    public func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        didCancel authenticationChallenge: URLAuthenticationChallenge
    ) {}
}
