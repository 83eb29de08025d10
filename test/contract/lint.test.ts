import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { createConfig, lint } from '@redocly/openapi-core'

test('openapi.json passes the recommended rules of Redocly without errors or warnings', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lint({ ref: join(import.meta.dirname, '../../openapi.json'), config })
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
    [],
  )
})
