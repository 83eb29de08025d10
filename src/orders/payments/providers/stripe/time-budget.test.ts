import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTimeBudget } from './time-budget.ts'

test('the time budget ends all requests of a step', async () => {
  const send = createTimeBudget({ timeoutMs: 60_000, stepMs: 500 })
  const timeouts: (number | undefined)[] = []
  const hang = ({ timeout }: { timeout?: number }) => {
    timeouts.push(timeout)
    return new Promise<never>(() => {})
  }
  await assert.rejects(send(hang), /no response within the time limit/)
  await assert.rejects(send(hang), /the time limit of the step has passed/)
  assert.ok(timeouts.length === 1 && Number(timeouts[0]) <= 500)
})
