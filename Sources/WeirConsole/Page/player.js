// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import { bringIntoView, byID, element, setCutText, setText } from "./element.js";
import { span } from "./format.js";
import { mediaError, servedError } from "./media-errors.js";
import { title, visible } from "./text.js";
import { TimeBar } from "./time-bar.js";
import { ownURL } from "./actions.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").Changes} Changes */
/** @typedef {import("./model.js").Resource} Resource */
/** @typedef {import("./model.js").Station} Station */
/** @typedef {import("./model.js").Place} Place */

/**
 * The playing media: a resource by its identifier, or a station by its name.
 *
 * @typedef {{resource?: string, station?: string, type: string | null}} Playing
 */

/** The player: the browser's own, with a time bar below that shows the held parts of the resource. */
export class Player {
    #model;
    #section = byID("player");
    #heading = byID("player-title");
    #place = byID("player-media");
    #note = byID("player-note");
    #station = byID("player-station");
    #bar = new TimeBar();
    /** @type {HTMLMediaElement | null} */
    #media = null;
    /** @type {Playing} */
    #playing = { type: null };
    #given = new AbortController();
    /** The element that had the keyboard focus before. @type {Element | null} */
    #before = null;

    /** @param {Model} model */
    constructor(model) {
        this.#model = model;
        byID("player-close").addEventListener("click", () => this.close());
        this.#section.addEventListener("keydown", (event) => {
            if (event.key === "Escape" && !document.fullscreenElement) this.close();
        });
    }

    /** @param {Resource} resource @param {string} url */
    playResource(resource, url) {
        this.#play(title(resource), url, { resource: resource.id, type: resource.type });
    }

    /** Plays a served file, whether or not the cache holds any of it. @param {Place} place */
    playPlace(place) {
        this.#play(visible(place.source), place.url, { type: null });
    }

    /** @param {Station} station */
    playStation(station) {
        this.#play(visible(station.name), station.url, { station: station.name, type: station.type ?? "audio/" });
    }

    /** @param {string} name @param {string} url @param {Playing} playing */
    #play(name, url, playing) {
        if (this.#section.hidden) this.#before = document.activeElement;
        this.#stop();
        this.#playing = playing;
        const isAudio = playing.type?.startsWith("audio/") ?? false;
        const media = element(isAudio ? "audio" : "video", { controls: "", preload: "metadata", "aria-label": name });
        const { signal } = (this.#given = new AbortController());
        media.addEventListener("error", () => void this.#failed(media, signal), { signal });
        media.addEventListener("playing", () => setText(this.#note, ""), { signal });
        media.addEventListener("waiting", () => setText(this.#note, "Waiting for data."), { signal });
        media.src = ownURL(url);
        this.#media = media;
        this.#place.replaceChildren(media);
        setCutText(this.#heading, name);
        this.#section.hidden = false;
        setText(this.#note, "");
        this.#showStation();
        this.#bar.attach(media, signal);
        this.#showBar();
        this.#heading.focus({ preventScroll: true });
        bringIntoView(this.#section);
        media.play().catch((error) => {
            // The listener above shows the element's own errors.
            if (error.name !== "NotAllowedError") return;
            setText(this.#note, "The browser does not start playback by itself: press play.");
        });
    }

    close() {
        this.#stop();
        this.#section.hidden = true;
        if (this.#before instanceof HTMLElement) this.#before.focus();
        this.#before = null;
    }

    /** @param {Changes} changes */
    update(changes) {
        if (!this.#media) return;
        if (this.#playing.resource && changes.resources.has(this.#playing.resource)) this.#showBar();
        if (changes.members.has("stations")) this.#showStation();
    }

    /** Closes the connection of the playing media: an element without a source stops reading. */
    #stop() {
        this.#given.abort();
        this.#bar.detach();
        if (!this.#media) return;
        this.#media.pause();
        this.#media.removeAttribute("src");
        this.#media.load();
        this.#media.remove();
        this.#media = null;
    }

    #showBar() {
        // The length of a playlist is not known, so it has no bar.
        const resource = this.#model.row(this.#playing.resource ?? "");
        this.#bar.show(resource?.pieces?.held ?? [], resource?.length ?? null);
    }

    #showStation() {
        const station = this.#model.stations.find(({ name }) => name === this.#playing.station);
        const title = station?.title ? `${visible(station.title)}. ` : "";
        const kept = station ? `${span(station.buffered)} of ${span(station.timeShift)} kept behind the live end.` : "";
        setText(this.#station, title + kept);
    }

    /** The server's event for a URL that failed in the middle; empty without one. @param {string} url */
    #told(url) {
        const event = this.#model.events.findLast(({ kind, subject }) => kind === "requestFailed" && url.endsWith(subject ?? " "));
        return event ? visible(event.text) : "";
    }

    /** @param {HTMLMediaElement} media @param {AbortSignal} signal */
    async #failed(media, signal) {
        const { type } = this.#playing;
        const served = await servedError(media.src, signal);
        if (!signal.aborted) setText(this.#note, served || this.#told(media.src) || mediaError(media, type));
    }
}
