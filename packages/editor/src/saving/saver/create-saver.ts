import type { Platen } from '@platen/client'
import type { EditorStore } from '../../state/editor-store.ts'
import type { Journal } from '../journal/journal-entry.ts'
import { SaveError } from '../save-error.ts'
import type { OpenedDesign, SaveProblem, Saver, SavingNotice } from '../saving-types.ts'
import { codeOf } from '../to-problem.ts'
import { type Attempts, createAttempts } from './attempts/attempts.ts'
import { DELAYS, type Delays } from './attempts/delays.ts'
import { browserPage, type PageEvents } from './attempts/page-events.ts'
import { createCopier } from './copy-design.ts'
import { restoreOnService } from './requests.ts'
import { createStateHolder, type StateHolder } from './state-holder.ts'
import { createTracker, type Tracker } from './tracker.ts'
import { contentOf, versionOf } from './versions.ts'

export interface SaverOptions {
  store: EditorStore
  client: Pick<Platen, 'designs'>
  /** The design in the store, as it was read. */
  opened: OpenedDesign
  journal: Journal
  /** Called once for each new problem. */
  onProblem?: ((problem: SaveProblem) => void) | undefined
  page?: PageEvents | undefined
  delays?: Partial<Delays> | undefined
  /** Milliseconds since 1970. */
  now?: (() => number) | undefined
}

interface Parts {
  store: EditorStore
  tracker: Tracker
  holder: StateHolder
  attempts: Attempts
}

/** Creates the saver of one design. It does nothing until `start`. */
export function createSaver(options: SaverOptions): Saver {
  const { store, client, opened, journal, onProblem, page = browserPage(), now = Date.now } = options
  const tracker = createTracker(store, versionOf(opened))
  const holder = createStateHolder({ store, tracker, onProblem })
  const requests = { designId: opened.design.id, designs: client.designs, tracker }
  const delays = { ...DELAYS, ...options.delays }
  const attempts = createAttempts({ store, requests, journal, holder, delays, now })
  const copy = createCopier(client.designs)
  const subscriptions: (() => void)[] = []

  const settle = (notice?: SavingNotice): void => {
    holder.notify(notice)
    attempts.writeJournal()
    holder.publish()
    attempts.endDecision()
    attempts.resume()
  }
  const restore = async (): Promise<void> => {
    const entry = opened.design.status === 'draft' ? await journal.takeOver() : undefined
    if (entry === 'unread') holder.notify({ kind: 'unread' })
    else if (entry !== undefined && tracker.restore(entry)) holder.notify({ kind: 'restored', at: entry.at })
  }
  const onHide = (): void => {
    void journal.writeNow()
    if (!holder.isHeld() || holder.get().problem?.behaviour === 'change') attempts.resume()
  }
  const onReturn = (): void => {
    const { isFinalizing, design } = store.get()
    if (tracker.isDirty()) attempts.resume()
    // If this fails, the customer learns of it with the next save.
    else if (!isFinalizing && !attempts.isRunning() && design.status === 'draft')
      attempts.refresh().catch(() => undefined)
  }
  return {
    get: holder.get,
    subscribe: holder.subscribe,
    flush: attempts.flush,
    resume: attempts.resume,
    refresh: attempts.refresh,
    etag: () => tracker.saved().etag,
    async start() {
      await restore()
      const follow = followStore({ store, tracker, holder, attempts })
      subscriptions.push(store.subscribe(follow), page.onHide(onHide), page.onReturn(onReturn))
      settle()
    },
    adopt: (version) => settle(tracker.take(versionOf(version), { isStep: true })),
    decide: (choices) => settle(tracker.decide(choices)),
    undoRestore() {
      tracker.undoRestore()
      holder.publish({ notices: holder.get().notices.filter(({ kind }) => kind !== 'restored') })
      settle()
    },
    async prepareReopening() {
      await journal.prepareReading()
      await attempts.flush()
    },
    dismiss: (notice) => holder.publish({ notices: holder.get().notices.filter((one) => one !== notice) }),
    async saveCopy() {
      const design = await copy(tracker.content(), store.get().design)
      journal.clear()
      return design
    },
    async restoreRevision(revision) {
      await attempts.flush()
      await restoreOnService(requests, revision).catch(async (error: unknown) => {
        // The customer restores again after seeing what came.
        if (codeOf(error) === 'precondition_failed') await attempts.refresh().catch(() => undefined)
        throw new SaveError(attempts.problemOf(error))
      })
      attempts.writeJournal()
      holder.publish({ savedAt: now() })
    },
    async stop() {
      for (const unsubscribe of subscriptions.splice(0)) unsubscribe()
      // The attempt that runs does not have the edits made since it began.
      while (attempts.isRunning() || (tracker.isDirty() && !holder.isHeld())) await attempts.run()
      attempts.cancel()
      await journal.close()
    },
  }
}

/** Returns a listener that notices changes of what is saved. */
function followStore({ store, tracker, holder, attempts }: Parts): () => void {
  let seen = contentOf(store.get())
  return () => {
    const content = contentOf(store.get())
    if (content.document === seen.document && content.name === seen.name && content.variantId === seen.variantId) return
    seen = content
    attempts.writeJournal()
    const behaviour = holder.get().problem?.behaviour
    const isTakenBack = !tracker.isDirty() && !attempts.isRunning()
    const isOver = isTakenBack && behaviour !== 'warn' && behaviour !== 'stop'
    holder.publish(isOver ? { problem: undefined } : {})
    if (isTakenBack) attempts.cancel()
    else if (!holder.isHeld() || (behaviour === 'change' && tracker.conflicts().length === 0)) attempts.touch()
  }
}
