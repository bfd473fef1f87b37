// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A frame of an ID3v2 tag: its name and what is in it, after what its flags say was undone.
///
///     2.2: 3 name | u24 size
///     2.3: 4 name | u32 size       | u8 | u8 flags: 0x80 compressed, 0x40 encrypted, 0x20 grouped
///     2.4: 4 name | 4 × 7 bit size | u8 | u8 flags: 0x40 grouped, 8 compressed, 4 encrypted, 2 unsynchronised,
///                                        1 a 4 × 7 bit length is in front
struct ID3v2Frame {
    /// Its name, of four characters; those of 2.2 are translated, as far as there are new ones.
    let name: String
    /// How long it is, header included, as far as the bytes go.
    let count: Int
    /// Whether what is in it is compressed.
    let isCompressed: Bool
    /// Whether what is in it is encrypted.
    let isEncrypted: Bool
    /// Whether what is in it went through unsynchronisation.
    let isUnsynchronised: Bool
    /// How many bytes the flags put between the header and the content.
    let prefixCount: Int
    /// The bytes behind the header, as stored; fewer than the header says where the tag ends before.
    let stored: ByteView
    /// Whether the tag ends before the frame does.
    let isCut: Bool

    /// Reads the header of a frame.
    ///
    /// `nil` where there is none: at the padding, or at the end.
    ///
    /// - Parameters:
    ///   - view: what is left of the tag, from the frame on.
    ///   - version: 2, 3 or 4.
    ///   - isSynchsafe: whether the size of 2.4 is one of seven bits a byte.
    init?(_ view: ByteView, version: UInt8, isSynchsafe: Bool) {
        let nameCount = version == 2 ? 3 : 4
        let headerCount = version == 2 ? 6 : 10
        guard view.count >= headerCount else { return nil }
        var letters = view[0..<nameCount]
        // Programs that turned 2.2 into 2.3 left names of three characters and a zero.
        if letters.count == 4, letters[3] == 0 { letters = letters[0..<3] }
        guard letters.firstIndex(of: 0) != 0 else { return nil }
        let name = letters.latin1Text
        self.name = letters.count == 3 ? Self.current(name) : name
        let size =
            switch version {
            case 2: Int(view.big24(3))
            case 4 where isSynchsafe: ID3v2Header.synchsafe(view, 4)
            default: Int(view.big(4, UInt32.self))
            }
        let bits = version == 2 ? 0 : view[9]
        let isGrouped: Bool
        let hasLength: Bool
        if version == 4 {
            isGrouped = bits & 0x40 != 0
            self.isCompressed = bits & 8 != 0
            self.isEncrypted = bits & 4 != 0
            self.isUnsynchronised = bits & 2 != 0
            // Compression implies it (ID3v2.4 structure §4.1.2).
            hasLength = bits & 9 != 0
        } else {
            isGrouped = bits & 0x20 != 0
            self.isCompressed = bits & 0x80 != 0
            self.isEncrypted = bits & 0x40 != 0
            self.isUnsynchronised = false
            hasLength = self.isCompressed
        }
        self.prefixCount = (isGrouped ? 1 : 0) + (self.isEncrypted ? 1 : 0) + (hasLength ? 4 : 0)
        self.isCut = size > view.count - headerCount
        self.count = headerCount + min(size, view.count - headerCount)
        self.stored = view[headerCount..<self.count]
    }

    /// Lends what is in the frame.
    ///
    /// - Parameters:
    ///   - isUnsynchronised: whether the tag's header says that all frames of 2.4 are.
    ///   - body: reads it.
    /// - Returns: whether the content could be had: not if it is compressed, encrypted or too short.
    func withContent(isUnsynchronised: Bool, _ body: (ByteView) -> Void) -> Bool {
        guard !self.isCompressed, !self.isEncrypted,
            self.stored.count >= self.prefixCount
        else { return false }
        let content = self.stored.from(self.prefixCount)
        if isUnsynchronised || self.isUnsynchronised,
            let bytes = content.withoutUnsynchronisation
        {
            bytes.withView(body)
        } else {
            body(content)
        }
        return true
    }
}

/// The names of frames: three characters in ID3v2.2, four from 2.3 on.
extension ID3v2Frame {
    /// The names of 2.2 with those that say the same in 2.3 and 2.4, iTunes' own included.
    private static let pairs = """
        BUF RBUF|CNT PCNT|COM COMM|CRA AENC|EQU EQUA|ETC ETCO|GEO GEOB|GP1 GRP1|IPL IPLS\
        |LNK LINK|MCI MCDI|MLL MLLT|MVI MVIN|MVN MVNM|PCS PCST|PIC APIC|POP POPM|REV RVRB\
        |RVA RVAD|SLT SYLT|STC SYTC|TAL TALB|TBP TBPM|TCM TCOM|TCO TCON|TCP TCMP|TCR TCOP\
        |TCT TCAT|TDA TDAT|TDR TDRL|TDS TDES|TDY TDLY|TEN TENC|TFT TFLT|TID TGID|TIM TIME\
        |TKE TKEY|TKW TKWD|TLA TLAN|TLE TLEN|TMT TMED|TOA TOPE|TOF TOFN|TOL TOLY|TOR TORY\
        |TOT TOAL|TP1 TPE1|TP2 TPE2|TP3 TPE3|TP4 TPE4|TPA TPOS|TPB TPUB|TRC TSRC|TRD TRDA\
        |TRK TRCK|TS2 TSO2|TSA TSOA|TSC TSOC|TSI TSIZ|TSP TSOP|TSS TSSE|TST TSOT|TT1 TIT1\
        |TT2 TIT2|TT3 TIT3|TXT TEXT|TXX TXXX|TYE TYER|UFI UFID|ULT USLT|WAF WOAF|WAR WOAR\
        |WAS WOAS|WCM WCOM|WCP WCOP|WFD WFED|WPB WPUB|WXX WXXX
        """

    private static let currentNames: [String: String] = {
        var names: [String: String] = [:]
        for pair in Self.pairs.split(separator: "|") {
            names[String(pair.prefix(3))] = String(pair.suffix(4))
        }
        return names
    }()

    /// What a frame of 2.2 is called in 2.3 and 2.4.
    ///
    /// - Parameter name: three characters.
    /// - Returns: the new name; the old one where there is none.
    static func current(_ name: String) -> String {
        Self.currentNames[name] ?? name
    }

    /// Whether a byte may be in a name: `A` to `Z` and `0` to `9`.
    static func isPart(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
            || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    /// Whether there is a name of four characters.
    ///
    /// - Parameters:
    ///   - view: the bytes.
    ///   - offset: where the name would start.
    /// - Returns: `false` if there is none, or it is cut.
    static func isName(_ view: ByteView, at offset: Int) -> Bool {
        guard view.count - offset >= 4 else { return false }
        for index in offset..<offset + 4 where !Self.isPart(view[index]) { return false }
        return true
    }
}

/// Finds out how the sizes of frames in a tag of 2.4 are written: seven bits a byte, or plain, as iTunes did.
extension ID3v2Frame {
    /// Walks over the frames both ways, and takes the one that meets more names; on a tie the rule of 2.4, unless only
    /// the other one ends where the tag does.
    ///
    /// - Parameter view: the frames and the padding.
    /// - Returns: whether sizes have seven bits a byte.
    static func areSynchsafe(_ view: ByteView) -> Bool {
        let synchsafe = Self.walk(view) { ID3v2Header.synchsafe(view, $0) }
        let plain = Self.walk(view) { Int(view.big($0, UInt32.self)) }
        if synchsafe.names != plain.names { return synchsafe.names > plain.names }
        return synchsafe.isEven || !plain.isEven
    }

    /// Counts names until the padding, the end, or something that is no name.
    private static func walk(
        _ view: ByteView,
        size: (Int) -> Int
    ) -> (names: Int, isEven: Bool) {
        var offset = 0
        var names = 0
        while view.count - offset >= 10 {
            if view[offset] == 0 { return (names, true) }
            guard Self.isName(view, at: offset) else { return (names, false) }
            names += 1
            offset += 10 + size(offset + 4)
        }
        return (names, offset <= view.count)
    }
}
