// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// Formats numbers, sizes and times for people.

const units = ["B", "kB", "MB", "GB", "TB"];
const whole = new Intl.NumberFormat("en");
const moment = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

/** A number with separated thousands: `12,345`. @param {number} number */
export function count(number) {
    return whole.format(number);
}

/**
 * A number with its noun: `1 reader`, `2,000 readers`.
 *
 * @param {number} number
 * @param {string} noun
 */
export function counted(number, noun, plural = `${noun}s`) {
    return `${count(number)} ${number === 1 ? noun : plural}`;
}

/** A size in powers of 1000, as the command prints it: `812 B`, `12.4 kB`. @param {number} size */
export function bytes(size) {
    let value = size;
    let unit = 0;
    // From 999.95 on, one decimal would print 1000.0.
    while (value >= (unit === 0 ? 1000 : 999.95) && unit < units.length - 1) {
        value /= 1000;
        unit += 1;
    }
    return unit === 0 ? `${Math.round(value)} B` : `${(Math.round(value * 10) / 10).toFixed(1)} ${units[unit]}`;
}

/** A size, with its exact bytes from 1000 bytes on: `12.7 kB (12,698 bytes)`. @param {number} size */
export function exactBytes(size) {
    return size < 1000 ? bytes(size) : `${bytes(size)} (${count(size)} bytes)`;
}

/** A rate in bytes per second: `3.2 MB/s`. @param {number} size */
export function rate(size) {
    return `${bytes(size)}/s`;
}

/**
 * A share in whole per cent. Only an empty part is 0 %, and only a complete one is 100 %.
 *
 * @param {number} part
 * @param {number} all
 */
export function percent(part, all) {
    if (all <= 0 || part >= all) return "100 %";
    if (part <= 0) return "0 %";
    const share = Math.round((part / all) * 100);
    if (share < 1) return "under 1 %";
    return share > 99 ? "over 99 %" : `${share} %`;
}

/** A position in a medium: `1:02`, `1:02:03`. @param {number} seconds */
export function position(seconds) {
    const rest = Math.max(0, Math.floor(seconds));
    const parts = [Math.floor(rest / 60) % 60, rest % 60].map((part) => String(part).padStart(2, "0"));
    const hours = Math.floor(rest / 3600);
    return hours > 0 ? `${hours}:${parts.join(":")}` : `${Number(parts[0])}:${parts[1]}`;
}

/** A time span in its largest unit: `45 s`, `3 min`, `2 h`, `30 days`. @param {number} seconds */
export function span(seconds) {
    if (seconds < 60) return `${Math.floor(seconds)} s`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
    if (seconds < 2 * 86_400) return `${Math.floor(seconds / 3600)} h`;
    return `${count(Math.floor(seconds / 86_400))} days`;
}

/** How long ago a time was: `now`, `3 min ago`. @param {number} time @param {number} now milliseconds since 1970 */
export function ago(time, now) {
    const seconds = (now - time) / 1000;
    // Server and browser have the same clock, so a time in the future is less than a second away.
    return seconds < 5 ? "now" : `${span(seconds)} ago`;
}

/** The date and time in the user's time zone. @param {number} time milliseconds since 1970 */
export function exactTime(time) {
    return moment.format(time);
}

/** The time of day in the user's time zone. @param {number} time milliseconds since 1970 */
export function timeOfDay(time) {
    return clock.format(time);
}
