// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The domain of the errors of AVFoundation.
///
/// <https://developer.apple.com/documentation/avfoundation/avfoundationerrordomain>
public let AVFoundationErrorDomain = "AVFoundationErrorDomain"

// Sendable because every `Error` is Sendable: the dictionary never changes after the initializer,
// and holds errors and strings.

/// An error of AVFoundation.
///
/// In the SDK the type bridges to `NSError` both ways. In the stub `as NSError` works, but a cast
/// from an `NSError` does not.
///
/// <https://developer.apple.com/documentation/avfoundation/averror-swift.struct>
public struct AVError: Error, CustomNSError, @unchecked Sendable {
    /// The code of the error.
    ///
    /// Only the codes that loading and playing can give, with Apple's raw values.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/averror-swift.struct/code>
    public enum Code: Int, Sendable {
        /// Unknown.
        case unknown = -11_800
        /// Out of memory.
        case outOfMemory = -11_801
        /// Session not running.
        case sessionNotRunning = -11_803
        /// No data captured.
        case noDataCaptured = -11_805
        /// Disk full.
        case diskFull = -11_807
        /// Media changed.
        case mediaChanged = -11_809
        /// Media services were reset.
        case mediaServicesWereReset = -11_819
        /// Export failed.
        case exportFailed = -11_820
        /// Decode failed.
        case decodeFailed = -11_821
        /// Invalid source media.
        case invalidSourceMedia = -11_822
        /// File format not recognized.
        case fileFormatNotRecognized = -11_828
        /// File failed to parse.
        case fileFailedToParse = -11_829
        /// Content is protected.
        case contentIsProtected = -11_831
        /// No image at time.
        case noImageAtTime = -11_832
        /// Decoder not found.
        case decoderNotFound = -11_833
        /// Encoder not found.
        case encoderNotFound = -11_834
        /// Content is not authorized.
        case contentIsNotAuthorized = -11_835
        /// Application is not authorized.
        case applicationIsNotAuthorized = -11_836
        /// Operation not supported for asset.
        case operationNotSupportedForAsset = -11_838
        /// Decoder temporarily unavailable.
        case decoderTemporarilyUnavailable = -11_839
        /// Reference forbidden by reference policy.
        case referenceForbiddenByReferencePolicy = -11_842
        /// Incompatible asset.
        case incompatibleAsset = -11_848
        /// Failed to load media data.
        case failedToLoadMediaData = -11_849
        /// Server incorrectly configured.
        case serverIncorrectlyConfigured = -11_850
        /// Failed to parse.
        case failedToParse = -11_853
        /// Undecodable media data.
        case undecodableMediaData = -11_855
        /// Air play controller requires internet.
        case airPlayControllerRequiresInternet = -11_856
        /// Air play receiver requires internet.
        case airPlayReceiverRequiresInternet = -11_857
        /// Operation not allowed.
        case operationNotAllowed = -11_862
        /// Content is unavailable.
        case contentIsUnavailable = -11_863
        /// Format unsupported.
        case formatUnsupported = -11_864
        /// Content not updated.
        case contentNotUpdated = -11_866
        /// No longer playable.
        case noLongerPlayable = -11_867
        /// External playback not supported for asset.
        case externalPlaybackNotSupportedForAsset = -11_870
    }

    /// The domain.
    public static var errorDomain: String { AVFoundationErrorDomain }

    /// The code of the error.
    public let code: Code
    /// More facts about the error.
    public let userInfo: [String: Any]

    /// An error.
    ///
    /// - Parameters:
    ///   - code: The code of the error.
    ///   - userInfo: More facts about the error.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.code = code
        self.userInfo = userInfo
    }

    /// The raw value of the code.
    public var errorCode: Int { code.rawValue }

    /// More facts about the error.
    public var errorUserInfo: [String: Any] { userInfo }
}

extension AVError {
    /// Unknown.
    public static var unknown: Code { .unknown }
    /// Out of memory.
    public static var outOfMemory: Code { .outOfMemory }
    /// Session not running.
    public static var sessionNotRunning: Code { .sessionNotRunning }
    /// No data captured.
    public static var noDataCaptured: Code { .noDataCaptured }
    /// Disk full.
    public static var diskFull: Code { .diskFull }
    /// Media changed.
    public static var mediaChanged: Code { .mediaChanged }
    /// Media services were reset.
    public static var mediaServicesWereReset: Code { .mediaServicesWereReset }
    /// Export failed.
    public static var exportFailed: Code { .exportFailed }
    /// Decode failed.
    public static var decodeFailed: Code { .decodeFailed }
    /// Invalid source media.
    public static var invalidSourceMedia: Code { .invalidSourceMedia }
    /// File format not recognized.
    public static var fileFormatNotRecognized: Code { .fileFormatNotRecognized }
    /// File failed to parse.
    public static var fileFailedToParse: Code { .fileFailedToParse }
    /// Content is protected.
    public static var contentIsProtected: Code { .contentIsProtected }
    /// No image at time.
    public static var noImageAtTime: Code { .noImageAtTime }
    /// Decoder not found.
    public static var decoderNotFound: Code { .decoderNotFound }
    /// Encoder not found.
    public static var encoderNotFound: Code { .encoderNotFound }
    /// Content is not authorized.
    public static var contentIsNotAuthorized: Code { .contentIsNotAuthorized }
    /// Application is not authorized.
    public static var applicationIsNotAuthorized: Code { .applicationIsNotAuthorized }
    /// Operation not supported for asset.
    public static var operationNotSupportedForAsset: Code { .operationNotSupportedForAsset }
    /// Decoder temporarily unavailable.
    public static var decoderTemporarilyUnavailable: Code { .decoderTemporarilyUnavailable }
    /// Reference forbidden by reference policy.
    public static var referenceForbiddenByReferencePolicy: Code {
        .referenceForbiddenByReferencePolicy
    }
    /// Incompatible asset.
    public static var incompatibleAsset: Code { .incompatibleAsset }
    /// Failed to load media data.
    public static var failedToLoadMediaData: Code { .failedToLoadMediaData }
    /// Server incorrectly configured.
    public static var serverIncorrectlyConfigured: Code { .serverIncorrectlyConfigured }
    /// Failed to parse.
    public static var failedToParse: Code { .failedToParse }
    /// Undecodable media data.
    public static var undecodableMediaData: Code { .undecodableMediaData }
    /// Air play controller requires internet.
    public static var airPlayControllerRequiresInternet: Code { .airPlayControllerRequiresInternet }
    /// Air play receiver requires internet.
    public static var airPlayReceiverRequiresInternet: Code { .airPlayReceiverRequiresInternet }
    /// Operation not allowed.
    public static var operationNotAllowed: Code { .operationNotAllowed }
    /// Content is unavailable.
    public static var contentIsUnavailable: Code { .contentIsUnavailable }
    /// Format unsupported.
    public static var formatUnsupported: Code { .formatUnsupported }
    /// Content not updated.
    public static var contentNotUpdated: Code { .contentNotUpdated }
    /// No longer playable.
    public static var noLongerPlayable: Code { .noLongerPlayable }
    /// External playback not supported for asset.
    public static var externalPlaybackNotSupportedForAsset: Code {
        .externalPlaybackNotSupportedForAsset
    }
}
