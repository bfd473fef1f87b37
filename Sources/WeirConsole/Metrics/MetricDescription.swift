// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The meaning of each metric: the help texts of ``PrometheusRegistry``, and the table of Documentation/Metrics.md.
package enum MetricDescription {
    /// The descriptions, by the metrics' names in the text.
    package static let all: [String: String] = [
        "weir_requests_total":
            "Requests of players that were dealt with, by outcome.",
        "weir_served_bytes_total": "Bytes of resources that were handed to the system for players.",
        "weir_request_first_byte_seconds":
            "Time from the head of a player's request to the first byte of the resource in its answer.",
        "weir_underruns_total":
            "Times that a player got nothing for two seconds in the middle of an answer, though it could take more.",
        "weir_limited_total": "Times that a limit made a player wait, or kept it out, by limit.",
        "weir_origin_requests_total": "Requests that were sent to origins.",
        "weir_origin_received_bytes_total": "Body bytes that came from origins.",
        "weir_origin_retries_total": "Requests to origins that had to be repeated.",
        "weir_origin_held_total":
            "Requests that waited, since their host may be sent only so many a second.",
        "weir_origin_held_bytes_total":
            "Body bytes that waited, since origins may send only so fast.",
        "weir_origin_wait_seconds":
            "Time from a request to an origin to the head of its answer.",
        "weir_cache_bytes": "Bytes that the cache holds.",
        "weir_cache_limit_bytes": "Bytes that the cache may hold; absent without a limit.",
        "weir_cache_resources": "Resources that the cache holds.",
        "weir_cache_free_bytes": "Bytes that the cache's disk has left.",
        "weir_cache_degraded": "1 while the cache can keep nothing, else 0.",
        "weir_cache_degradations_total": "Times that the cache could keep no more.",
        "weir_cache_evictions_total":
            "Resources that were removed since the cache held more than its limits let it.",
        "weir_cache_evicted_bytes_total": "Bytes that went with them.",
        "weir_cache_damages_total":
            "Times that cached bytes were found not to be what was written.",
        "weir_cache_damaged_bytes_total": "Bytes that were found so; they are fetched again.",
        "weir_tier_read_bytes_total":
            "Bytes of extents that were read from the store that a fleet shares.",
        "weir_tier_misses_total":
            "Extents that were not there, or could not be had in time.",
        "weir_tier_failures_total":
            "Questions to the store that were answered wrongly, too late or not at all.",
        "weir_tier_late_total":
            "Answers of the store that came later than the origin's, or not before it.",
        "weir_tier_hedges_total":
            "Times that the origin was asked beside the store, since the store was late.",
        "weir_tier_hedged_bytes_total":
            "Bytes that the origin was asked for beside the store.",
        "weir_tier_pauses_total":
            "Times that the store was left alone for a while, since it failed or was late.",
        "weir_tier_damages_total":
            "Objects in the store that no machine of the fleet has written so.",
        "weir_tier_stored_bytes_total":
            "Bytes of extents that were written to the store.",
        "weir_tier_dropped_total":
            "Extents that were not written, since too many waited to be.",
        "weir_radio_reconnects_total":
            "Connections to a station that brought sound after another one had been lost.",
        "weir_radio_listeners": "Listeners of a station.",
        "weir_radio_buffered_seconds": "Sound that is kept of a station.",
    ]
}
