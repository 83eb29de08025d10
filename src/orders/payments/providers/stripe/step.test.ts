import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beginStep } from './step.ts'

test('the requests of a step end with its time, however long each may take', async () => {
  const ask = beginStep({ timeoutMs: 60_000, stepMs: 20 })
  const timeouts: (number | undefined)[] = []
  const hang = ({ timeout }: { timeout?: number }) => {
    timeouts.push(timeout)
    return new Promise<never>(() => {})
  }
  await assert.rejects(ask(hang), /no answer in the time for this step/)
  await assert.rejects(ask(hang), /the time for this step is over/)
  assert.ok(timeouts.length === 1 && Number(timeouts[0]) <= 20)
})
