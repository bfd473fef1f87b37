// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

extension OriginURL {
    /// The address that a `Location` field names, seen from this one (RFC 9110 §10.2.2).
    ///
    /// Resolves as RFC 3986 §5.2 says, with two differences that redirects need: a host without a path
    /// means its root, and a user in the reference is ignored, as is this address's own.
    ///
    /// - Parameter location: absolute or relative, in any form.
    /// - Returns: an absolute address without a user.
    /// - Throws: ``/WeirSource/SourceError`` with `badAnswer` when it cannot be asked.
    public func resolving(_ location: String) throws(SourceError) -> OriginURL {
        let reference = URLReference(location)
        do throws(SourceError) {
            return try self.resolved(reference)
        } catch {
            throw SourceError(
                .badAnswer,
                "\(self.display) redirects to an address that cannot be followed; ask whoever runs"
                    + " \(self.authority), or give the address of the file itself.",
                cause: error,
                host: self.authority
            )
        }
    }

    private func resolved(_ reference: URLReference) throws(SourceError) -> OriginURL {
        var scheme = self.scheme
        if let name = reference.scheme {
            guard let known = Scheme(rawValue: name.lowercased()) else {
                throw .unusableAddress("its scheme is neither http nor https")
            }
            guard reference.authority != nil else {
                throw .unusableAddress("it names no host after \(known.rawValue):")
            }
            scheme = known
        }
        if let authority = reference.authority {
            let path = reference.path.isEmpty ? "/" : Self.withoutDotSegments(reference.path)
            return try OriginURL(
                scheme: scheme,
                site: URLAuthority(authority),
                path: path,
                query: reference.query,
                userInfo: nil
            )
        }
        let path: Substring
        var query = reference.query
        if reference.path.isEmpty {
            path = self.path[...]
            query = query ?? self.query.map { $0[...] }
        } else if reference.path.utf8.first == UInt8(ascii: "/") {
            path = Self.withoutDotSegments(reference.path)
        } else {
            // A valid path starts with a slash, so there is a last one.
            let slash = self.path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? self.path.startIndex
            let folder = self.path[...slash]
            path = Self.withoutDotSegments("\(folder)\(reference.path)")
        }
        return try OriginURL(
            scheme: scheme,
            site: URLAuthority(host: self.host, port: self.port),
            path: path,
            query: query,
            userInfo: nil
        )
    }

    /// The path without `.` and `..` (RFC 3986 §5.2.4), for paths that start with a slash.
    static func withoutDotSegments(_ path: some StringProtocol) -> Substring {
        var segments: [Substring] = []
        let text = String(path)
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (index, part) in zip(parts.indices, parts) {
            let isLast = index == parts.endIndex - 1
            switch part {
            case ".":
                if isLast { segments.append("") }
            case "..":
                _ = segments.popLast()
                if isLast { segments.append("") }
            default:
                segments.append(part)
            }
        }
        return "/\(segments.joined(separator: "/"))"
    }
}
