// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// What the page asks the server to do.

import { sentence } from "./connection.js";

/** An action that was not done; its message is for the person. */
export class ActionFailed extends Error {}

export class Actions {
    #secret = "";

    /** @param {string} secret */
    use(secret) {
        this.#secret = secret;
    }

    /**
     * Asks for an action, and waits until it is done.
     *
     * @param {string} name
     * @param {Record<string, string>} parameters
     * @returns {Promise<any>} what the server says: `text`, and what belongs to the action
     * @throws {ActionFailed}
     */
    async ask(name, parameters) {
        const headers = { Authorization: `Bearer ${this.#secret}` };
        const path = `/page/actions/${name}?${new URLSearchParams(parameters)}`;
        const response = await fetch(path, { method: "POST", headers }).catch(() => {
            throw new ActionFailed("Weir does not answer.");
        });
        if (!response.ok) throw new ActionFailed(await sentence(response));
        return await response.json().catch(() => {
            throw new ActionFailed("Weir's answer was cut off.");
        });
    }
}

/**
 * Has the browser download what a URL of this server names.
 *
 * @param {string} url
 * @param {string} name what the file is to be called
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
 * @throws {ActionFailed} if it leads elsewhere
 */
export function ownURL(url) {
    const resolved = new URL(url, location.origin);
    if (resolved.origin !== location.origin) throw new ActionFailed("The URL does not lead to this server.");
    return resolved.href;
}
