// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import { states } from "./cells.js";
import { drawCell, fitCanvas } from "./drawing.js";
import { byID, element } from "./element.js";
import { palette, watchPalette } from "./palette.js";

/** The names of the states. @type {Record<string, string>} */
export const stateNames = {
    "not-held": "not held",
    wanted: "wanted, not held",
    fetched: "being fetched",
    part: "held in part",
    held: "held, not compared yet",
    verified: "verified",
    bad: "damaged",
};

/** The edge of a sample, in CSS pixels. */
const edge = 12;

/** Fills the legend of the piece map: each state, and a reader's cursor. */
export function fillLegend() {
    const samples = states.map((state, index) => sample(stateNames[state], (context, width) => {
        drawCell(context, index, { x: 0, y: 0, width, height: width });
    }));
    samples.push(sample("a reader", (context, width) => {
        const line = Math.round(2 * devicePixelRatio);
        context.lineWidth = line;
        context.strokeStyle = palette.ink;
        context.strokeRect(line / 2, line / 2, width - line, width - line);
    }));
    const list = byID("legend");
    list.append(...samples.map(({ item }) => item));
    const draw = () => samples.forEach((made) => made.draw());
    watchPalette(draw);
    draw();
}

/**
 * @param {string} name
 * @param {(context: CanvasRenderingContext2D, width: number) => void} paint
 */
function sample(name, paint) {
    const canvas = element("canvas", { "aria-hidden": "true" });
    const draw = () => {
        const context = canvas.getContext("2d");
        if (!context) return;
        if (!fitCanvas(canvas, edge, edge)) context.clearRect(0, 0, canvas.width, canvas.height);
        paint(context, canvas.width);
    };
    return { item: element("li", {}, canvas, name), draw };
}
