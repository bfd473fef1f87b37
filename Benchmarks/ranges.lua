-- Weir: plays media while it downloads.
-- SPDX-License-Identifier: Apache-2.0

-- For wrk: random 64 KiB ranges of a file of 256 MiB.
local length, piece = 256 * 1024 * 1024, 64 * 1024

function init()
    math.randomseed(7)
end

function request()
    local first = math.random(0, length - piece)
    return wrk.format("GET", nil, { Range = string.format("bytes=%d-%d", first, first + piece - 1) })
end
