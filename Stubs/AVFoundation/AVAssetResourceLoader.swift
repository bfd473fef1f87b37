// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Dispatch
public import Foundation

// Sendable as in the SDK: every mutable property is behind `lock`; the delegate is called outside the lock.

/// Asks a delegate for resources that the system cannot load: in the stub, all but http(s) and file URLs.
///
/// <https://developer.apple.com/documentation/avfoundation/avassetresourceloader>
open class AVAssetResourceLoader: NSObject, @unchecked Sendable {
    /// The log of the asset; not Apple's.
    public let stubLog = StubLog()

    let url: URL
    private let lock = NSLock()
    private weak var heldDelegate: (any AVAssetResourceLoaderDelegate)?
    private var heldQueue: DispatchQueue?
    private var live: [ObjectIdentifier: AVAssetResourceLoadingRequest] = [:]
    private var cached: StubInformation?
    private var allowed: [String]?
    private var preloads = false
    private var sendsMediaClientData = false

    init(url: URL) {
        self.url = url
        super.init()
    }

    deinit {
        StubAssociations.shared.forget(self)
    }

    /// The delegate that loads resources; held weakly, so the caller must keep it alive.
    ///
    /// In the SDK a `weak var … { get }`: nil once the delegate is gone.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloader/delegate>
    public var delegate: (any AVAssetResourceLoaderDelegate)? {
        lock.withLock { heldDelegate }
    }

    /// The queue that every method of the delegate is called on.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloader/delegatequeue>
    public var delegateQueue: DispatchQueue? {
        lock.withLock { heldQueue }
    }

    /// Whether content keys are loaded early; stored, but unused.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloader/preloadseligiblecontentkeys>
    open var preloadsEligibleContentKeys: Bool {
        get { lock.withLock { preloads } }
        set { lock.withLock { preloads = newValue } }
    }

    /// Whether requests carry Common Media Client Data; stored, but unused.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloader/sendscommonmediaclientdataashttpheaders>
    open var sendsCommonMediaClientDataAsHTTPHeaders: Bool {
        get { lock.withLock { sendsMediaClientData } }
        set { lock.withLock { sendsMediaClientData = newValue } }
    }

    /// Sets the delegate, and the queue of its calls; the stub expects a serial queue.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloader/setdelegate(_:queue:)>
    ///
    /// - Parameters:
    ///   - delegate: The delegate; held weakly.
    ///   - delegateQueue: The queue for the calls of the delegate.
    open func setDelegate(
        _ delegate: (any AVAssetResourceLoaderDelegate)?,
        queue delegateQueue: DispatchQueue?
    ) {
        lock.withLock {
            heldDelegate = delegate
            heldQueue = delegateQueue
        }
    }

    // MARK: - Not Apple's

    /// The allowed types in information requests of this asset; nil, as in most real requests.
    public var stubAllowedContentTypes: [String]? {
        get { lock.withLock { allowed } }
        set { lock.withLock { allowed = newValue } }
    }

    /// The delegate's information about the resource, if it is remembered for the next requests.
    public var stubCachedInformation: StubInformation? {
        lock.withLock { cached }
    }

    /// How many requests are neither finished nor cancelled.
    public var stubLiveRequestCount: Int {
        lock.withLock { live.count }
    }

    /// Asks the delegate to renew the resource, as at its renewal date.
    ///
    /// - Returns: Whether the delegate accepted.
    @discardableResult
    public func stubRenew() async -> Bool {
        guard let queue = delegateQueue else { return false }
        let request = AVAssetResourceRenewalRequest(
            loader: self,
            wish: StubWish(offset: 0, length: 2, toEnd: false),
            information: informationRequest()
        ) { _ in }
        lock.withLock { live[ObjectIdentifier(request)] = request }
        return await withCheckedContinuation { continuation in
            queue.async {
                let accepted =
                    self.delegate?.resourceLoader(
                        self,
                        shouldWaitForRenewalOfRequestedResource: request
                    ) ?? false
                if !accepted { request.exchange.decline() }
                continuation.resume(returning: accepted)
            }
        }
    }

    // MARK: - For the player

    /// Passes a request to the delegate, on the delegate's queue.
    ///
    /// - Parameters:
    ///   - wish: The range.
    ///   - asksInformation: Whether to request content information; remembered information is not requested again.
    ///   - changed: Called on any thread when bytes have arrived, and when the request has ended.
    /// - Returns: The request; it is declined at once if there is no delegate.
    func load(
        _ wish: StubWish,
        asksInformation: Bool,
        changed: @escaping @Sendable (AVAssetResourceLoadingRequest) -> Void
    ) -> AVAssetResourceLoadingRequest {
        // Once the delegate has given the information, later requests for this URL do not ask again [dis].
        let asks = asksInformation && stubCachedInformation == nil
        let request = AVAssetResourceLoadingRequest(
            loader: self,
            wish: wish,
            information: asks ? informationRequest() : nil,
            changed: changed
        )
        // The system loads http, https and file itself: it does not ask the delegate [hdr], and the stub has no
        // network.
        let ownScheme = ["http", "https", "file"].contains(url.scheme?.lowercased() ?? "file")
        guard !ownScheme, delegate != nil, let queue = delegateQueue else {
            request.exchange.decline()
            return request
        }
        lock.withLock { live[ObjectIdentifier(request)] = request }
        queue.async {
            let accepted =
                self.delegate?.resourceLoader(
                    self,
                    shouldWaitForLoadingOfRequestedResource: request
                ) ?? false
            if !accepted { request.exchange.decline() }
        }
        return request
    }

    /// Cancels a request: on the delegate's queue it becomes cancelled, then the delegate is called [hdr].
    ///
    /// Bytes that the delegate delivers before this call on its queue are still accepted.
    ///
    /// - Parameter request: The request.
    func cancel(_ request: AVAssetResourceLoadingRequest) {
        guard let queue = delegateQueue else {
            _ = request.exchange.cancel()
            return
        }
        queue.async {
            guard request.exchange.cancel() else { return }
            self.delegate?.resourceLoader(self, didCancel: request)
        }
    }

    /// Records the end of a request: releases it, and may remember its information.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - information: The content information, if it was requested and the request succeeded.
    func ended(_ request: AVAssetResourceLoadingRequest, information: StubInformation?) {
        lock.withLock {
            live[ObjectIdentifier(request)] = nil
            // Not remembered: information with several allowed types, or with a renewal date [dis].
            guard let information, (information.allowedContentTypes?.count ?? 0) <= 1,
                information.renewalDate == nil
            else { return }
            cached = information
        }
        stubLog.touch()
    }

    private func informationRequest() -> AVAssetResourceLoadingContentInformationRequest {
        AVAssetResourceLoadingContentInformationRequest(
            allowedContentTypes: stubAllowedContentTypes,
            log: stubLog
        )
    }
}
