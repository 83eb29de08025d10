import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SECURITY_EVENT_TYPES } from '../../../../src/auth/audit/events.ts'
import { EVENT_TYPES, textOfEvent } from './security-events.ts'

const MESSAGES = join(import.meta.dirname, '../../../../packages/ui/messages')

test('staff can filter by every type of security event that the service records', () => {
  assert.deepEqual([...EVENT_TYPES].sort(), [...SECURITY_EVENT_TYPES].sort())
})

for (const language of ['en', 'de']) {
  test(`every type of security event has a text of its own (${language})`, () => {
    const { consoleAudit } = JSON.parse(readFileSync(join(MESSAGES, `${language}.json`), 'utf8'))
    const textOf = (type: string): string => consoleAudit[textOfEvent(type).replace('consoleAudit.', '')] ?? ''
    const texts = SECURITY_EVENT_TYPES.map(textOf)
    assert.ok(!texts.includes(''))
    assert.ok(!texts.includes(textOf('a_type_of_a_later_version')))
    assert.equal(new Set(texts).size, texts.length)
  })
}
