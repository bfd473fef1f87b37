// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirAudio

/// Asks several makers, and takes the first that knows the codec.
public struct DecoderChain: DecoderMaker {
    private let makers: [any DecoderMaker]

    /// A chain.
    ///
    /// - Parameter makers: in the order in which they are asked.
    public init(_ makers: [any DecoderMaker]) {
        self.makers = makers
    }

    /// Makes a decoder with the first maker that can.
    ///
    /// - Parameter format: what the packets are of.
    /// - Returns: `nil` if no maker knows the codec.
    /// - Throws: ``DecoderError`` of the first maker that knows the codec, where none of the others makes a decoder.
    public func decoder(for format: AudioFormat) throws(DecoderError) -> (any AudioDecoder)? {
        var failure: DecoderError?
        for maker in self.makers {
            do throws(DecoderError) {
                if let decoder = try maker.decoder(for: format) { return decoder }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return nil
    }
}
