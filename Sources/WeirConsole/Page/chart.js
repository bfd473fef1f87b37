// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import { fitCanvas } from "./drawing.js";
import { byID, setAttribute, setText } from "./element.js";
import { rate } from "./format.js";
import { drawSoon } from "./frames.js";
import { trafficLimit } from "./model.js";
import { palette, watchPalette } from "./palette.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").Changes} Changes */

/** The number of seconds over which the present rate is averaged. */
const averaged = 3;

/** The least scale of the chart, in bytes per second, so that a low rate looks low. */
const leastScale = 60_000;

/** The least time between two changes of the text alternative, in milliseconds: a screen reader may be reading it. */
const textInterval = 10_000;

/** The two lines, with the index of each in a second of traffic, and dashes that distinguish them without colour. */
const lines = /** @type {const} */ ([
    { name: "served", index: 1, dash: [] },
    { name: "origin", index: 0, dash: [4, 3] },
]);

/** The rates of the last five minutes, from origins and to players. */
export class Chart {
    #model;
    #canvas = /** @type {HTMLCanvasElement} */ (byID("chart"));
    #size = { width: 0, height: 0 };
    #font = "";
    #describedAt = 0;
    #draw = () => this.#drawAll();

    /** @param {Model} model */
    constructor(model) {
        this.#model = model;
        new ResizeObserver(([entry]) => {
            const { width, height } = entry.contentRect;
            this.#size = { width, height };
            this.#font = `11px ${getComputedStyle(document.body).fontFamily}`;
            drawSoon(this.#draw);
        }).observe(this.#canvas);
        watchPalette(() => drawSoon(this.#draw));
    }

    /** @param {Changes} changes */
    update(changes) {
        if (changes.members.has("traffic")) drawSoon(this.#draw);
    }

    #drawAll() {
        this.#say();
        const context = this.#canvas.getContext("2d");
        const { width, height } = this.#size;
        if (!context || width < 100) return;
        fitCanvas(this.#canvas, width, height);
        context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
        context.clearRect(0, 0, width, height);
        const most = roundedUp(Math.max(leastScale, ...this.#model.traffic.flat()));
        context.font = this.#font;
        const widths = [0, 0.5, 1].map((share) => context.measureText(rate(most * share)).width);
        const left = Math.ceil(Math.max(...widths)) + 10;
        const plot = { left, top: 6, width: width - left, height: height - 6 - 20 };
        this.#drawAxes(context, plot, most);
        for (const { name, index, dash } of lines) {
            context.setLineDash([...dash]);
            context.strokeStyle = palette[name];
            this.#drawLine(context, plot, most, index);
        }
        context.setLineDash([]);
    }

    /**
     * @param {CanvasRenderingContext2D} context
     * @param {{left: number, top: number, width: number, height: number}} plot
     * @param {number} most
     */
    #drawAxes(context, { left, top, width, height }, most) {
        context.lineWidth = 1;
        context.strokeStyle = palette.line;
        context.fillStyle = palette.muted;
        context.beginPath();
        for (const share of [0, 0.5, 1]) {
            const y = Math.round(top + height * share) + 0.5;
            context.moveTo(left, y);
            context.lineTo(left + width, y);
        }
        context.stroke();
        context.textAlign = "right";
        context.textBaseline = "middle";
        for (const share of [0, 0.5, 1]) context.fillText(rate(most * share), left - 8, top + height * (1 - share));
        context.textAlign = "left";
        context.textBaseline = "top";
        context.fillText(`${trafficLimit / 60} minutes ago`, left, top + height + 7);
        context.textAlign = "right";
        context.fillText("now", left + width, top + height + 7);
    }

    /**
     * @param {CanvasRenderingContext2D} context
     * @param {{left: number, top: number, width: number, height: number}} plot
     * @param {number} most
     * @param {number} index
     */
    #drawLine(context, { left, top, width, height }, most, index) {
        const { traffic } = this.#model;
        context.lineWidth = 1.5;
        context.lineJoin = "round";
        context.beginPath();
        for (const [place, second] of traffic.entries()) {
            const x = left + (width * (trafficLimit - traffic.length + place)) / (trafficLimit - 1);
            context.lineTo(x, top + height * (1 - second[index] / most));
        }
        context.stroke();
    }

    #say() {
        const { traffic } = this.#model;
        const recent = traffic.slice(-averaged);
        const [origin, served] = [0, 1].map((index) => mean(recent.map((second) => second[index])));
        setText(byID("rate-served"), rate(served));
        setText(byID("rate-origin"), rate(origin));
        if (Date.now() - this.#describedAt < textInterval) return;
        this.#describedAt = Date.now();
        const [originMost, servedMost] = [0, 1].map((index) => Math.max(0, ...traffic.map((second) => second[index])));
        const sentences = [
            `Throughput over the last ${trafficLimit / 60} minutes.`,
            `To players: now ${rate(served)}, at most ${rate(servedMost)}.`,
            `From origins: now ${rate(origin)}, at most ${rate(originMost)}.`,
        ];
        setAttribute(this.#canvas, "aria-label", sentences.join(" "));
    }
}

/** @param {number[]} numbers */
function mean(numbers) {
    return numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length);
}

/**
 * The next larger round number whose half is round, too.
 *
 * @param {number} size
 */
function roundedUp(size) {
    const power = 10 ** Math.floor(Math.log10(size));
    const step = [1, 2, 3, 4, 6, 8].find((step) => size <= step * power) ?? 10;
    return step * power;
}
