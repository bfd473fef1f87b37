// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir

/// Says, once, that bytes got with a credential are kept without a name.
enum CredentialWarning {
    static func say(
        things: [String],
        headers: HTTPHeaderList,
        account: String?,
        output: OutputOptions
    ) {
        guard account == nil, !output.quiet,
            things.contains(where: { $0.contains("://") && (try? OriginURL($0))?.userInfo == nil }),
            headers.contains("Authorization") || headers.contains("Cookie")
        else { return }
        Output.note(
            "warning: a credential is sent but --account does not say whose it is; whoever uses this cache "
                + "with another credential would be served the same bytes."
        )
    }
}
