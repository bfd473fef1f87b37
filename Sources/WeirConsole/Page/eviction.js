// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/** @typedef {import("./model.js").Resource} Resource */

/**
 * What goes when the cache gets other limits: the least recently used first, nothing that is pinned or open. Pure.
 *
 * The server decides; this is what a person is told before. Where resources are not listed, more may go.
 *
 * @param {Iterable<Resource>} resources
 * @param {number} total how much the cache holds in all
 * @param {number | null} limit in bytes
 * @param {number | null} age in seconds
 * @param {number} now in milliseconds since 1970
 * @returns {{count: number, bytes: number, stays: number}} how many go, with how many bytes, and how much then stays
 */
export function forecast(resources, total, limit, age, now) {
    const oldest = age === null ? -Infinity : now - age * 1000;
    const most = limit ?? Infinity;
    const gone = { count: 0, bytes: 0, stays: total };
    for (const resource of [...resources].sort((one, other) => one.usedTime - other.usedTime)) {
        const isOld = resource.usedTime < oldest;
        if (!isOld && gone.stays <= most) break;
        // What holds nothing makes no room.
        if (resource.pinned || resource.open || (!isOld && resource.held === 0)) continue;
        gone.count += 1;
        gone.bytes += resource.held;
        gone.stays -= resource.held;
    }
    return gone;
}
