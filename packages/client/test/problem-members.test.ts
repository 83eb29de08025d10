import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '../../..')

/** A place that throws a problem with further members, such as: `orderProblems.quote_used({ members: { orderId`. */
const THROWN = /Problems\.(\w+)\(\{(?:(?!Problems\.)[\s\S]){0,300}?\bmembers(?:: \{([^}]*)\}| \})/g

test('the types of the client know the members of every problem', () => {
  const types = readFileSync(join(ROOT, 'packages/client/src/problem-members.ts'), 'utf8')
  const known = new Map(
    [...types.matchAll(/^ {2}(\w+): (\{.*\})$/gm)].map(([, code = '', members = '']) => [code, members]),
  )
  let found = 0
  for (const file of globSync('src/**/*.ts', { cwd: ROOT })) {
    if (file.endsWith('.test.ts')) continue
    for (const [, code = '', members = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(THROWN)) {
      // The readiness check, which is no operation, lists its parts in this way.
      if (code === 'service_unavailable') continue
      found += 1
      for (const name of namesOf(members))
        assert.ok(known.get(code)?.includes(name), `${file}: ${code} has the member ${name}`)
      assert.ok(known.has(code), `${file}: ${code}`)
    }
  }
  assert.ok(found >= 15, `${found} places`)
})

/** Returns the names of the members of an object literal, without those of calls in it and spread objects. */
function namesOf(members: string): string[] {
  const flat = members.replaceAll(/\([^)]*\)/g, '')
  return flat.split(',').flatMap((member) => /^\s*(\w+)/.exec(member)?.[1] ?? [])
}
