// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirAudio

/// Asks several factories, and takes the first that knows the codec.
public struct DecoderChain: AudioDecoderFactory {
    private let factories: [any AudioDecoderFactory]

    /// A chain.
    ///
    /// - Parameter factories: in the order in which they are asked.
    public init(_ factories: [any AudioDecoderFactory]) {
        self.factories = factories
    }

    /// Makes a decoder with the first factory that can.
    ///
    /// - Parameter format: what the packets are of.
    /// - Returns: `nil` if no factory knows the codec.
    /// - Throws: ``AudioError`` of the first factory that knows the codec, where none of the others makes a decoder.
    public func decoder(for format: AudioFormat) throws(AudioError) -> (any AudioDecoder)? {
        var failure: AudioError?
        for factory in self.factories {
            do throws(AudioError) {
                if let decoder = try factory.decoder(for: format) { return decoder }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return nil
    }
}
