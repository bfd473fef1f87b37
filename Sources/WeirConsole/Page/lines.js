// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/** The longest line, in UTF-16 units: a state of 5,000 resources, each in hundreds of pieces, is shorter. */
export const longestLine = 64 * 1024 * 1024;

/**
 * Splits a stream of UTF-8 bytes at its line feeds, for any division into portions.
 *
 * It reads a portion once, and keeps only the beginning of one line between two portions, of a bounded length.
 */
export class LineReader {
    #decoder = new TextDecoder();
    /** @type {string[]} */
    #begun = [];
    #length = 0;
    #limit;

    /** @param {number} limit the longest line */
    constructor(limit = longestLine) {
        this.#limit = limit;
    }

    /**
     * The lines that end in a portion, without empty ones.
     *
     * @param {Uint8Array} portion
     * @returns {string[]}
     * @throws {RangeError} if a line is longer than the limit
     */
    read(portion) {
        const parts = this.#decoder.decode(portion, { stream: true }).split("\n");
        const lines = [];
        for (const [index, part] of parts.entries()) {
            this.#length += part.length;
            if (this.#length > this.#limit) throw new RangeError("Weir sent a line that is too long.");
            this.#begun.push(part);
            if (index === parts.length - 1) break;
            const line = this.#begun.join("");
            if (line) lines.push(line);
            this.#begun = [];
            this.#length = 0;
        }
        return lines;
    }
}
