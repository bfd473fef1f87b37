// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file
// Names are Apple's, and what they mean is documented there.

public import Dispatch
public import Foundation

public final class NWConnection: Sendable {
    public enum State: Equatable, Sendable {
        case setup
        case waiting(NWError)
        case preparing
        case ready
        case failed(NWError)
        case cancelled
    }

    public enum SendCompletion: Sendable {
        case contentProcessed(@Sendable (NWError?) -> Void)
        case idempotent
    }

    public final class ContentContext: Sendable {
        public static let defaultMessage: ContentContext = { unseen() }()
    }

    public init(host: NWEndpoint.Host, port: NWEndpoint.Port, using: NWParameters) { unseen() }
    public var stateUpdateHandler: (@Sendable (State) -> Void)? {
        get { unseen() }
        set { unseen() }
    }
    public var currentPath: NWPath? { unseen() }
    public func start(queue: DispatchQueue) { unseen() }
    public func cancel() { unseen() }
    public func forceCancel() { unseen() }
    public func send(
        content: Data?, contentContext: ContentContext = .defaultMessage, isComplete: Bool = true,
        completion: SendCompletion
    ) { unseen() }
    public func receive(
        minimumIncompleteLength: Int, maximumLength: Int,
        completion: @escaping @Sendable (
            _ content: Data?, _ contentContext: ContentContext?, _ isComplete: Bool, _ error: NWError?
        ) -> Void
    ) { unseen() }
}

public enum NWEndpoint: Hashable, Sendable {
    public enum Host: Hashable, Sendable, ExpressibleByStringLiteral {
        case name(String)
        public init(_ string: String) { unseen() }
        public init(stringLiteral: String) { unseen() }
    }

    public struct Port: Hashable, Sendable, RawRepresentable {
        public init?(rawValue: UInt16) { unseen() }
        public var rawValue: UInt16 { unseen() }
    }

    case hostPort(host: Host, port: Port)
}

public enum NWError: Error, Equatable, Sendable {
    case posix(POSIXErrorCode)
    case dns(Int32)
    case tls(Int32)
}

public enum NWInterface {
    public enum InterfaceType: Sendable { case other, wifi, cellular, wiredEthernet, loopback }
}

public struct NWPath: Sendable {
    public enum UnsatisfiedReason: Sendable {
        case notAvailable, cellularDenied, wifiDenied, localNetworkDenied
    }
    public var unsatisfiedReason: UnsatisfiedReason { unseen() }
}

public class NWProtocolOptions {}
public class NWProtocolTCP {
    public class Options: NWProtocolOptions {
        public override init() { unseen() }
        public var noDelay: Bool {
            get { unseen() }
            set { unseen() }
        }
    }
}
public class NWProtocolTLS {
    public class Options: NWProtocolOptions {
        public override init() { unseen() }
    }
}

public final class NWParameters {
    public init(tls: NWProtocolTLS.Options? = nil, tcp: NWProtocolTCP.Options = NWProtocolTCP.Options()) {
        unseen()
    }
    public var prohibitedInterfaceTypes: [NWInterface.InterfaceType]? {
        get { unseen() }
        set { unseen() }
    }
    public var prohibitExpensivePaths: Bool {
        get { unseen() }
        set { unseen() }
    }
    public var prohibitConstrainedPaths: Bool {
        get { unseen() }
        set { unseen() }
    }
}

/// Nothing here is ever run.
func unseen() -> Never { fatalError() }
