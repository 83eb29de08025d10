import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

type Failed = Extract<TestEvent, { type: 'test:fail' }>['data']
type Counted = 'pass' | 'fail' | 'cancelled' | 'skipped' | 'todo'
type Tally = Record<Counted, number>

/** Maximum number of files that run again. If more fail, the cause is not the load of the computer. */
const MOST = 4

/**
 * Runs the test files, and then those with failures once more, alone. If a file fails only beside others, its timing is
 * at fault, and not the service: a busy computer must not refuse a correct change. The events name such files, so that
 * the test can be mended. The closing counts include each file once, with its last result.
 *
 * @param run runs files of the test runner and returns its events
 * @param groups modules for the first run, which may load several test files each
 * @param files the test files. A failure outside them, such as the end of a process, is final.
 */
export async function* rerunFailures(
  run: (modules: readonly string[]) => AsyncIterable<TestEvent>,
  groups: readonly string[],
  files: ReadonlySet<string>,
): AsyncGenerator<TestEvent> {
  const startedAt = performance.now()
  const tallies = new Map<string, Tally>()
  const again = new Set<string>()
  const closing: TestEvent[] = []
  for await (const event of run(groups)) {
    if (event.type === 'test:fail' && runsAgain(event.data, files, again)) {
      yield* asPostponed(event.data)
      continue
    }
    count(tallies, event)
    if (isClosing(event)) closing.push(event)
    else yield event
  }
  if (again.size === 0) {
    yield* closing
    return
  }
  for (const file of again) tallies.delete(file)
  for await (const event of run([...again])) {
    count(tallies, event)
    if (!isClosing(event)) yield event
  }
  yield* closingOf(tallies, again, closing, startedAt)
}

function runsAgain({ file }: Failed, files: ReadonlySet<string>, again: Set<string>): boolean {
  if (file === undefined || !files.has(file) || (!again.has(file) && again.size === MOST)) return false
  again.add(file)
  return true
}

/** Shows the failure where it occurred, but not among those at the end of the run. */
function* asPostponed(data: Failed): Generator<TestEvent> {
  const { file = '', details } = data
  yield { type: 'test:stderr', data: { file, message: `${data.name}: ${inspect(details.error)}\n` } }
  const { error: _, ...rest } = details
  yield { type: 'test:pass', data: { ...data, details: rest, todo: 'failed, its file runs once more' } }
}

/** The runner ends with its counts as diagnostics, and a summary of all files. */
function isClosing(event: TestEvent): boolean {
  if (event.type === 'test:summary') return event.data.file === undefined
  return event.type === 'test:diagnostic' && event.data.file === undefined && event.data.nesting === 0
}

function count(tallies: Map<string, Tally>, event: TestEvent): void {
  if (event.type !== 'test:pass' && event.type !== 'test:fail') return
  const { file = '', details } = event.data
  if (details.type === 'suite') return
  const tally = tallies.get(file) ?? { pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 }
  tallies.set(file, tally)
  tally[countedAs(event)] += 1
}

function countedAs({ type, data }: Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>): Counted {
  if (data.skip !== undefined) return 'skipped'
  if (data.todo !== undefined) return 'todo'
  if (type === 'test:pass') return 'pass'
  return inspect(data.details.error).includes('cancelledByParent') ? 'cancelled' : 'fail'
}

function* closingOf(
  tallies: Map<string, Tally>,
  again: Set<string>,
  closing: TestEvent[],
  startedAt: number,
): Generator<TestEvent> {
  const totals: Tally = { pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 }
  for (const tally of tallies.values()) {
    for (const name of Object.keys(totals) as Counted[]) totals[name] += tally[name]
  }
  const say = (message: string): TestEvent => ({
    type: 'test:diagnostic',
    data: { nesting: 0, message, level: 'info' },
  })
  for (const file of again) {
    const { fail = 0, cancelled = 0 } = tallies.get(file) ?? {}
    yield say(`${fail + cancelled === 0 ? 'passed' : 'failed'} when run again: ${file}`)
  }
  yield say(`tests ${Object.values(totals).reduce((sum, value) => sum + value)}`)
  for (const [name, value] of Object.entries(totals)) yield say(`${name} ${value}`)
  yield say(`duration_ms ${Math.round(performance.now() - startedAt)}`)
  for (const event of closing) {
    if (event.type === 'test:summary') {
      yield { type: 'test:summary', data: { ...event.data, success: totals.fail + totals.cancelled === 0 } }
    }
  }
}
