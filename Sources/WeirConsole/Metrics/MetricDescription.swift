// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The meaning of each metric: the help texts of ``PrometheusRegistry``, and the table of Documentation/Metrics.md.
package enum MetricDescription {
    /// The descriptions, by the names of the metrics in the text for Prometheus.
    package static let all: [String: String] = [
        "weir_requests_total":
            "Ended requests of players, by outcome.",
        "weir_served_bytes_total": "Bytes of resources that Weir passed to the system for players.",
        "weir_request_first_byte_seconds":
            "Time from the head of a player's request to the first byte of the resource in its answer.",
        "weir_underruns_total":
            "Times that a response waited for two seconds or more for bytes of its source, after its first bytes.",
        "weir_limited_total": "Times that a limit delayed or rejected a player, by limit.",
        "weir_origin_requests_total": "Requests that were sent to origins.",
        "weir_origin_received_bytes_total": "Body bytes that were received from origins.",
        "weir_origin_retries_total": "Requests to origins that had to be repeated.",
        "weir_origin_held_total":
            "Requests that were delayed by the limit of requests per second to their host.",
        "weir_origin_held_bytes_total":
            "Body bytes that were delayed by the limit of the rate at which Weir receives from origins.",
        "weir_origin_wait_seconds":
            "Time from a request to an origin to the head of its answer.",
        "weir_cache_bytes": "Bytes that the cache holds.",
        "weir_cache_limit_bytes": "Bytes that the cache may hold; absent without a limit.",
        "weir_cache_resources": "Resources that the cache holds.",
        "weir_cache_free_bytes": "Free bytes on the cache's disk.",
        "weir_cache_degraded": "1 while the cache cannot keep anything, else 0.",
        "weir_cache_degradations_total": "Times that the cache became unable to keep anything.",
        "weir_cache_evictions_total":
            "Resources that were removed because the cache exceeded its limits.",
        "weir_cache_evicted_bytes_total":
            "Bytes that were removed because the cache exceeded its limits.",
        "weir_cache_damages_total":
            "Times that Weir found damaged bytes in the cache.",
        "weir_cache_damaged_bytes_total":
            "Damaged bytes that Weir found in the cache; it fetches them again.",
        "weir_tier_read_bytes_total":
            "Bytes of extents that were read from the shared store of the fleet.",
        "weir_tier_misses_total":
            "Extents that were not in the store, or did not arrive in time.",
        "weir_tier_failures_total":
            "Requests to the store whose response was wrong, late or missing.",
        "weir_tier_late_total":
            "Responses of the store that did not arrive before the origin's.",
        "weir_tier_hedges_total":
            "Times that Weir requested bytes from the origin too, because the store was late.",
        "weir_tier_hedged_bytes_total":
            "Bytes that Weir requested from the origin too, because the store was late.",
        "weir_tier_pauses_total":
            "Times that Weir paused its requests to the store, because it failed or was late.",
        "weir_tier_damages_total":
            "Objects in the store that are damaged, or that no machine of the fleet wrote.",
        "weir_tier_stored_bytes_total":
            "Bytes of extents that were written to the store.",
        "weir_tier_dropped_total":
            "Extents that were not written to the store, because too many were waiting.",
        "weir_radio_reconnects_total":
            "New connections to a station that delivered sound after an earlier connection was lost.",
        "weir_radio_listeners": "Listeners of a station.",
        "weir_radio_buffered_seconds": "Seconds of sound in the time shift of a station.",
    ]
}
