// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The fuzz target that the environment names.
private let target: FuzzTarget = {
    guard let name = getenv("WEIR_FUZZ_TARGET"),
        let target = FuzzTarget(rawValue: String(cString: name))
    else {
        let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
        print("WEIR_FUZZ_TARGET must be one of \(names)")
        exit(2)
    }
    return target
}()

/// The fuzzer calls this with every input it makes.
@_cdecl("LLVMFuzzerTestOneInput")
public func takeInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target.run([UInt8](UnsafeBufferPointer(start: start, count: count)))
    return 0
}
