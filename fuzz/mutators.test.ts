import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from './lib/random.ts'
import { loadTarget, TARGET_NAMES } from './lib/target.ts'

for (const name of TARGET_NAMES) {
  test(`a case of ${name} is determined by its seed and number, and differs from others`, async () => {
    const { seeds, mutate } = await loadTarget(name)
    const [first, second] = seeds
    assert.ok(first !== undefined && second !== undefined)
    const inputOf = (seed: number, number: number) => mutate(createRandom(seed, number), first, second)
    const inputs = Array.from({ length: 30 }, (_, number) => inputOf(1, number).toString('base64'))
    assert.deepEqual(
      inputs,
      inputs.map((_, number) => inputOf(1, number).toString('base64')),
    )
    const others = inputs.map((_, number) => inputOf(2, number).toString('base64'))
    assert.ok(new Set([...inputs, ...others]).size > 30, 'Most cases differ')
  })
}
