import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createConfig, lint } from '@redocly/openapi-core'
import spectral from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'

// The packages disagree about the type of rulesets.
const OAS = rulesets.oas as unknown as spectral.RulesetDefinition
const DOCUMENT = join(import.meta.dirname, '../../openapi.json')

test('openapi.json passes the recommended rules of Redocly without errors or warnings', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lint({ ref: DOCUMENT, config })
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
    [],
  )
})

test('openapi.json passes the rules spectral:oas without errors or warnings', async () => {
  const linter = new spectral.Spectral()
  linter.setRuleset({ extends: [OAS] })
  const problems = await linter.run(await readFile(DOCUMENT, 'utf8'))
  assert.deepEqual(
    problems.map(({ code, message, path }) => `${code}: ${message} ${path.join('/')}`),
    [],
  )
})
