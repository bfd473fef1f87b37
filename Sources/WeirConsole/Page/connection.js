// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// The stream of messages from the server, and the reconnections when it breaks.

import { LineReader } from "./lines.js";
import { OutOfSequence } from "./model.js";

/** The longest silence of a connected server, in milliseconds; it sends a line at least every five seconds. */
const longestSilence = 12_000;

/** How long a tab may be hidden before it closes the stream, in milliseconds. */
const hiddenLimit = 30_000;

/** The waits before each further try, in milliseconds; the last one repeats. */
const delays = [1_000, 2_000, 4_000, 8_000, 10_000];

/**
 * The connection's state: `none` before the first try and while the tab is hidden; `open`; `lost`, with the reason and
 * the time of the next try, in milliseconds since 1970 (0 during a try); `refused`, until there is another secret.
 *
 * @typedef {{kind: "none" | "open" | "refused"} | {kind: "lost", reason: string, next: number}} Status
 */

export class Connection {
    /** @type {Status} */
    status = { kind: "none" };
    #secret = "";
    #failures = 0;
    /** Ends the running try. */
    #try = new AbortController();
    #retry = 0;
    #silence = 0;
    #hidden = 0;
    /** Whether the stream was closed because the tab is hidden. */
    #hasLeft = false;
    #receive;
    #report;

    /**
     * @param {(message: any) => void} receive receives each message; if it throws, the connection is lost
     * @param {(status: Status) => void} report receives every new state
     */
    constructor(receive, report) {
        this.#receive = receive;
        this.#report = report;
        document.addEventListener("visibilitychange", () => this.#visibilityChanged());
        this.#visibilityChanged();
    }

    /** Starts again with a secret. @param {string} secret */
    open(secret) {
        this.#secret = secret;
        this.#failures = 0;
        this.#set({ kind: "none" });
        this.tryNow();
    }

    /** Tries at once, and cancels a try that runs or waits. */
    tryNow() {
        this.#stop();
        this.#try = new AbortController();
        if (this.status.kind === "lost") this.#set({ ...this.status, next: 0 });
        void this.#run(this.#try);
    }

    /** @param {AbortController} controller */
    async #run(controller) {
        const { signal } = controller;
        try {
            this.#heard(controller);
            const headers = { Authorization: `Bearer ${this.#secret}` };
            const response = await fetch("/page/events", { headers, cache: "no-store", signal });
            if (response.status === 401) {
                this.#stop();
                this.#set({ kind: "refused" });
                return;
            }
            if (!response.ok || !response.body) throw new Error(await sentence(response));
            await this.#readLines(response.body, controller);
            throw new Error("Weir ended the connection.");
        } catch (error) {
            // A cancelled try reports nothing, unless it was cancelled for its silence.
            if (signal.aborted && !(signal.reason instanceof Error && signal.reason.name === "SilenceError")) return;
            this.#lost(signal.aborted ? signal.reason.message : reason(error));
        }
    }

    /** @param {ReadableStream<Uint8Array>} body @param {AbortController} controller */
    async #readLines(body, controller) {
        const lines = new LineReader();
        const portions = body.getReader();
        for (;;) {
            const { value, done } = await portions.read();
            if (done) return;
            this.#heard(controller);
            for (const line of lines.read(value)) {
                this.#take(line);
                if (this.status.kind === "open") continue;
                this.#failures = 0;
                this.#set({ kind: "open" });
            }
        }
    }

    /** @param {string} line */
    #take(line) {
        try {
            this.#receive(JSON.parse(line));
        } catch (error) {
            if (error instanceof OutOfSequence) throw error;
            // A bug of the page or of the server: the browser's console shows it, and a new state may not have it.
            reportError(error);
            throw new Error("Weir sent a message that this page does not understand.");
        }
    }

    /** @param {AbortController} controller */
    #heard(controller) {
        clearTimeout(this.#silence);
        this.#silence = setTimeout(() => {
            const error = new Error(`Weir has sent nothing for ${longestSilence / 1000} seconds.`);
            error.name = "SilenceError";
            controller.abort(error);
        }, longestSilence);
    }

    /** @param {string} reason */
    #lost(reason) {
        // This also ends an answer in the middle of its body.
        this.#stop();
        const delay = delays[Math.min(this.#failures, delays.length - 1)];
        this.#failures += 1;
        this.#retry = setTimeout(() => this.tryNow(), delay);
        this.#set({ kind: "lost", reason, next: Date.now() + delay });
    }

    #stop() {
        clearTimeout(this.#retry);
        clearTimeout(this.#silence);
        this.#try.abort();
    }

    #visibilityChanged() {
        clearTimeout(this.#hidden);
        if (document.hidden) {
            this.#hidden = setTimeout(() => this.#leave(), hiddenLimit);
        } else if (this.#hasLeft) {
            this.#hasLeft = false;
            this.tryNow();
        }
    }

    #leave() {
        if (this.status.kind === "refused" || !this.#secret) return;
        this.#stop();
        this.#hasLeft = true;
        this.#set({ kind: "none" });
    }

    /** @param {Status} status */
    #set(status) {
        this.status = status;
        this.#report(status);
    }
}

/** The text of a failed answer, of a bounded length. @param {Response} response */
export async function sentence(response) {
    const text = (await response.text()).trim().slice(0, 500);
    return text || `Weir answered with status ${response.status}.`;
}

/** @param {unknown} error */
function reason(error) {
    // fetch() and a broken stream throw a TypeError whose text is the browser's own.
    if (error instanceof TypeError) return "Weir does not answer.";
    return error instanceof Error ? error.message : String(error);
}
