import autocannon from 'autocannon'

export interface LoadResult {
  perSecond: number
  p50Ms: number
  p99Ms: number
}

/**
 * Repeats a request for some seconds on the given number of connections. With `perSecond`, the rate is fixed. A
 * response other than 2xx is a failure.
 */
export async function load(
  url: string,
  options: { connections: number; seconds: number; perSecond?: number; headers?: Record<string, string> },
): Promise<LoadResult> {
  const result = await autocannon({
    url,
    connections: options.connections,
    duration: options.seconds,
    headers: options.headers ?? {},
    ...(options.perSecond === undefined ? {} : { overallRate: options.perSecond }),
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refused, ${result.errors} errors`)
  return { perSecond: result.requests.average, p50Ms: result.latency.p50, p99Ms: result.latency.p99 }
}

/**
 * Keeps the given number of calls in flight for some seconds. Returns the calls per second and the sorted latencies.
 */
export async function repeat(
  work: () => Promise<unknown>,
  options: { concurrency: number; seconds: number },
): Promise<{ perSecond: number; sortedMs: number[] }> {
  const latencies: number[] = []
  const begin = performance.now()
  const end = begin + options.seconds * 1000
  const lane = async (): Promise<void> => {
    while (performance.now() < end) {
      const start = performance.now()
      await work()
      latencies.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: options.concurrency }, lane))
  const seconds = (performance.now() - begin) / 1000
  return { perSecond: latencies.length / seconds, sortedMs: latencies.sort((a, b) => a - b) }
}

/** Returns the value below which the given share (0 to 1) of the sorted values lies. */
export function quantile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function median(values: number[]): number {
  return quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  )
}
