// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A frame of an ID3v2 tag: its name and its content.
///
///     2.2: 3 name | u24 size
///     2.3: 4 name | u32 size       | u8 | u8 flags: 0x80 compressed, 0x40 encrypted, 0x20 grouped
///     2.4: 4 name | 4 × 7 bit size | u8 | u8 flags: 0x40 grouped, 8 compressed, 4 encrypted,
///                                        2 unsynchronised, 1 a 4 × 7 bit length precedes
struct ID3v2Frame {
    /// The frame's name, of four characters; names of 2.2 become the newer names, if there are any.
    let name: String
    /// How many bytes the frame has, with its header, at most up to the end of the tag.
    let count: Int
    /// Whether the content is compressed.
    let isCompressed: Bool
    /// Whether the content is encrypted.
    let isEncrypted: Bool
    /// Whether the content is unsynchronised.
    let isUnsynchronised: Bool
    /// How many bytes the flags add between the header and the content.
    let prefixCount: Int
    /// The stored bytes after the header; fewer than the header states if the tag ends earlier.
    let stored: ByteView
    /// Whether the tag ends before the frame does.
    let isCut: Bool

    /// Reads the header of a frame.
    ///
    /// Fails if there is no frame: at the padding, or at the end.
    ///
    /// - Parameters:
    ///   - view: the rest of the tag, from the frame on.
    ///   - version: 2, 3 or 4.
    ///   - isSynchsafe: whether sizes in 2.4 have seven bits a byte.
    init?(_ view: ByteView, version: UInt8, isSynchsafe: Bool) {
        let nameCount = version == 2 ? 3 : 4
        let headerCount = version == 2 ? 6 : 10
        guard view.count >= headerCount else { return nil }
        var letters = view[0..<nameCount]
        // Programs that converted 2.2 to 2.3 left some names of three characters, followed by a
        // zero.
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
            // Compression implies a length (ID3v2.4 structure §4.1.2).
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

    /// Lends the content of the frame.
    ///
    /// - Parameters:
    ///   - isUnsynchronised: whether the tag's header says that all frames of 2.4 are
    ///     unsynchronised.
    ///   - body: reads the content.
    /// - Returns: `false`, without a call of `body`, if the content is compressed, encrypted or too
    ///   short.
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
    /// The names of 2.2 with the equivalent names of 2.3 and 2.4, including names that only iTunes
    /// uses.
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

    /// The name in 2.3 and 2.4 for a frame of 2.2.
    ///
    /// - Parameter name: three characters.
    /// - Returns: the new name; the old name if there is no new one.
    static func current(_ name: String) -> String {
        Self.currentNames[name] ?? name
    }

    /// Whether a byte may be in a name: `A` to `Z` and `0` to `9`.
    static func isPart(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
            || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    /// Whether a name of four characters is at an offset.
    ///
    /// - Parameters:
    ///   - view: the bytes.
    ///   - offset: the offset of the name.
    /// - Returns: `false` if the bytes are not a name, or are cut.
    static func isName(_ view: ByteView, at offset: Int) -> Bool {
        guard view.count - offset >= 4 else { return false }
        for index in offset..<offset + 4 where !Self.isPart(view[index]) { return false }
        return true
    }
}

/// Finds out the form of frame sizes in a tag of 2.4: seven bits a byte, or plain numbers, as
/// iTunes wrote them.
extension ID3v2Frame {
    /// Walks over the frames in both forms, and takes the form that finds more names.
    ///
    /// If both find the same number of names, the result is the form of 2.4, unless only the plain
    /// form ends where the tag does.
    ///
    /// - Parameter view: the frames and the padding.
    /// - Returns: whether sizes have seven bits a byte.
    static func areSynchsafe(_ view: ByteView) -> Bool {
        let synchsafe = Self.walk(view) { ID3v2Header.synchsafe(view, $0) }
        let plain = Self.walk(view) { Int(view.big($0, UInt32.self)) }
        if synchsafe.names != plain.names { return synchsafe.names > plain.names }
        return synchsafe.isEven || !plain.isEven
    }

    /// Counts names until the padding, the end, or bytes that are not a name.
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
