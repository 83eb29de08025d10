import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { signUp } from '../scripts/lib/client.ts'
import { runScript } from './lib/child.ts'
import { load, median, quantile, repeat } from './lib/load.ts'
import { post } from './lib/post.ts'
import { report } from './lib/report.ts'
import type { Subject } from './lib/subject.ts'

const ROUNDS = 3
const SECONDS = 5
/** The number of concurrent sign-ins, which is large enough to keep the queue of password hashes filled. */
const CONCURRENCY = 8

/** Compares sign-ins with password hashing alone, and measures reads during many concurrent sign-ins. */
export async function benchLogin({ service, base, token, designId }: Subject): Promise<void> {
  const login = await loginsInTurn(service.origin, `${base}/api/auth/login`)
  const bareRate = async () =>
    Number(await runScript(join(import.meta.dirname, 'lib/bare-argon2.ts'), [String(SECONDS), String(CONCURRENCY)]))
  const rounds = []
  await repeat(login, { concurrency: CONCURRENCY, seconds: 2 })
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push({ bare: await bareRate(), ours: await repeat(login, { concurrency: CONCURRENCY, seconds: SECONDS }) })
  }
  const ratio = median(rounds.map((round) => round.ours.perSecond / round.bare))
  report({
    figure: 'login',
    value: median(rounds.map((round) => round.ours.perSecond)),
    limit: median(rounds.map((round) => round.bare)),
    unit: 'logins/s',
    ratio,
    aim: 'at least 0.9',
    reached: ratio >= 0.9,
    p50Ms: median(rounds.map((round) => quantile(round.ours.sortedMs, 0.5))),
  })
  const reads = { connections: 4, seconds: SECONDS, headers: { authorization: `Bearer ${token}` } }
  const [meanwhile] = await Promise.all([
    load(`${base}/designs/${designId}`, reads),
    repeat(login, { concurrency: CONCURRENCY, seconds: SECONDS }),
  ])
  report({
    figure: 'reads during continuous sign-ins, p99',
    value: meanwhile.p99Ms,
    limit: 50,
    unit: 'ms',
    ratio: meanwhile.p99Ms / 50,
    aim: 'under 50 ms',
    reached: meanwhile.p99Ms < 50,
    readsPerSecond: meanwhile.perSecond,
  })
}

/**
 * Returns a function that signs in to different accounts in rotation, because an account may have only a few concurrent
 * sign-ins.
 */
async function loginsInTurn(origin: string, address: string): Promise<() => Promise<unknown>> {
  const people: { email: string; password: string }[] = []
  for (let person = 0; person < CONCURRENCY; person += 1) {
    const one = { email: `storm-${randomUUID()}@example.com`, password: `a measured walk ${randomUUID()}` }
    await signUp(origin, one.email, one.password)
    people.push(one)
  }
  return async () => {
    const person = people.shift()
    if (person === undefined) throw new Error('more concurrent sign-ins than accounts')
    await post(address, person)
    people.push(person)
  }
}
