// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// The page's secret: it comes in the fragment of the address, which no browser sends to a server, and stays for
// as long as the tab is open.

const key = "weir-page-secret";

/** Where the browser keeps nothing for this page, the secret lasts until the page is left. */
let held = "";

/**
 * Takes a secret out of the address bar, where there is one, and remembers it.
 *
 * @returns {string} the secret, empty if there is none
 */
export function takeSecret() {
    const fragment = location.hash.slice(1);
    if (fragment) {
        remember(fragment);
        history.replaceState(null, "", location.pathname + location.search);
    }
    return held || stored();
}

/** @param {string} secret */
function remember(secret) {
    held = secret;
    try {
        sessionStorage.setItem(key, secret);
    } catch {
        // Storage is switched off.
    }
}

function stored() {
    try {
        return sessionStorage.getItem(key) ?? "";
    } catch {
        return "";
    }
}
