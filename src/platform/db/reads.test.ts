import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabase } from '../../../test/harness.ts'
import { createRequestContext, currentRequest, runInRequest } from '../concurrency/request-context.ts'
import { createLog } from '../telemetry/log.ts'
import { openDatabase } from './index.ts'

// Otherwise the database would wait while the service converts and sends the result.
test('a connection is used by the next read before the request of the last one goes on', async (t) => {
  const database = openDatabase({ ...(await createDatabase(t)), max: 1 }, createLog({ level: 'silent' }))
  try {
    const order: string[] = []
    await database.reads.query({ text: 'select 1', values: [] })
    database.pool.on('acquire', () => order.push('next statement'))
    const read = async (name: string) => {
      await database.reads.query({ text: 'select $1::text', values: [name] })
      order.push(name)
    }
    await Promise.all([read('first'), read('second')])
    assert.deepEqual(order, ['next statement', 'next statement', 'first', 'second'])
  } finally {
    await database.close()
  }
})

test('the bytes of a read count for its own request, also if it waited for the connection of another', async (t) => {
  const database = openDatabase({ ...(await createDatabase(t)), max: 1 }, createLog({ level: 'silent' }))
  try {
    const read = async (account: string, bytes: number) => {
      const request = { ...createRequestContext(), account }
      await runInRequest(request, async () => {
        await database.reads.query({ text: "select repeat('x', $1)", values: [bytes] })
        assert.equal(currentRequest(), request)
      })
      return request.movedBytes
    }
    const [small, large = 0] = await Promise.all([read('usr_small', 1), read('usr_large', 100_000)])
    assert.ok(small < 1_000, `${small} bytes`)
    assert.ok(large >= 100_000, `${large} bytes`)
  } finally {
    await database.close()
  }
})
