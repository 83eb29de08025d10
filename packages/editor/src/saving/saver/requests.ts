import type { Design, Platen } from '@platen/client'
import { sameContent } from '../merge/merge-contents.ts'
import type { DesignContent, SavingNotice } from '../saving-types.ts'
import { codeOf, isOutcomeUnknown } from '../to-problem.ts'
import type { Tracker } from './tracker.ts'
import { changesFrom, contentOfDesign, versionOf } from './versions.ts'

/** The saver repeats requests by itself, with what is newest then. */
const OPTIONS = { maxRetries: 0, timeoutMs: 30_000 }

export interface SaveRequests {
  designId: string
  designs: Pick<Platen['designs'], 'change' | 'get' | 'getRevision' | 'restoreRevision'>
  tracker: Tracker
}

/**
 * Sends the changes once. If the service has another version, or nothing is left to send, the result is `undefined`.
 *
 * @throws errors of `designs.change`
 */
export async function sendChanges({ designId, designs, tracker }: SaveRequests): Promise<Design | undefined> {
  const saved = tracker.saved()
  const changes = changesFrom(saved.content, tracker.content())
  // A lost response concerned changes that the customer has taken back: only the service knows whether it has them.
  if (Object.keys(changes).length === 0) return undefined
  const content = tracker.send()
  try {
    const call = designs.change(designId, changes, { ...OPTIONS, ifMatch: saved.etag })
    const { data: design, etag = '' } = await call.withResponse()
    tracker.accept(versionOf({ design, etag }), content)
    return design
  } catch (error) {
    if (!isOutcomeUnknown(error)) tracker.refuse(content)
    if (codeOf(error) === 'precondition_failed') return undefined
    throw error
  }
}

/**
 * Reads the version of the service, and merges with it.
 *
 * @throws errors of `designs.get`
 */
export async function mergeWithService(requests: SaveRequests): Promise<SavingNotice | undefined> {
  const { designId, designs, tracker } = requests
  const { data: design, etag = '' } = await designs.get(designId, OPTIONS).withResponse()
  const version = versionOf({ design, etag })
  const { revision, status } = tracker.saved()
  // A later response of another request was taken meanwhile.
  if (version.revision < revision) return undefined
  if (!tracker.isDirty()) {
    const isKnown = version.revision === revision && version.status === status
    // The form in which the service stores the content is no change of the customer.
    return isKnown ? undefined : tracker.take(version, { base: tracker.content() })
  }
  const isNear = version.revision <= revision + 1
  const base = isNear || tracker.sent().length === 0 ? undefined : await findOwnRevision(requests)
  return tracker.take(version, { base })
}

/** Returns the first version after the known one, if it is a content of this editor whose response was lost. */
async function findOwnRevision({ designId, designs, tracker }: SaveRequests): Promise<DesignContent | undefined> {
  const next = String(tracker.saved().revision + 1)
  const revision = await designs.getRevision(designId, next, OPTIONS).catch((error: unknown) => {
    // The service keeps a limited number of revisions.
    if (codeOf(error) === 'revision_not_found') return undefined
    throw error
  })
  if (revision === undefined) return undefined
  const content = contentOfDesign(revision)
  return tracker.sent().some((one) => sameContent(one, content)) ? content : undefined
}

/**
 * Gives the design the content of a revision.
 *
 * @throws errors of `designs.restoreRevision`
 */
export async function restoreOnService({ designId, designs, tracker }: SaveRequests, revision: number): Promise<void> {
  const options = { ...OPTIONS, ifMatch: tracker.saved().etag }
  const call = designs.restoreRevision(designId, String(revision), options)
  const { data: design, etag = '' } = await call.withResponse()
  tracker.take(versionOf({ design, etag }), { isStep: true })
}
