import { Session } from 'node:inspector/promises'

/** Reports which blocks of the project's code are executed for the first time. */
export type Coverage = {
  /** Returns the blocks that were executed since the last call and that no earlier call has returned. */
  takeNew(): Promise<string[]>
}

/**
 * Starts V8's precise coverage for the modules whose URL matches.
 * @param known blocks that count as returned
 */
export async function startCoverage(covers: RegExp, known: Iterable<string>): Promise<Coverage> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  const seen = new Set(known)
  return {
    async takeNew() {
      const { result } = await session.post('Profiler.takePreciseCoverage')
      const added: string[] = []
      for (const { url, functions } of result) {
        const file = covers.exec(url)?.[0]
        if (file === undefined) continue
        for (const { ranges } of functions) {
          for (const { startOffset, endOffset, count } of ranges) {
            if (count === 0) continue
            // The key includes the number of executions, rounded up to a power of four, so that a much longer loop
            // counts as a new block.
            const key = `${file} ${startOffset} ${endOffset} ${Math.ceil(Math.log2(count) / 2)}`
            if (seen.has(key)) continue
            seen.add(key)
            added.push(key)
          }
        }
      }
      return added
    },
  }
}
