// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// The page's secret. The address has it in its fragment, which no browser sends to a server. The page keeps it for as
// long as the tab is open.

const key = "weir-page-secret";

/** If the browser stores nothing for this page, the secret lasts until the user leaves the page. */
let held = "";

/**
 * Removes the secret from the address bar, if there is one, and keeps it.
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
