// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/** @typedef {import("./model.js").Resource} Resource */

/**
 * The resources that other limits evict: the least recently used first, and no pinned or open one. Pure.
 *
 * The server decides; the page shows this forecast before. If resources are not listed, the server may evict more.
 *
 * @param {Iterable<Resource>} resources
 * @param {number} total the number of bytes in the cache
 * @param {number | null} limit in bytes
 * @param {number | null} age in seconds
 * @param {number} now in milliseconds since 1970
 * @returns {{count: number, bytes: number, stays: number}} evicted resources, their bytes, and bytes that stay
 */
export function forecast(resources, total, limit, age, now) {
    const oldest = age === null ? -Infinity : now - age * 1000;
    const most = limit ?? Infinity;
    const gone = { count: 0, bytes: 0, stays: total };
    for (const resource of [...resources].sort((one, other) => one.usedTime - other.usedTime)) {
        const isOld = resource.usedTime < oldest;
        if (!isOld && gone.stays <= most) break;
        // A resource without held bytes frees no space.
        if (resource.pinned || resource.open || (!isOld && resource.held === 0)) continue;
        gone.count += 1;
        gone.bytes += resource.held;
        gone.stays -= resource.held;
    }
    return gone;
}
