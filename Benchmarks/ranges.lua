-- Weir: plays media while it downloads.
-- SPDX-License-Identifier: Apache-2.0

-- For wrk: random ranges of one file. Arguments: the file's length, the range's.
local length, piece

function init(arguments)
    length, piece = tonumber(arguments[1]), tonumber(arguments[2])
    math.randomseed(7)
end

function request()
    local first = math.random(0, length - piece)
    return wrk.format("GET", nil, { Range = string.format("bytes=%d-%d", first, first + piece - 1) })
end
