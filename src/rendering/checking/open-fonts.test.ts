import assert from 'node:assert/strict'
import { truncateSync } from 'node:fs'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { until } from '../../../test/lib/until.ts'
import { scratch } from '../images/factory.ts'
import { connectPoolMemory, continueWithMemory } from '../pool/pool-memory.ts'
import { withBook } from './open-fonts.ts'

const MIB = 1024 * 1024

test('fonts that are too large to stay open claim their memory before they are opened, up to the limit of a job', async (t) => {
  const { put } = scratch(t)
  const claims: { claim: number; bytes: number }[] = []
  connectPoolMemory((message) => {
    if ('claim' in message) claims.push(message)
  })
  // Further tests run in the same process.
  t.after(() => connectPoolMemory(undefined))
  const font = (mebibytes: number) => {
    const path = put('')
    truncateSync(path, mebibytes * MIB)
    return { family: 'Large', weight: 400, style: 'normal' as const, path, sha256: 'f0'.repeat(32) }
  }
  assert.equal(await withBook([font(10), font(6)], () => 'done'), 'done')
  assert.equal(claims.length, 0)
  for (const [sizes, claimed] of [
    [[10, 7], 17],
    [[60, 60], 96],
  ] as const) {
    claims.length = 0
    let hasBegun = false
    const work = withBook(sizes.map(font), () => {
      hasBegun = true
    })
    await until('the claim', async () => claims.length > 0 || hasBegun)
    await turn()
    const [first] = claims
    assert.ok(first !== undefined && !hasBegun, 'the fonts were opened without a claim')
    assert.equal(first.bytes, 4 * claimed * MIB)
    continueWithMemory(first.claim)
    await work
    assert.ok(hasBegun)
    assert.deepEqual(claims.slice(1), [{ claim: first.claim, bytes: 0 }])
  }
})
