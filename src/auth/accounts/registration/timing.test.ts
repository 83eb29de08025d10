import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { startService, type TestService } from '../../../../test/harness.ts'
import { newId } from '../../ids.ts'
import { createPasswordHasher } from '../../passwords/hasher.ts'
import { emailPseudonym } from '../../users/email-pseudonym.ts'

const PAIRS = 200
const PASSWORD = 'gravel tango lighthouse'

/** Other load on the machine can make a single series differ. A real difference appears in every series. */
const ROUNDS = 3

interface Accounts {
  verified: string[]
  unverified: string[]
  /** Accounts that are not verified and to which a mail was just sent. */
  mailed: string[]
  unknown: string[]
}

/** Requests that an attacker can send about an email address, with the kind of account that each might reveal. */
const REQUESTS = [
  { path: '/login', known: 'verified', password: true },
  { path: '/register', known: 'verified', password: true },
  { path: '/password/forgot', known: 'verified', password: false },
  { path: '/email/resend', known: 'unverified', password: false },
  { path: '/email/resend', known: 'mailed', password: false },
] as const

// A cheap hash takes little time, so that it does not hide other differences, but it takes enough time to show whether
// it is computed.
const CHEAP = { memoryKiB: 8192, passes: 1, lanes: 1 }

test('EN-4: the response time does not reveal whether an email has an account', async (t) => {
  const service = await startService(t, {
    env: { PLATEN_LOGIN_ATTEMPTS: '1000', PLATEN_LOGIN_ATTEMPTS_PER_IP: '100000' },
  })
  service.services.auth.services.hasher = createPasswordHasher(CHEAP)
  for (const { path, known, password } of REQUESTS) {
    const send = (email: string) => {
      const body = password ? { email, password: PASSWORD } : { email }
      return service.request('POST', `/api/auth${path}`, { body })
    }
    const findings: string[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const accounts = await addAccounts(service)
      const { p, gap } = compare(await measure(accounts[known], accounts.unknown, send))
      if (p > 0.01 || gap < 0.1) break
      findings.push(`p = ${p.toExponential(1)}, the medians differ by ${(gap * 100).toFixed(0)} %`)
    }
    const outcome = `${path} (${known}): ${findings.join('; ') || 'no difference'}`
    t.diagnostic(outcome)
    assert.ok(findings.length < ROUNDS, outcome)
  }
})

async function addAccounts({ db, services }: TestService): Promise<Accounts> {
  const newEmails = (): string[] => Array.from({ length: PAIRS }, () => `${randomBytes(8).toString('hex')}@example.com`)
  const accounts = { verified: newEmails(), unverified: newEmails(), mailed: newEmails(), unknown: newEmails() }
  const at = new Date()
  const passwordHash = await services.auth.services.hasher.hash('the password of everybody')
  const rows = (['verified', 'unverified', 'mailed'] as const).flatMap((kind) =>
    accounts[kind].map((email) => ({
      id: newId('user'),
      email,
      role: 'customer',
      password_hash: passwordHash,
      email_verified_at: kind === 'verified' ? at : null,
      created_at: at,
      updated_at: at,
    })),
  )
  await db.insertInto('users').values(rows).execute()
  const { keys } = services.auth.services
  const history = accounts.mailed.map((email) => ({
    kind: 'verify_email',
    address: emailPseudonym(keys, email),
    sent_at: [at],
  }))
  await db.insertInto('mail_history').values(history).execute()
  return accounts
}

/** Measures milliseconds per email address, in pairs of a known and an unknown one whose order alternates. */
async function measure(
  known: string[],
  unknown: string[],
  send: (email: string) => Promise<unknown>,
): Promise<[number[], number[]]> {
  const timed = async (email: string): Promise<number> => {
    const startedAt = performance.now()
    await send(email)
    return performance.now() - startedAt
  }
  const times: [number[], number[]] = [[], []]
  for (const [index, email] of known.entries()) {
    const pair = [email, unknown[index] ?? '']
    for (const which of index % 2 === 0 ? [0, 1] : [1, 0]) times[which]?.push(await timed(pair[which] ?? ''))
  }
  return times
}

/**
 * Runs a two-sided Mann-Whitney U test with the normal approximation. `gap` is the relative difference of the medians.
 */
function compare([a, b]: [number[], number[]]): { p: number; gap: number } {
  const all = [...a.map((time) => ({ time, isFirst: true })), ...b.map((time) => ({ time, isFirst: false }))]
  all.sort((x, y) => x.time - y.time)
  const rankSum = all.reduce((sum, { isFirst }, index) => sum + (isFirst ? index + 1 : 0), 0)
  const u = rankSum - (a.length * (a.length + 1)) / 2
  const deviation = Math.sqrt((a.length * b.length * (a.length + b.length + 1)) / 12)
  const z = Math.abs(u - (a.length * b.length) / 2) / deviation
  const [first, second] = [median(a), median(b)]
  return { p: 2 * (1 - normalCumulative(z)), gap: Math.abs(first - second) / Math.max(first, second) }
}

function median(values: number[]): number {
  return values.toSorted((x, y) => x - y)[Math.floor(values.length / 2)] ?? 0
}

/** The normal distribution by Abramowitz and Stegun, 26.2.17. The error is below 1e-7. */
function normalCumulative(z: number): number {
  const t = 1 / (1 + 0.2316419 * z)
  const tail = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return 1 - (Math.exp(-(z * z) / 2) / Math.sqrt(2 * Math.PI)) * tail
}

test('EN-4: the comparison finds a difference of a fifth in noisy series, and none in equal series', () => {
  // A linear congruential generator gives a reproducible series of numbers from 0 to 1.
  let state = 1
  const random = (): number => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  const times = (from: number): number[] => Array.from({ length: PAIRS }, () => from + 10 * random() ** 4)
  const same = compare([times(10), times(10)])
  assert.ok(same.p > 0.01 || same.gap < 0.1, JSON.stringify(same))
  const other = compare([times(10), times(12)])
  assert.ok(other.p <= 0.01 && other.gap >= 0.1, JSON.stringify(other))
})
