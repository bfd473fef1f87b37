// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file
// Names are Apple's or the compiler's, and what they mean is documented there.

extension NSError: Error {}

extension Error {
    public var localizedDescription: String { unseen() }
}

/// An error that is stored as an NSError; the importer makes what NS_ERROR_ENUM declares conform to it.
public protocol _BridgedStoredNSError: CustomNSError, Hashable {
    associatedtype Code: _ErrorCodeProtocol where Code.RawValue: FixedWidthInteger
    var _nsError: NSError { get }
    init(_nsError: NSError)
    static var errorDomain: String { get }
}

/// The code of such an error, which a pattern of `catch` may name.
public protocol _ErrorCodeProtocol: RawRepresentable, Equatable {
    associatedtype _ErrorType: _BridgedStoredNSError where _ErrorType.Code == Self
}

extension _ErrorCodeProtocol {
    public static func ~= (code: Self, error: any Error) -> Bool { unseen() }
}

extension _BridgedStoredNSError {
    public init(_ code: Code, userInfo: [String: Any] = [:]) { unseen() }
    public var code: Code { unseen() }
    public var userInfo: [String: Any] { unseen() }
    public var errorCode: Int { unseen() }
    public static func == (left: Self, right: Self) -> Bool { unseen() }
    public func hash(into hasher: inout Hasher) { unseen() }
}

/// An error that says its domain, its code and what it carries.
public protocol CustomNSError: Error {
    static var errorDomain: String { get }
    var errorCode: Int { get }
    var errorUserInfo: [String: Any] { get }
}

extension CustomNSError {
    public static var errorDomain: String { unseen() }
    public var errorCode: Int { unseen() }
    public var errorUserInfo: [String: Any] { unseen() }
}

/// What the compiler calls where an error crosses from one language to the other.
public func _convertNSErrorToError(_ error: NSError?) -> any Error { unseen() }

/// The other way round.
public func _convertErrorToNSError(_ error: any Error) -> NSError { unseen() }

/// Some of the system's error numbers.
public enum POSIXErrorCode: Int32, Error, Hashable, Sendable {
    case ENETDOWN = 50
    case ENETUNREACH = 51
    case ETIMEDOUT = 60
    case ECONNREFUSED = 61
    case EHOSTDOWN = 64
    case EHOSTUNREACH = 65
}
