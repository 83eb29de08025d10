import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defineProblems, Problem } from '../problem.ts'
import { type Inspection, requireAccepted } from './inspection.ts'

const problems = defineProblems({ card_unreadable: { status: 422, title: 'The card cannot be read' } })

function judge(inspection: Inspection<number, 'card_unreadable'>): unknown {
  try {
    return requireAccepted(inspection, problems)
  } catch (error) {
    assert.ok(error instanceof Problem)
    return [error.status, error.code, error.detail, error.extras.headers]
  }
}

test('if no process is free, the file is not inspected and the client gets 503', () => {
  const detail = 'Too many files are being inspected. Try again later.'
  assert.deepEqual(judge({ outcome: 'busy' }), [503, 'service_unavailable', detail, { 'Retry-After': '3' }])
})

test('the response for a rejected file is the problem with its code', () => {
  const refused = judge({ outcome: 'card_unreadable', detail: 'It is blank.' })
  assert.deepEqual(refused, [422, 'card_unreadable', 'It is blank.', undefined])
  assert.equal(judge({ outcome: 'accepted', info: 7 }), 7)
})
