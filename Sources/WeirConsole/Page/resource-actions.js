// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import { ActionFailed, download } from "./actions.js";
import { confirmLoss } from "./dialogs.js";
import { byID, setAttribute, setText } from "./element.js";
import { bytes, counted } from "./format.js";
import { resourcesOf } from "./playlists.js";
import { title, visible } from "./text.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").Resource} Resource */
/** @typedef {import("./playlists.js").Playlist} Playlist */
/** @typedef {import("./actions.js").Actions} Actions */
/** @typedef {"play" | "pin" | "export" | "verify" | "remove"} Name the buttons */

/** The text while an action runs. @type {Record<string, string>} */
const progress = {
    play: "Looking for its URL …",
    pin: "Changing the pin …",
    unpin: "Changing the pin …",
    export: "Preparing the download …",
    fetch: "Requesting the rest …",
    verify: "Verifying: Weir reads and compares every held byte. This can take minutes.",
    remove: "Removing …",
};

/** The report of a resource's last action. It stays until the next action, also while another resource is opened. */
class Report {
    /** The running action. @type {Name | ""} */
    running = "";
    text = "";
    isTrouble = false;
}

/** The buttons of the opened resource. */
export class ResourceActions {
    #model;
    #actions;
    #play;
    #message = byID("detail-message");
    /** @type {Map<string, Report>} by resource */
    #reports = new Map();
    /** @type {HTMLButtonElement[]} */
    #buttons = [...byID("detail-actions").querySelectorAll("button")];
    #id = "";

    /**
     * @param {Model} model
     * @param {Actions} actions
     * @param {(resource: Resource, url: string) => void} play
     */
    constructor(model, actions, play) {
        this.#model = model;
        this.#actions = actions;
        this.#play = play;
        for (const button of this.#buttons) {
            button.addEventListener("click", () => void this.#run(/** @type {Name} */ (button.id)));
        }
    }

    /** Another resource is opened. @param {string} id */
    show(id) {
        this.#id = id;
        this.#showReport();
    }

    /** @param {Name} name */
    async #run(name) {
        const resource = this.#model.row(this.#id);
        if (!resource || this.#reports.get(resource.id)?.running) return;
        const readers = resourcesOf(resource).flatMap(({ id }) => this.#model.readersOf(id)).length;
        if (name === "remove" && !(await confirmRemoval(resource, readers))) return;
        const report = new Report();
        report.running = name;
        const action = actionOf(name, resource);
        report.text = progress[action];
        this.#reports.set(resource.id, report);
        this.#showReport();
        try {
            const answer = await this.#do(action, resource);
            report.text = visible(String(answer.text ?? ""));
            report.isTrouble = answer.damaged > 0;
        } catch (error) {
            if (!(error instanceof ActionFailed)) throw error;
            report.text = error.message;
            report.isTrouble = true;
        } finally {
            report.running = "";
            if (!this.#model.row(resource.id)) this.#reports.delete(resource.id);
            this.#showReport();
        }
    }

    /** @param {string} name @param {Resource | Playlist} resource @returns {Promise<any>} the server's answer */
    async #do(name, resource) {
        const isPlaylist = "parts" in resource;
        if (isPlaylist && name !== "play") return await this.#doAll(name, resource);
        const { id } = (isPlaylist && resource.own) || resource;
        const answer = await this.#actions.ask(name, { resource: id });
        if (name === "play") this.#play(resource, answer.url);
        if (name === "export") download(answer.url, resource.name ?? "");
        return answer;
    }

    /**
     * Requests an action for the parts of a playlist, and at last for its text.
     *
     * @param {string} name
     * @param {Playlist} playlist
     * @returns {Promise<any>} the server's last answer
     */
    async #doAll(name, playlist) {
        let answer = { text: "" };
        for (const { id } of resourcesOf(playlist).toReversed()) {
            try {
                answer = await this.#actions.ask(name, { resource: id });
            } catch (error) {
                // A limit may have removed it meanwhile.
                if (!(error instanceof ActionFailed && error.status === 404)) throw error;
            }
        }
        return answer;
    }

    #showReport() {
        const report = this.#reports.get(this.#id) ?? new Report();
        setText(this.#message, report.text);
        this.#message.classList.toggle("is-trouble", report.isTrouble);
        for (const button of this.#buttons) {
            // A disabled button would lose the focus; one with aria-disabled keeps it.
            setAttribute(button, "aria-disabled", String(report.running !== ""));
            setAttribute(button, "aria-busy", String(report.running === button.id));
        }
    }
}

/** Whether every byte is held. @param {Resource} resource */
export function isWhole({ held, length }) {
    return held === length;
}

/** The action of a button for the present state of a resource. @param {Name} name @param {Resource} resource */
function actionOf(name, resource) {
    if (name === "pin" && resource.pinned) return "unpin";
    if (name === "export" && !isWhole(resource)) return "fetch";
    return name;
}

/** @param {Resource | Playlist} resource @param {number} readers */
function confirmRemoval(resource, readers) {
    const held = bytes(resource.held);
    const loss = resource.held > 0 ? `${held} of it will be deleted.` : "The cache holds none of it.";
    const name = "parts" in resource ? ` and its ${counted(resource.parts.length, "part")}` : "";
    const sentences = [title(resource) + name, `${loss} Weir fetches it from its origin again when it is played.`];
    if (resource.pinned) sentences.push("It is pinned; the pin is removed, too.");
    if (readers) sentences.push(`${counted(readers, "reader")} of it may be interrupted.`);
    return confirmLoss({ title: "Remove this from the cache?", sentences, action: `Remove and delete ${held}` });
}
