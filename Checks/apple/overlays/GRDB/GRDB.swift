// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file
// Names are GRDB's or the compiler's, and what they mean is documented there.

// The part of GRDB that the catalogue uses. Linux compiles the catalogue against GRDB itself.

public import Foundation

public protocol DatabaseValueConvertible {}

extension DatabaseValueConvertible {
    public static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> Self? { unseen() }
    public static func fromDatabaseValue(_ value: DatabaseValue) -> Self? { unseen() }
}

extension Bool: DatabaseValueConvertible {}
extension Int: DatabaseValueConvertible {}
extension Int64: DatabaseValueConvertible {}
extension String: DatabaseValueConvertible {}

public struct DatabaseValue: Hashable, Sendable {}

public struct StatementArguments: ExpressibleByArrayLiteral {
    public init() { unseen() }
    public init(arrayLiteral elements: (any DatabaseValueConvertible)?...) { unseen() }
}

public final class Statement {
    public func execute(arguments: StatementArguments? = nil) throws { unseen() }
}

public final class Row {
    public subscript<Value: DatabaseValueConvertible>(index: Int) -> Value? { unseen() }
    public subscript(columnName: String) -> DatabaseValue { unseen() }
    public static func fetchOne(_ statement: Statement, arguments: StatementArguments? = nil) throws -> Row? { unseen() }
    public static func fetchCursor(_ statement: Statement, arguments: StatementArguments? = nil) throws -> RowCursor { unseen() }
    public static func fetchCursor(
        _ db: Database, sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> RowCursor { unseen() }
}

public final class RowCursor {
    public func next() throws -> Row? { unseen() }
}

public final class Database {
    public func cachedStatement(sql: String) throws -> Statement { unseen() }
    public func execute(sql: String, arguments: StatementArguments = StatementArguments()) throws { unseen() }

    public enum BusyMode: Sendable {
        case timeout(TimeInterval)
    }
}

public struct Configuration: Sendable {
    public enum JournalModeConfiguration: Sendable {
        case wal
    }

    public var label: String?
    public var readonly: Bool
    public var busyMode: Database.BusyMode
    public var journalMode: JournalModeConfiguration
    public init() { unseen() }
    public mutating func prepareDatabase(_ setup: @escaping @Sendable (Database) throws -> Void) { unseen() }
}

public final class DatabaseQueue: Sendable {
    public init(named name: String? = nil, configuration: Configuration = Configuration()) throws { unseen() }
    public init(path: String, configuration: Configuration = Configuration()) throws { unseen() }
    public func read<T>(_ value: (Database) throws -> T) throws -> T { unseen() }
    public func write<T>(_ updates: (Database) throws -> T) throws -> T { unseen() }
    public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T { unseen() }
    public func close() throws { unseen() }
}

public struct ResultCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: CInt
    public init(rawValue: CInt) { unseen() }
    public static let SQLITE_ERROR = ResultCode(rawValue: 1)
    public static let SQLITE_PERM = ResultCode(rawValue: 3)
    public static let SQLITE_READONLY = ResultCode(rawValue: 8)
    public static let SQLITE_CORRUPT = ResultCode(rawValue: 11)
    public static let SQLITE_FULL = ResultCode(rawValue: 13)
    public static let SQLITE_CANTOPEN = ResultCode(rawValue: 14)
    public static let SQLITE_MISMATCH = ResultCode(rawValue: 20)
    public static let SQLITE_AUTH = ResultCode(rawValue: 23)
    public static let SQLITE_FORMAT = ResultCode(rawValue: 24)
    public static let SQLITE_NOTADB = ResultCode(rawValue: 26)
}

public struct DatabaseError: Error {
    public let resultCode: ResultCode
    public init(resultCode: ResultCode) { unseen() }
}

/// Nothing here is ever run.
func unseen() -> Never { fatalError() }
