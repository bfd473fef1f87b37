// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The last descriptors of the process, which no connection may take.
///
/// Others need them: a file of the cache, a name server, and the system's own library, which ends the process where it
/// gets none. A new descriptor has the lowest number that is free, so one close to the limit tells that nearly all are in
/// use, without counting.
struct DescriptorReserve: Hashable, Sendable {
    /// The most that are kept back.
    static let most = 16

    private let firstReserved: CInt

    /// Keeps an eighth of the descriptors back, ``most`` at most.
    ///
    /// - Parameter limit: how many the process may have.
    init(limit: UInt64) {
        let limit = CInt(clamping: limit)
        self.firstReserved = limit - min(limit / 8, CInt(Self.most))
    }

    /// The reserve by the limit that the process has now.
    init() {
        #if canImport(Darwin) || canImport(Musl)
        let resource = RLIMIT_NOFILE
        #else
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #endif
        var limit = rlimit()
        let isKnown = getrlimit(resource, &limit) == 0
        self.init(limit: isKnown ? UInt64(limit.rlim_cur) : .max)
    }

    /// Whether a connection with this descriptor takes one of the last.
    func holds(_ descriptor: CInt) -> Bool {
        descriptor >= self.firstReserved
    }
}
