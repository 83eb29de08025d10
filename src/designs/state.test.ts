import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type DESIGN_STATUSES,
  type DesignEvent,
  etagOf,
  etagsOfContent,
  etagsOfRevision,
  nextStatus,
  statusAt,
} from './state.ts'

const now = new Date('2026-01-01T00:00:00Z')
const later = new Date('2026-01-01T00:00:01Z')

const unfailed = { lastFinalizationErrorJson: null, finalizationFailures: 0 }
const draft = { status: 'draft', revision: 3, leaseUntil: null, finalization: null, ...unfailed } as const
const finalizing = { ...draft, status: 'finalizing', leaseUntil: later } as const
const finalized = { ...draft, status: 'finalized', finalization: { price: { number: 2 } } } as const

test('a finalized design never becomes a draft again, and an archived design keeps its status', () => {
  const events: DesignEvent[] = ['change', 'begin_finalizing', 'abandon', 'finish', 'archive']
  const led = (from: (typeof DESIGN_STATUSES)[number]) => events.flatMap((event) => nextStatus(from, event) ?? [])
  assert.deepEqual(led('finalized'), ['archived'])
  assert.deepEqual(led('archived'), [])
  assert.deepEqual(led('finalizing'), ['draft', 'finalized'])
})

test('a design is a draft from the millisecond in which its lease ends', () => {
  assert.equal(statusAt(finalizing, now), 'finalizing')
  assert.equal(statusAt(finalizing, later), 'draft')
})

test('no two representations of a design share an entity tag', () => {
  const renewed = { ...finalized, finalization: { price: { number: 3 } } }
  const archived = { ...finalized, status: 'archived' } as const
  const failed = { ...draft, lastFinalizationErrorJson: '{}', finalizationFailures: 1 }
  const failedAgain = { ...failed, finalizationFailures: 2 }
  const designs = [draft, failed, failedAgain, { ...draft, revision: 4 }, finalizing, finalized, renewed, archived]
  const tags = designs.map((design) => etagOf(design, now))
  assert.equal(new Set(tags).size, designs.length)
  for (const tag of tags) assert.match(tag, /^"[\w-]+"$/)
})

test('a draft may be changed with its tag from before a failed finalization, but not with that of another revision', () => {
  const failed = { ...draft, lastFinalizationErrorJson: '{}', finalizationFailures: 1 }
  assert.deepEqual(etagsOfContent(failed, now), [etagOf(failed, now), etagOf(draft, now)])
  assert.deepEqual(etagsOfContent(finalized, now), [etagOf(finalized, now)])
  // Finalizing clears the error. If its response is lost, the client repeats the request with the tag that included the
  // error.
  const begun = { ...finalizing, finalizationFailures: 1 }
  assert.ok(etagsOfRevision(begun, now).includes(etagOf(failed, now)))
})

test('finalize accepts every tag that the revision has had, and no other', () => {
  const tags = etagsOfRevision(finalized, now)
  for (const design of [draft, finalizing, finalized, { ...finalized, finalization: { price: { number: 1 } } }]) {
    assert.ok(tags.includes(etagOf(design, now)))
  }
  assert.ok(!tags.includes(etagOf({ ...draft, revision: 2 }, now)))
})
