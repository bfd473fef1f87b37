// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Sendable as in the SDK, whose subclasses must be Sendable too. In the stub every stored property is a constant,
// and the objects that it refers to have their own locks. The options are never read after the initializer.

/// Media at a URL, read through a resource loader when the system cannot load the URL itself.
///
/// <https://developer.apple.com/documentation/avfoundation/avurlasset>
open class AVURLAsset: AVAsset, @unchecked Sendable {
    /// The URL of the media.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avurlasset/url>
    public let url: URL
    /// The loader of the asset.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avurlasset/resourceloader>
    public let resourceLoader: AVAssetResourceLoader

    private let options: [String: Any]

    /// An asset of the media at a URL.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avurlasset/init(url:options:)-2x8uu>
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - options: Stored, but unused.
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
    /// - Parameter url: The URL.
    public convenience init(url: URL) {
        self.init(url: url, options: nil)
    }

    /// The delegate's requests and responses, and its violations of the contract; not Apple's.
    public var stubLog: StubLog { resourceLoader.stubLog }
}
