// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Dispatch
public import Foundation

// Sendable as in the SDK: every mutable property is behind `lock`; the delegate is called without it.

/// Asks a delegate for what the system cannot load itself: here, for every URL that is neither http(s) nor a file.
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

    /// Who answers; held weakly, so that who sets it must keep it alive.
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

    /// Whether content keys are loaded early; kept and not looked at.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloader/preloadseligiblecontentkeys>
    open var preloadsEligibleContentKeys: Bool {
        get { lock.withLock { preloads } }
        set { lock.withLock { preloads = newValue } }
    }

    /// Whether requests carry Common Media Client Data; kept and not looked at.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloader/sendscommonmediaclientdataashttpheaders>
    open var sendsCommonMediaClientDataAsHTTPHeaders: Bool {
        get { lock.withLock { sendsMediaClientData } }
        set { lock.withLock { sendsMediaClientData = newValue } }
    }

    /// Names who answers, and the queue to call it on; the stub takes the queue to be serial.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloader/setdelegate(_:queue:)>
    ///
    /// - Parameters:
    ///   - delegate: Who answers; held weakly.
    ///   - delegateQueue: Where it is called.
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

    /// What information requests of this asset will say is allowed; nil, as most real ones say.
    public var stubAllowedContentTypes: [String]? {
        get { lock.withLock { allowed } }
        set { lock.withLock { allowed = newValue } }
    }

    /// What the delegate said of the resource, where it is remembered for the next requests.
    public var stubCachedInformation: StubInformation? {
        lock.withLock { cached }
    }

    /// How many requests were given out and neither finished nor cancelled.
    public var stubLiveRequestCount: Int {
        lock.withLock { live.count }
    }

    /// Asks the delegate to renew the resource, as at its renewal date.
    ///
    /// - Returns: Whether it accepted.
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

    /// Gives a request to the delegate, on its queue.
    ///
    /// - Parameters:
    ///   - wish: The range.
    ///   - asksInformation: Whether the answer to a question is wanted too, which it is not where it is remembered.
    ///   - changed: Called on any thread whenever bytes came, and when the request ended.
    /// - Returns: The request; it is refused at once where there is nobody to ask.
    func load(
        _ wish: StubWish,
        asksInformation: Bool,
        changed: @escaping @Sendable (AVAssetResourceLoadingRequest) -> Void
    ) -> AVAssetResourceLoadingRequest {
        // Once it was answered the question is not asked again for this URL [dis].
        let asks = asksInformation && stubCachedInformation == nil
        let request = AVAssetResourceLoadingRequest(
            loader: self,
            wish: wish,
            information: asks ? informationRequest() : nil,
            changed: changed
        )
        // http, https and file are the system's own: the delegate is not asked [hdr], and the stub has no network.
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

    /// Cancels a request: on the delegate's queue the request says so, and then the delegate is told [hdr].
    ///
    /// What the delegate delivers before its queue comes to this is still taken.
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

    /// Notes that a request ended: it is let go, and what it learned may be remembered.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - information: What was said of the resource, where it was asked and the request succeeded.
    func ended(_ request: AVAssetResourceLoadingRequest, information: StubInformation?) {
        lock.withLock {
            live[ObjectIdentifier(request)] = nil
            // Not remembered: an answer of which several types were possible, or one that expires [dis].
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
