// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The names of frames: three characters in ID3v2.2, four from 2.3 on.
enum ID3v2FrameNames {
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

    private static let current: [String: String] = {
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
        Self.current[name] ?? name
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
