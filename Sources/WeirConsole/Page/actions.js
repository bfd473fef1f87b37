// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// The page's requests for actions of the server.

import { sentence } from "./connection.js";

/** An action that failed; its message is for the user. */
export class ActionFailed extends Error {
    /** The status of the server's answer; 0 without one. */
    status = 0;
}

export class Actions {
    #secret = "";

    /** @param {string} secret */
    use(secret) {
        this.#secret = secret;
    }

    /**
     * Requests an action, and waits until it is done.
     *
     * @param {string} name
     * @param {Record<string, string>} parameters
     * @returns {Promise<any>} the server's answer: `text`, and the action's own members
     * @throws {ActionFailed}
     */
    async ask(name, parameters) {
        const headers = { Authorization: `Bearer ${this.#secret}` };
        const path = `/page/actions/${name}?${new URLSearchParams(parameters)}`;
        const response = await fetch(path, { method: "POST", headers }).catch(() => {
            throw new ActionFailed("Weir does not answer.");
        });
        if (!response.ok) {
            throw Object.assign(new ActionFailed(await sentence(response)), { status: response.status });
        }
        return await response.json().catch(() => {
            throw new ActionFailed("Weir's answer was cut off.");
        });
    }
}

/**
 * Makes the browser download a URL of this server.
 *
 * @param {string} url
 * @param {string} name the name of the file
 */
export function download(url, name) {
    const link = document.createElement("a");
    link.href = ownURL(url);
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
}

/**
 * A URL of this server.
 *
 * @param {string} url relative to it
 * @throws {ActionFailed} if it leads to another server
 */
export function ownURL(url) {
    const resolved = new URL(url, location.origin);
    if (resolved.origin !== location.origin) throw new ActionFailed("The URL does not lead to this server.");
    return resolved.href;
}
