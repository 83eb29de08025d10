import type { EditorStore } from '../../../state/editor-store.ts'
import type { Journal } from '../../journal/journal-entry.ts'
import { SaveError } from '../../save-error.ts'
import type { SaveProblem } from '../../saving-types.ts'
import { codeOf, designStatusOf, retryAfterMs, toProblem, warningOf } from '../../to-problem.ts'
import { mergeWithService, type SaveRequests, sendChanges } from '../requests.ts'
import type { StateHolder } from '../state-holder.ts'
import { type Delays, SHORT_WAIT_MS, waitAfter } from './delays.ts'
import { createSchedule } from './schedule.ts'

/** Runs the attempts to save, one after the other. */
export interface Attempts {
  /** Starts an attempt some time after a change. */
  touch(): void
  /** Forgets changes that were taken back. */
  cancel(): void
  isRunning(): boolean
  /** Starts an attempt now, unless one runs. It never fails: the state has the problem. */
  run(): Promise<void>
  /** Starts an attempt if it may help: now, or as soon as the service wants one. */
  resume(): void
  /** @throws {SaveError} if the changes cannot be saved */
  flush(): Promise<void>
  /**
   * Merges with the version of the service.
   *
   * @throws errors of `designs.get`
   */
  refresh(): Promise<void>
  /** Ends the waiting of `flush` for the customer. */
  endDecision(): void
  problemOf(error: unknown): SaveProblem
  writeJournal(): void
}

export interface AttemptDeps {
  store: EditorStore
  requests: SaveRequests
  journal: Journal
  holder: StateHolder
  delays: Delays
  now(): number
}

/** How often changes from elsewhere may come before the save of a merge, until the saver waits. */
const MERGES_IN_A_ROW = 5

export function createAttempts(deps: AttemptDeps): Attempts {
  const { requests, journal, holder, delays, now } = deps
  const { tracker } = requests
  const schedule = createSchedule({ ...delays, run: () => void run() })
  const untilDecided: (() => void)[] = []
  let running: Promise<void> | undefined
  let failures = 0
  /** Before this time, by `performance.now()`, the service does not want another attempt. */
  let notBefore = 0

  const writeJournal = (): void => {
    if (tracker.isDirty()) journal.keep(tracker.entry(now()))
    else journal.clear()
  }
  const problemOf = (error: unknown): SaveProblem =>
    toProblem(error, { content: tracker.content(), isKept: journal.isKeeping() })
  const fail = (error: unknown): void => {
    failures += 1
    const problem = problemOf(error)
    notBefore = performance.now() + (retryAfterMs(error) ?? 0)
    endEditing(deps.store, error)
    holder.publish({ problem })
    const wait = waitAfter(problem, failures, delays)
    if (wait !== undefined) schedule.runIn(wait)
  }
  const save = async (): Promise<void> => {
    const warning = await saveAll({ requests, holder, writeJournal })
    if (tracker.conflicts().length > 0) return
    failures = 0
    notBefore = 0
    holder.publish({ problem: warning, savedAt: now() })
  }
  const end = (): void => {
    running = undefined
    writeJournal()
    holder.setRunning(false)
    if (tracker.isDirty() && !holder.isHeld()) schedule.touch()
  }
  const run = (): Promise<void> => {
    schedule.cancel()
    running ??= save().catch(fail).finally(end)
    holder.setRunning(true)
    return running
  }
  const refresh = async (): Promise<void> => {
    while (running !== undefined) await running
    const reading = mergeWithService(requests)
    running = reading.then(holder.notify, () => undefined).finally(end)
    await running
    await reading
    const { status } = tracker.saved()
    if (status === 'finalized' || status === 'archived') deps.store.set({ isEditable: false })
    if (!tracker.isDirty()) schedule.cancel()
  }
  const runForFlush = async (): Promise<void> => {
    const { problem: known } = holder.get()
    const wait = notBefore - performance.now()
    if (wait > SHORT_WAIT_MS && known !== undefined) throw new SaveError(known)
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    await run()
    const { problem, conflicts } = holder.get()
    if (holder.isHeld() && problem !== undefined && conflicts.length === 0) throw new SaveError(problem)
  }
  return {
    ...{ touch: schedule.touch, cancel: schedule.cancel, run, refresh, problemOf, writeJournal },
    isRunning: () => running !== undefined,
    resume() {
      if (!tracker.isDirty() || tracker.conflicts().length > 0) return
      const wait = notBefore - performance.now()
      if (wait > 0) schedule.runIn(wait)
      else void run()
    },
    async flush() {
      for (;;) {
        if (running !== undefined) await running
        else if (tracker.conflicts().length > 0) await new Promise<void>((resolve) => untilDecided.push(resolve))
        else if (!tracker.isDirty()) return
        else await runForFlush()
      }
    },
    endDecision() {
      for (const resolve of untilDecided.splice(0)) resolve()
    },
  }
}

interface SaveAll extends Pick<AttemptDeps, 'requests' | 'holder'> {
  writeJournal(): void
}

/** Saves until the service has everything, or there is a conflict. Returns the warning of the last save. */
async function saveAll({ requests, holder, writeJournal }: SaveAll): Promise<SaveProblem | undefined> {
  const { tracker } = requests
  for (let merges = 0; tracker.isDirty() && tracker.conflicts().length === 0; merges++) {
    if (merges > MERGES_IN_A_ROW) throw new Error('The design changes too often elsewhere.')
    const sent = sendChanges(requests)
    writeJournal()
    const design = await sent
    if (design !== undefined) return warningOf(design.preflight)
    holder.notify(await mergeWithService(requests))
  }
  const { problem } = holder.get()
  return problem?.behaviour === 'warn' ? problem : undefined
}

/** A design that was finalized or archived meanwhile can no longer be changed. */
function endEditing(store: EditorStore, error: unknown): void {
  const status = codeOf(error) === 'design_not_draft' ? designStatusOf(error) : undefined
  if (status !== 'finalized' && status !== 'archived') return
  store.set({ design: { ...store.get().design, status }, isEditable: false })
}
