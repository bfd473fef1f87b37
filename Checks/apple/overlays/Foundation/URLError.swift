// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file
// Names are Apple's or the compiler's, and what they mean is documented there.

/// What went wrong in a session.
public struct URLError: Error, Hashable, Sendable {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { unseen() }

        public static var unknown: Code { unseen() }
        public static var cancelled: Code { unseen() }
        public static var badURL: Code { unseen() }
        public static var timedOut: Code { unseen() }
        public static var unsupportedURL: Code { unseen() }
        public static var cannotFindHost: Code { unseen() }
        public static var cannotConnectToHost: Code { unseen() }
        public static var networkConnectionLost: Code { unseen() }
        public static var dnsLookupFailed: Code { unseen() }
        public static var httpTooManyRedirects: Code { unseen() }
        public static var resourceUnavailable: Code { unseen() }
        public static var notConnectedToInternet: Code { unseen() }
        public static var redirectToNonExistentLocation: Code { unseen() }
        public static var badServerResponse: Code { unseen() }
        public static var userCancelledAuthentication: Code { unseen() }
        public static var userAuthenticationRequired: Code { unseen() }
        public static var zeroByteResource: Code { unseen() }
        public static var cannotDecodeRawData: Code { unseen() }
        public static var cannotDecodeContentData: Code { unseen() }
        public static var cannotParseResponse: Code { unseen() }
        public static var appTransportSecurityRequiresSecureConnection: Code { unseen() }
        public static var fileDoesNotExist: Code { unseen() }
        public static var fileIsDirectory: Code { unseen() }
        public static var noPermissionsToReadFile: Code { unseen() }
        public static var dataLengthExceedsMaximum: Code { unseen() }
        public static var secureConnectionFailed: Code { unseen() }
        public static var serverCertificateHasBadDate: Code { unseen() }
        public static var serverCertificateUntrusted: Code { unseen() }
        public static var serverCertificateHasUnknownRoot: Code { unseen() }
        public static var serverCertificateNotYetValid: Code { unseen() }
        public static var clientCertificateRejected: Code { unseen() }
        public static var clientCertificateRequired: Code { unseen() }
        public static var cannotLoadFromNetwork: Code { unseen() }
        public static var cannotCreateFile: Code { unseen() }
        public static var cannotWriteToFile: Code { unseen() }
        public static var internationalRoamingOff: Code { unseen() }
        public static var callIsActive: Code { unseen() }
        public static var dataNotAllowed: Code { unseen() }
        public static var requestBodyStreamExhausted: Code { unseen() }

        public static func ~= (code: Code, error: any Error) -> Bool { unseen() }
    }

    public init(_ code: Code, userInfo: [String: Any] = [:]) { unseen() }
    public var code: Code { unseen() }
    public var errorCode: Int { unseen() }
    public var failingURL: URL? { unseen() }

    public static var unknown: Code { unseen() }
    public static var cancelled: Code { unseen() }
    public static var badURL: Code { unseen() }
    public static var timedOut: Code { unseen() }
    public static var unsupportedURL: Code { unseen() }
    public static var cannotFindHost: Code { unseen() }
    public static var cannotConnectToHost: Code { unseen() }
    public static var networkConnectionLost: Code { unseen() }
    public static var dnsLookupFailed: Code { unseen() }
    public static var httpTooManyRedirects: Code { unseen() }
    public static var resourceUnavailable: Code { unseen() }
    public static var notConnectedToInternet: Code { unseen() }
    public static var redirectToNonExistentLocation: Code { unseen() }
    public static var badServerResponse: Code { unseen() }
    public static var userCancelledAuthentication: Code { unseen() }
    public static var userAuthenticationRequired: Code { unseen() }
    public static var zeroByteResource: Code { unseen() }
    public static var cannotDecodeRawData: Code { unseen() }
    public static var cannotDecodeContentData: Code { unseen() }
    public static var cannotParseResponse: Code { unseen() }
    public static var appTransportSecurityRequiresSecureConnection: Code { unseen() }
    public static var fileDoesNotExist: Code { unseen() }
    public static var fileIsDirectory: Code { unseen() }
    public static var noPermissionsToReadFile: Code { unseen() }
    public static var dataLengthExceedsMaximum: Code { unseen() }
    public static var secureConnectionFailed: Code { unseen() }
    public static var serverCertificateHasBadDate: Code { unseen() }
    public static var serverCertificateUntrusted: Code { unseen() }
    public static var serverCertificateHasUnknownRoot: Code { unseen() }
    public static var serverCertificateNotYetValid: Code { unseen() }
    public static var clientCertificateRejected: Code { unseen() }
    public static var clientCertificateRequired: Code { unseen() }
    public static var cannotLoadFromNetwork: Code { unseen() }
    public static var cannotCreateFile: Code { unseen() }
    public static var cannotWriteToFile: Code { unseen() }
    public static var internationalRoamingOff: Code { unseen() }
    public static var callIsActive: Code { unseen() }
    public static var dataNotAllowed: Code { unseen() }
    public static var requestBodyStreamExhausted: Code { unseen() }
}
