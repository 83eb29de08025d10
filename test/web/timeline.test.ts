import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TIMELINE_TYPES } from '../../src/orders/events.ts'
import { TIMELINE_TEXTS } from '../../web/console/src/orders/order/timeline/timeline-texts.ts'

test('the console has a text for each type of change that the service records in the timeline of an order', () => {
  assert.deepEqual(Object.keys(TIMELINE_TEXTS).sort(), [...TIMELINE_TYPES].sort())
})
