import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDownloadLimits } from './download-limits.ts'

const staff = (account: string) => ({ account, isCustomer: false })
const customer = (account: string) => ({ account, isCustomer: true })
/** A customer without an order. Guests and new customers of one network have shares with the same beginning. */
const newcomer = (account: string, network: string) => ({ account, share: `guests ${network}aa`, isCustomer: true })
const anonymous = (account: string) => ({ account, anonymousNetwork: '192.0.2.0/24', isCustomer: false })

/** Begins downloads until the limit. Returns how many there were. */
function countOf(begin: () => unknown): number {
  for (let begun = 0; ; begun += 1) {
    try {
      begin()
    } catch {
      return begun
    }
  }
}

test('an account has 16 downloads at the same time, and gets another one when one has ended', () => {
  const begin = createDownloadLimits()
  const ends = Array.from({ length: 16 }, () => begin(customer('usr_1')))
  assert.throws(() => begin(customer('usr_1')))
  begin(customer('usr_2'))
  ends[0]?.()
  ends[0]?.()
  begin(customer('usr_1'))
  assert.throws(() => begin(customer('usr_1')))
})

test('new customers and IP addresses of one network together have at most 48 downloads', () => {
  for (const visitor of [(n: number) => newcomer(`usr_${n}`, 'abc'), (n: number) => anonymous(`192.0.2.${n}`)]) {
    const begin = createDownloadLimits()
    const begun = Array.from({ length: 40 }, (_, n) => countOf(() => begin(visitor(n))))
    assert.equal(
      begun.reduce((sum, one) => sum + one),
      48,
    )
    begin(newcomer('usr_other', 'xyz'))
  }
})

test('visitors of any number of networks leave half to customers, and those leave some to staff', () => {
  const begin = createDownloadLimits()
  const sumOf = (callers: Parameters<typeof begin>[0][]) =>
    callers.map((caller) => countOf(() => begin(caller))).reduce((sum, one) => sum + one)
  const networks = ['abc', 'def', 'ghj', 'kmn', 'pqr']
  const newcomers = networks.flatMap((network) => Array.from({ length: 8 }, (_, n) => newcomer(network + n, network)))
  assert.equal(sumOf(newcomers), 128)
  assert.equal(sumOf(Array.from({ length: 20 }, (_, n) => customer(`usr_${n}`))), 96)
  assert.equal(sumOf([staff('usr_staff')]), 16)
})

test('work of the service itself has no limit', () => {
  const begin = createDownloadLimits()
  for (let n = 0; n < 1_000; n += 1) begin(undefined)
})
