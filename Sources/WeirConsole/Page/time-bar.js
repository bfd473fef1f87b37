// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import { states } from "./cells.js";
import { fitCanvas } from "./drawing.js";
import { byID, setAttribute } from "./element.js";
import { position } from "./format.js";
import { drawSoon } from "./frames.js";
import { palette, stateColours, watchPalette } from "./palette.js";
import { drawCursor } from "./strip.js";

/** @typedef {import("./ranges.js").Range} Range */

/** The steps of the keys, in seconds: the long one is for Shift and the page keys. */
const step = 5;
const longStep = 60;

/**
 * The held parts of the playing media, over its duration. The bar maps bytes to time in proportion, which is exact only
 * for a constant bit rate.
 */
export class TimeBar {
    #figure = byID("time-bar-figure");
    #canvas = /** @type {HTMLCanvasElement} */ (byID("time-bar"));
    /** @type {HTMLMediaElement | null} */
    #media = null;
    /** @type {Range[]} */
    #held = [];
    /** @type {number | null} */
    #length = null;
    #size = { width: 0, height: 0 };
    #draw = () => this.#drawAll();

    constructor() {
        this.#canvas.addEventListener("pointerdown", (event) => this.#pressed(event));
        this.#canvas.addEventListener("pointermove", (event) => {
            if (event.buttons & 1) this.#pressed(event);
        });
        this.#canvas.addEventListener("keydown", (event) => this.#keyPressed(event));
        new ResizeObserver(([entry]) => {
            this.#size = entry.contentRect;
            drawSoon(this.#draw);
        }).observe(this.#canvas);
        watchPalette(() => drawSoon(this.#draw));
    }

    /** @param {HTMLMediaElement} media @param {AbortSignal} signal ends the listening */
    attach(media, signal) {
        this.#media = media;
        for (const event of ["timeupdate", "durationchange", "seeking"]) {
            media.addEventListener(event, () => drawSoon(this.#draw), { signal });
        }
        drawSoon(this.#draw);
    }

    detach() {
        this.#media = null;
        this.#figure.hidden = true;
    }

    /** @param {Range[]} held @param {number | null} length of the resource; null hides the bar */
    show(held, length) {
        this.#held = held;
        this.#length = length;
        drawSoon(this.#draw);
    }

    get #duration() {
        const duration = this.#media?.duration ?? NaN;
        return Number.isFinite(duration) && duration > 0 ? duration : 0;
    }

    #drawAll() {
        const duration = this.#duration;
        this.#figure.hidden = !duration || !this.#length;
        if (!duration || !this.#length || !this.#media) return;
        const time = this.#media.currentTime;
        setAttribute(this.#canvas, "aria-valuemax", String(Math.floor(duration)));
        setAttribute(this.#canvas, "aria-valuenow", String(Math.floor(time)));
        setAttribute(this.#canvas, "aria-valuetext", `${position(time)} of ${position(duration)}`);
        const context = this.#canvas.getContext("2d");
        if (!context || !this.#size.width) return;
        fitCanvas(this.#canvas, this.#size.width, this.#size.height);
        const { width, height } = this.#canvas;
        const margin = Math.round(height / 4);
        context.clearRect(0, 0, width, height);
        context.fillStyle = stateColours[states.indexOf("not-held")];
        context.fillRect(0, margin, width, height - 2 * margin);
        context.fillStyle = stateColours[states.indexOf("held")];
        for (const [from, to] of this.#held) {
            const left = (from / this.#length) * width;
            context.fillRect(left, margin, Math.max(1, (to / this.#length) * width - left), height - 2 * margin);
        }
        context.fillStyle = palette.ink;
        context.fillRect(0, height - margin, (time / duration) * width, Math.max(1, Math.round(margin / 3)));
        drawCursor(context, (time / duration) * width);
    }

    /** @param {PointerEvent} event */
    #pressed(event) {
        const bounds = this.#canvas.getBoundingClientRect();
        this.#seek(((event.clientX - bounds.left) / bounds.width) * this.#duration);
    }

    /** @param {KeyboardEvent} event */
    #keyPressed(event) {
        const time = this.#media?.currentTime ?? 0;
        const near = event.shiftKey ? longStep : step;
        const targets = {
            ArrowRight: time + near, ArrowUp: time + near, ArrowLeft: time - near, ArrowDown: time - near,
            PageUp: time + longStep, PageDown: time - longStep, Home: 0, End: this.#duration,
        };
        const target = targets[/** @type {keyof targets} */ (event.key)];
        if (target === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        this.#seek(target);
    }

    /** @param {number} time */
    #seek(time) {
        if (this.#media && this.#duration) this.#media.currentTime = Math.min(this.#duration, Math.max(0, time));
    }
}
