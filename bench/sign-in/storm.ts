import { signUp } from '../../scripts/lib/client.ts'
import { report } from '../lib/report.ts'
import type { Subject } from '../lib/subject.ts'

const REQUESTS = 500
const PEOPLE = 25

/**
 * Sends five hundred sign-ins at once. Each must get a response. For sign-ins beyond the queue, the response is 503 or
 * 429.
 */
export async function benchStorm({ service, base }: Subject): Promise<void> {
  const people: { email: string; password: string }[] = []
  for (let person = 0; person < PEOPLE; person += 1) {
    const one = { email: `storm-of-many-${person}@example.com`, password: `a measured walk ${person} through the fog` }
    await signUp(service.origin, one.email, one.password)
    people.push(one)
  }
  const begin = performance.now()
  const outcomes = await Promise.all(
    Array.from({ length: REQUESTS }, async (_, index) => {
      const body = JSON.stringify(people[index % PEOPLE])
      try {
        const headers = { 'content-type': 'application/json' }
        const answer = await fetch(`${base}/api/auth/login`, { method: 'POST', headers, body })
        await answer.arrayBuffer()
        return String(answer.status)
      } catch (error) {
        return `no response: ${String((error as Error).cause ?? error)}`
      }
    }),
  )
  const counts = Object.fromEntries(
    [...new Set(outcomes)].map((outcome) => [outcome, outcomes.filter((one) => one === outcome).length]),
  )
  const answered = outcomes.filter((outcome) => ['200', '429', '503'].includes(outcome)).length
  report({
    figure: 'responses to 500 concurrent sign-ins',
    value: answered,
    limit: REQUESTS,
    unit: 'requests',
    ratio: answered / REQUESTS,
    aim: 'all',
    reached: answered === REQUESTS,
    ...counts,
    seconds: (performance.now() - begin) / 1000,
  })
}
