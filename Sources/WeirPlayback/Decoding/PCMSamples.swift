// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

extension Float {
    /// Silence in place of NaN, which no filter and no device removes.
    @inline(__always)
    package var orSilence: Float { self == self ? self : 0 }
}

/// The conversion of stored samples to `Float`: one loop for each layout, without a branch in it.
enum PCMSamples: Sendable {
    /// Integers of 1 to 8 bytes; `flip` turns offset binary into two's complement.
    case integers8(flip: UInt8)
    case integers16(flip: UInt16, isBigEndian: Bool)
    case integers24(flip: UInt32, isBigEndian: Bool)
    case integers32(flip: UInt32, isBigEndian: Bool)
    case integers64(flip: UInt64, isBigEndian: Bool)
    case floats32(isBigEndian: Bool)
    case floats64(isBigEndian: Bool)
    /// A `Float` for each of the 256 bytes.
    case table([Float])

    /// The loop for a layout; `nil` if there is no such layout.
    init?(_ layout: PCMLayout) {
        let isBig = layout.isBigEndian
        let isUnsigned = layout.encoding == .unsignedInteger
        switch (layout.encoding, layout.bitsPerSample) {
        case (.signedInteger, 8), (.unsignedInteger, 8):
            self = .integers8(flip: isUnsigned ? 0x80 : 0)
        case (.signedInteger, 16), (.unsignedInteger, 16):
            self = .integers16(flip: isUnsigned ? 0x8000 : 0, isBigEndian: isBig)
        case (.signedInteger, 24), (.unsignedInteger, 24):
            self = .integers24(flip: isUnsigned ? 0x8000_0000 : 0, isBigEndian: isBig)
        case (.signedInteger, 32), (.unsignedInteger, 32):
            self = .integers32(flip: isUnsigned ? 0x8000_0000 : 0, isBigEndian: isBig)
        case (.signedInteger, 64), (.unsignedInteger, 64):
            self = .integers64(flip: isUnsigned ? 1 << 63 : 0, isBigEndian: isBig)
        case (.float, 32): self = .floats32(isBigEndian: isBig)
        case (.float, 64): self = .floats64(isBigEndian: isBig)
        case (.aLaw, 8): self = .table((0...255).map { Self.aLaw(UInt8($0)) })
        case (.muLaw, 8): self = .table((0...255).map { Self.muLaw(UInt8($0)) })
        default: return nil
        }
    }

    /// How many bytes a sample has.
    var size: Int {
        switch self {
        case .integers8, .table: 1
        case .integers16: 2
        case .integers24: 3
        case .integers32, .floats32: 4
        case .integers64, .floats64: 8
        }
    }

    /// How many bits of a sample are significant; a `Float` keeps at most 24 of them.
    ///
    /// - Parameter declared: the bits of an integer that the container declares.
    /// - Returns: from 8 to 32.
    func significantBits(_ declared: Int?) -> Int {
        switch self {
        case .integers8: 8
        case .integers16, .table: 16
        case .floats32, .floats64: 24
        case .integers24, .integers32, .integers64:
            min(max(declared ?? self.size * 8, 8), min(self.size * 8, 32))
        }
    }

    /// Fills memory with samples.
    ///
    /// - Parameters:
    ///   - bytes: at least `count` samples, at any address.
    ///   - target: room for them.
    ///   - count: the number of samples.
    func decode(
        _ bytes: UnsafeRawBufferPointer,
        into target: UnsafeMutableBufferPointer<Float>,
        count: Int
    ) {
        precondition(bytes.count >= count * self.size && target.count >= count, "not enough memory")
        guard let source = bytes.baseAddress, let target = target.baseAddress else { return }
        switch self {
        case .integers8(let flip):
            Self.fill(target, count, from: source, UInt8.self) {
                Float(Int8(bitPattern: $0 ^ flip)) * 0x1p-7
            }
        case .integers16(let flip, let isBig):
            Self.fill(target, count, from: source, UInt16.self) {
                Float(Int16(bitPattern: (isBig ? $0.bigEndian : $0.littleEndian) ^ flip)) * 0x1p-15
            }
        case .integers24(let flip, let isBig):
            let (first, last) = isBig ? (2, 0) : (0, 2)
            for index in 0..<count {
                let sample = source + 3 &* index
                let bits =
                    UInt32(sample.load(fromByteOffset: first, as: UInt8.self)) &<< 8
                    | UInt32(sample.load(fromByteOffset: 1, as: UInt8.self)) &<< 16
                    | UInt32(sample.load(fromByteOffset: last, as: UInt8.self)) &<< 24
                target[index] = Float(Int32(bitPattern: bits ^ flip)) * 0x1p-31
            }
        case .integers32(let flip, let isBig):
            Self.fill(target, count, from: source, UInt32.self) {
                Float(Int32(bitPattern: (isBig ? $0.bigEndian : $0.littleEndian) ^ flip)) * 0x1p-31
            }
        case .integers64(let flip, let isBig):
            Self.fill(target, count, from: source, UInt64.self) {
                Float(Int64(bitPattern: (isBig ? $0.bigEndian : $0.littleEndian) ^ flip)) * 0x1p-63
            }
        case .floats32(let isBig):
            Self.fill(target, count, from: source, UInt32.self) {
                Float(bitPattern: isBig ? $0.bigEndian : $0.littleEndian).orSilence
            }
        case .floats64(let isBig):
            Self.fill(target, count, from: source, UInt64.self) {
                Float(Double(bitPattern: isBig ? $0.bigEndian : $0.littleEndian)).orSilence
            }
        case .table(let table):
            table.withUnsafeBufferPointer { table in
                guard let values = table.baseAddress else { return }
                Self.fill(target, count, from: source, UInt8.self) { values[Int($0)] }
            }
        }
    }

    @inline(__always)
    private static func fill<Stored: FixedWidthInteger & BitwiseCopyable>(
        _ target: UnsafeMutablePointer<Float>,
        _ count: Int,
        from source: UnsafeRawPointer,
        _ type: Stored.Type,
        _ value: (Stored) -> Float
    ) {
        for index in 0..<count {
            target[index] = value(
                source.loadUnaligned(
                    fromByteOffset: index &* MemoryLayout<Stored>.size,
                    as: Stored.self
                )
            )
        }
    }

    /// ITU-T G.711 table 1a: sign, three bits of segment, four of interval; every second bit is inverted.
    private static func aLaw(_ byte: UInt8) -> Float {
        let bits = byte ^ 0x55
        let segment = Int(bits >> 4 & 7)
        let interval = Int(bits & 15) << 4
        let magnitude = segment == 0 ? interval + 8 : (interval + 0x108) << (segment - 1)
        return Float(bits & 0x80 == 0 ? -magnitude : magnitude) * 0x1p-15
    }

    /// ITU-T G.711 table 2a: the same with a bias of 33, and all bits inverted.
    private static func muLaw(_ byte: UInt8) -> Float {
        let bits = ~byte
        let magnitude = ((Int(bits & 15) << 3 + 0x84) << Int(bits >> 4 & 7)) - 0x84
        return Float(bits & 0x80 == 0 ? magnitude : -magnitude) * 0x1p-15
    }
}
