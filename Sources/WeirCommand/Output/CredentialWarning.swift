// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir

/// Says, once, that bytes got with a credential are kept without a name.
enum CredentialWarning {
    static func say(
        origins: [ServedOrigin],
        headers: HTTPHeaderList,
        account: String?,
        output: OutputOptions
    ) {
        guard account == nil, !output.quiet, origins.allSatisfy({ $0.base.userInfo == nil }),
            headers.contains("Authorization") || headers.contains("Cookie")
        else { return }
        Output.note(
            "warning: a credential is sent but --account does not say whose it is; whoever uses this cache "
                + "with another credential would be served the same bytes."
        )
    }
}
