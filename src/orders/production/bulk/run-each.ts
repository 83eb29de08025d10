import { httpProblems } from '../../../platform/http/core/problems.ts'
import { toProblem } from '../../../platform/http/responses/errors.ts'
import type { Problem } from '../../../platform/problem.ts'
import type { Log } from '../../../platform/telemetry/log.ts'
import type { FailureBody } from './schemas.ts'

/**
 * For how long a request with many transactions works, in milliseconds. It is shorter than the time for which
 * `withReservedKey` reserves a key, also if the last transaction waits for its locks.
 */
const WORK_MS = 60_000

export type Attempt<Result> = { result: Result } | { problem: Problem }

/**
 * Runs work for each item, one item after the other, so that a request occupies one connection only. A failure does not
 * affect the other items. Items that the time does not suffice for fail with `service_unavailable`.
 *
 * @param work one transaction, which does nothing if it has been done before
 */
export async function runEach<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  { log, workMs = WORK_MS }: { log: Pick<Log, 'error'>; workMs?: number },
): Promise<Attempt<Result>[]> {
  const end = performance.now() + workMs
  const attempts: Attempt<Result>[] = []
  for (const item of items) {
    attempts.push(performance.now() < end ? await attempt(() => work(item), log) : { problem: outOfTime() })
  }
  return attempts
}

async function attempt<Result>(work: () => Promise<Result>, log: Pick<Log, 'error'>): Promise<Attempt<Result>> {
  try {
    return { result: await work() }
  } catch (error) {
    const problem = toProblem(error)
    if (problem.status === 500) log.error({ err: error }, 'one order of a request with many orders failed')
    return { problem }
  }
}

function outOfTime(): Problem {
  return httpProblems.service_unavailable(
    'The time of the request ended before this order. Repeat the request: orders that are done do not change again.',
  )
}

/** Tells whether a repeated request could do what these attempts could not, so that their response must not be stored. */
export function isWorthRepeating(attempts: readonly Attempt<unknown>[]): boolean {
  return attempts.some((one) => 'problem' in one && one.problem.status >= 500)
}

export function toFailureBody({ code, title, status, detail }: Problem): FailureBody {
  return { code, title, status, detail }
}
