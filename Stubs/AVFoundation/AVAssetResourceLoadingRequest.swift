// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import FoundationNetworking

// Sendable as in the SDK: what the delegate may set is behind `lock`, the rest is constant or behind the exchange's.

/// One request for a range of the resource, for what the resource is, or for both.
///
/// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingrequest>
open class AVAssetResourceLoadingRequest: NSObject, @unchecked Sendable {
    /// The URL of the asset, with the range in a `Range` header [dis].
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingrequest/request>
    public let request: URLRequest
    /// What is asked of the resource itself; nil where it is known already.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingrequest/contentinformationrequest>
    public let contentInformationRequest: AVAssetResourceLoadingContentInformationRequest?
    /// Which bytes are asked for.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingrequest/datarequest>
    public let dataRequest: AVAssetResourceLoadingDataRequest?
    /// Who asks.
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

    /// Whether one of the two ways to finish was called.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingrequest/isfinished>
    public var isFinished: Bool { exchange.isFinished }

    /// Whether the loader cancelled it; true just before the delegate is told [hdr].
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingrequest/iscancelled>
    public var isCancelled: Bool { exchange.isCancelled }

    /// Where to ask instead, http(s) only [hdr]; the stub has no network, and fails a request that is redirected.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingrequest/redirect>
    open var redirect: URLRequest? {
        get { lock.withLock { heldRedirect } }
        set { lock.withLock { heldRedirect = newValue } }
    }

    /// What a server answered; kept and not looked at.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingrequest/response>
    open var response: URLResponse? {
        get { lock.withLock { heldResponse } }
        set { lock.withLock { heldResponse = newValue } }
    }

    /// Says that all there is was delivered: fewer bytes than asked for mean that the resource ends there [hdr].
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingrequest/finishloading()>
    open func finishLoading() {
        guard redirect == nil else {
            exchange.finish(URLError(.unsupportedURL))
            return
        }
        exchange.finish(nil)
    }

    /// Says that loading failed.
    ///
    /// Without an error it is taken for a failure nevertheless; what Apple makes of a nil could not be confirmed.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingrequest/finishloading(with:)>
    ///
    /// - Parameter error: Why.
    open func finishLoading(with error: (any Error)?) {
        exchange.finish(error ?? AVError(.unknown))
    }
}

extension AVAssetResourceLoader {
    /// A failure to load, with a status of the media system under it.
    static func stubError(status: Int) -> AVError {
        AVError(
            .unknown,
            userInfo: [NSUnderlyingErrorKey: NSError(domain: "NSOSStatusErrorDomain", code: status)]
        )
    }
}
