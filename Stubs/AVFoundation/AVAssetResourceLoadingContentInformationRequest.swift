// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Sendable as in the SDK: the information is behind `lock`.

/// The request for content information of the resource.
///
/// The loader reads the values once: at the first bytes of the request, or at its end. Later changes are ignored
/// [dis], and logged as a violation.
///
/// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingcontentinformationrequest>
open class AVAssetResourceLoadingContentInformationRequest: NSObject, @unchecked Sendable {
    private let lock = NSLock()
    private let log: StubLog
    private var said: StubInformation
    private var isTaken = false

    init(allowedContentTypes: [String]?, log: StubLog) {
        said = StubInformation(allowedContentTypes: allowedContentTypes)
        self.log = log
        super.init()
    }

    /// The allowed uniform type identifiers; nil if any type is allowed.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingcontentinformationrequest/allowedcontenttypes>
    public var allowedContentTypes: [String]? { lock.withLock { said.allowedContentTypes } }

    /// The uniform type identifier of the resource: not a MIME type.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingcontentinformationrequest/contenttype>
    open var contentType: String? {
        get { lock.withLock { said.contentType } }
        set { say { $0.contentType = newValue } }
    }

    /// The length of the whole resource in bytes.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingcontentinformationrequest/contentlength>
    open var contentLength: Int64 {
        get { lock.withLock { said.contentLength } }
        set { say { $0.contentLength = newValue } }
    }

    /// Whether the loader can request any range.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingcontentinformationrequest/isbyterangeaccesssupported>
    open var isByteRangeAccessSupported: Bool {
        get { lock.withLock { said.isByteRangeAccessSupported } }
        set { say { $0.isByteRangeAccessSupported = newValue } }
    }

    /// When the information expires.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingcontentinformationrequest/renewaldate>
    open var renewalDate: Date? {
        get { lock.withLock { said.renewalDate } }
        set { say { $0.renewalDate = newValue } }
    }

    /// Whether every byte is available at once, which a resource from a network never is.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingcontentinformationrequest/isentirelengthavailableondemand>
    open var isEntireLengthAvailableOnDemand: Bool {
        get { lock.withLock { said.isEntireLengthAvailableOnDemand } }
        set { say { $0.isEntireLengthAvailableOnDemand = newValue } }
    }

    /// Reads the information, the first time only.
    ///
    /// - Returns: The information; nil after the first time.
    func take() -> StubInformation? {
        lock.withLock {
            guard !isTaken else { return nil }
            isTaken = true
            return said
        }
    }

    private func say(_ edit: (inout StubInformation) -> Void) {
        let isLate = lock.withLock {
            edit(&said)
            return isTaken
        }
        if isLate { log.note(.informationAfterData) }
    }
}
