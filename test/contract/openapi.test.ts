import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startService } from '../harness.ts'

interface Operation {
  operationId?: string
  summary?: string
  tags?: string[]
  responses?: Record<string, unknown>
}

test('the committed openapi.json matches the running service', async (t) => {
  const service = await startService(t)
  const { body } = await service.request('GET', '/openapi.json')
  const committed = JSON.parse(await readFile(join(import.meta.dirname, '../../openapi.json'), 'utf8'))
  // The committed document names no origin, because it is the same in every installation.
  assert.deepEqual(body.servers, [{ url: 'http://platen.localhost/v1' }])
  assert.deepEqual({ ...body, servers: committed.servers }, committed, 'run: npm run openapi')
})

test('every operation has a description and documents its responses', async (t) => {
  const service = await startService(t)
  const { body } = await service.request('GET', '/openapi.json')
  const ids = new Set<string>()
  for (const [path, operations] of Object.entries<Record<string, Operation>>(body.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const name = `${method} ${path}`
      assert.ok(
        operation.operationId !== undefined && !ids.has(operation.operationId),
        `${name}: operationId missing or used twice`,
      )
      ids.add(operation.operationId)
      assert.ok(operation.summary !== undefined && operation.tags?.length === 1, `${name}: summary or tag missing`)
      assert.ok(
        Object.keys(operation.responses ?? {}).some((status) => /^[23]\d\d$/.test(status)),
        `${name}: no answer documented`,
      )
    }
  }
})

test('every problem that a client can get has a page', async (t) => {
  const service = await startService(t)
  const index = await service.request('GET', `${service.origin}/problems`)
  const codes = [...index.text.matchAll(/\/problems\/(\w+)"/g)].map((match) => match[1])
  assert.ok(codes.length > 30)
  for (const code of codes)
    assert.equal((await service.request('GET', `${service.origin}/problems/${code}`)).status, 200)
  const problem = await service.request('GET', '/designs/dsn_none')
  assert.equal(problem.body.type, `http://platen.localhost/problems/${problem.body.code}`)
})
