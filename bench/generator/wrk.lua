-- The requests and the report of `wrk`. Without arguments, each request is the same. The arguments are the file with the
-- bodies of POST requests, one a line, "keys" if each request has an idempotency key, and the member of a response that
-- the next request repeats as its body.

local bodies, next_body = {}, 1

function init(args)
  if args[1] == nil then return end
  local has_keys, chained = args[2] == "keys", args[3]
  for line in io.lines(args[1]) do bodies[#bodies + 1] = line end
  math.randomseed(os.time() * 1000 + os.clock() * 1000000)
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
  request = function()
    local body = bodies[next_body]
    next_body = next_body + 1
    if chained == nil then next_body = (next_body - 1) % #bodies + 1 end
    if has_keys then
      wrk.headers["Idempotency-Key"] = string.format("%08x%08x%08x", math.random(2 ^ 31), math.random(2 ^ 31), math.random(2 ^ 31))
    end
    return wrk.format(nil, nil, nil, body)
  end
  if chained ~= nil then
    response = function(_, _, body)
      local value = string.match(body, '"' .. chained .. '":"([^"]+)"')
      bodies[#bodies + 1] = string.format('{"%s":"%s"}', chained, value)
    end
  end
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    '{"requests":%d,"seconds":%f,"p50Ms":%f,"p99Ms":%f,"refused":%d,"errors":%d}',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
