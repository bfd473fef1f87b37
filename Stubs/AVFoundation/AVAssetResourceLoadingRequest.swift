// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import FoundationNetworking

// Sendable as in the SDK: the delegate's settings are behind `lock`; the other state is constant or the exchange's.

/// A request for a range of the resource, for its content information, or for both.
///
/// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingrequest>
open class AVAssetResourceLoadingRequest: NSObject, @unchecked Sendable {
    /// The URL of the asset, with the range in a `Range` header [dis].
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingrequest/request>
    public let request: URLRequest
    /// The request for content information; nil if it is known already.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingrequest/contentinformationrequest>
    public let contentInformationRequest: AVAssetResourceLoadingContentInformationRequest?
    /// The requested bytes.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingrequest/datarequest>
    public let dataRequest: AVAssetResourceLoadingDataRequest?
    /// The requestor.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingrequest/requestor>
    public let requestor = AVAssetResourceLoadingRequestor()

    let exchange: StubExchange
    private let lock = NSLock()
    private var heldRedirect: URLRequest?
    private var heldResponse: URLResponse?

    init(
        loader: AVAssetResourceLoader,
        wish: StubWish,
        information: AVAssetResourceLoadingContentInformationRequest?,
        changed: @escaping @Sendable (AVAssetResourceLoadingRequest) -> Void
    ) {
        exchange = StubExchange(wish: wish, information: information, log: loader.stubLog)
        contentInformationRequest = information
        dataRequest = AVAssetResourceLoadingDataRequest(exchange: exchange)
        var request = URLRequest(url: loader.url)
        if let header = wish.rangeHeader {
            request.setValue(header, forHTTPHeaderField: "Range")
        }
        self.request = request
        super.init()
        exchange.observe { [weak self, weak loader] phase, information in
            guard let self else { return }
            if phase != .open { loader?.ended(self, information: information) }
            changed(self)
        }
    }

    /// Whether one of the two finish functions was called.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingrequest/isfinished>
    public var isFinished: Bool { exchange.isFinished }

    /// Whether the loader cancelled the request; true just before the delegate is called [hdr].
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingrequest/iscancelled>
    public var isCancelled: Bool { exchange.isCancelled }

    /// The new location, http(s) only [hdr]; the stub has no network, so a redirected request fails.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingrequest/redirect>
    open var redirect: URLRequest? {
        get { lock.withLock { heldRedirect } }
        set { lock.withLock { heldRedirect = newValue } }
    }

    /// A server's response; stored, but unused.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingrequest/response>
    open var response: URLResponse? {
        get { lock.withLock { heldResponse } }
        set { lock.withLock { heldResponse = newValue } }
    }

    /// Finishes the request: if it has fewer bytes than requested, the resource ends there [hdr].
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingrequest/finishloading()>
    open func finishLoading() {
        guard redirect == nil else {
            exchange.finish(URLError(.unsupportedURL))
            return
        }
        exchange.finish(nil)
    }

    /// Ends the request with a failure.
    ///
    /// Without an error the request fails too. Apple's behaviour for nil could not be confirmed.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingrequest/finishloading(with:)>
    ///
    /// - Parameter error: The reason.
    open func finishLoading(with error: (any Error)?) {
        exchange.finish(error ?? AVError(.unknown))
    }
}

extension AVAssetResourceLoader {
    /// A failure to load, with an underlying status of the media system.
    static func stubError(status: Int) -> AVError {
        AVError(
            .unknown,
            userInfo: [NSUnderlyingErrorKey: NSError(domain: "NSOSStatusErrorDomain", code: status)]
        )
    }
}
