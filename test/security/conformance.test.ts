import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { conformanceDocument, testsByRequirement } from '../../scripts/lib/checks/security-conformance.ts'
import { SECURITY_REQUIREMENTS } from '../../scripts/lib/checks/security-requirements.ts'

test('every security requirement has a test, and every named requirement exists', () => {
  const tests = testsByRequirement()
  const ids = SECURITY_REQUIREMENTS.map(({ id }) => id)
  assert.deepEqual(
    ids.filter((id) => !tests.has(id)),
    [],
  )
  assert.deepEqual(
    [...tests.keys()].filter((id) => !ids.includes(id)),
    [],
  )
})

test('docs/SECURITY-CONFORMANCE.md matches the requirements and tests', () => {
  const committed = readFileSync(join(import.meta.dirname, '../../docs/SECURITY-CONFORMANCE.md'), 'utf8')
  // The texts are not compared with `assert.equal`, because the difference would fill several screens.
  assert.ok(committed === conformanceDocument(), 'run: node scripts/security-conformance.ts')
})
