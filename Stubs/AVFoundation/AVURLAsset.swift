// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Sendable as in the SDK, whose subclasses must hold to it. Here: every stored property is a constant, and what they
// refer to has a lock of its own; the options are never read after the initializer.

/// Media at a URL, read through a resource loader when the system cannot load the URL itself.
///
/// <https://developer.apple.com/documentation/avfoundation/avurlasset>
open class AVURLAsset: AVAsset, @unchecked Sendable {
    /// Where the media is.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avurlasset/url>
    public let url: URL
    /// Who loads it.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avurlasset/resourceloader>
    public let resourceLoader: AVAssetResourceLoader

    private let options: [String: Any]

    /// An asset of the media at a URL.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avurlasset/init(url:options:)-2x8uu>
    ///
    /// - Parameters:
    ///   - url: Where it is.
    ///   - options: Kept, and not looked at.
    public init(url: URL, options: [String: Any]? = nil) {
        self.url = url
        self.options = options ?? [:]
        resourceLoader = AVAssetResourceLoader(url: url)
        super.init()
    }

    /// An asset of the media at a URL, without options.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avurlasset/init(url:)>
    ///
    /// - Parameter url: Where it is.
    public convenience init(url: URL) {
        self.init(url: url, options: nil)
    }

    /// What was asked of the delegate, how it answered, and where it broke the contract; not Apple's.
    public var stubLog: StubLog { resourceLoader.stubLog }
}
