// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import { sentence } from "./connection.js";
import { visible } from "./text.js";

/**
 * The reason why a media element does not play, in words for the user.
 *
 * @param {HTMLMediaElement} media
 * @param {string | null} type the type from the origin
 */
export function mediaError(media, type) {
    const kind = type ? ` (${visible(type)})` : "";
    switch (media.error?.code) {
        case MediaError.MEDIA_ERR_NETWORK:
            return "The connection broke while the browser read it. Play it again.";
        case MediaError.MEDIA_ERR_DECODE:
            return `The browser cannot decode it${kind}: it is damaged, or the browser does not support its codec.`;
        case MediaError.MEDIA_ERR_SRC_NOT_SUPPORTED:
            return `The browser does not support this format${kind}. Other players may play it.`;
        default:
            return "The browser stopped playing it.";
    }
}

/**
 * The server's error for a URL that does not play: a browser does not distinguish an error response from an unsupported
 * format.
 *
 * @param {string} url
 * @param {AbortSignal} signal
 * @returns {Promise<string>} empty if the server answers without an error
 */
export async function servedError(url, signal) {
    try {
        // The answer to HEAD has no sentence.
        const response = await fetch(url, { headers: { Range: "bytes=0-0" }, cache: "no-store", signal });
        if (!response.ok) return await sentence(response);
        await response.body?.cancel();
        return "";
    } catch {
        return signal.aborted ? "" : "Weir does not answer.";
    }
}
