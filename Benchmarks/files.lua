-- Weir: plays media while it downloads.
-- SPDX-License-Identifier: Apache-2.0

-- For wrk: whole files below the URL at random, named 0 to count - 1. Argument: the count.
local count

function init(arguments)
    count = tonumber(arguments[1])
    -- Other files in each turn: few of them would soon be open.
    math.randomseed(os.time())
end

function request()
    return wrk.format("GET", wrk.path .. math.random(0, count - 1))
end
