// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
import Foundation
#endif

// Facts and attributes of a directory that only Apple systems have.
extension PosixFiles {
    /// How many bytes the system can make room for, including by purging; `nil` if it does not say.
    static func importantByteCount(ofDirectory path: String) -> Int64? {
        #if os(macOS) || os(iOS) || os(visionOS)
        // A URL caches resource values, so each query uses a new URL.
        let values = try? URL(filePath: path, directoryHint: .isDirectory)
            .resourceValues(forKeys: [.volumeAvailableCapacityForImportantUsageKey])
        // Volumes other than the system's report 0.
        return values?.volumeAvailableCapacityForImportantUsage.flatMap { $0 > 0 ? $0 : nil }
        #else
        nil
        #endif
    }

    #if canImport(Darwin)
    /// Sets `NSURLIsExcludedFromBackupKey` and, except on macOS, `NSFileProtectionKey`.
    package func apply(
        _ attributes: DirectoryAttributes,
        toDirectory path: String
    ) throws(FileFailure) {
        do {
            var values = URLResourceValues()
            values.isExcludedFromBackup = attributes.isExcludedFromBackup
            var directory = URL(filePath: path, directoryHint: .isDirectory)
            try directory.setResourceValues(values)
            #if !os(macOS)
            try FileManager.default.setAttributes(
                [.protectionKey: attributes.protection.type],
                ofItemAtPath: path
            )
            #endif
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            let isPosix = cause?.domain == NSPOSIXErrorDomain
            throw FileFailure(
                errno: isPosix ? CInt(truncatingIfNeeded: cause?.code ?? 0) : EIO,
                operation: .createDirectory,
                path: path
            )
        }
    }
    #endif
}

#if canImport(Darwin) && !os(macOS)
extension DirectoryAttributes.Protection {
    /// The system's name.
    fileprivate var type: FileProtectionType {
        switch self {
        case .none: .none
        case .completeUntilFirstUserAuthentication: .completeUntilFirstUserAuthentication
        case .completeUnlessOpen: .completeUnlessOpen
        case .complete: .complete
        }
    }
}
#endif
