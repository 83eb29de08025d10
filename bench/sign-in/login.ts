import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { signUp } from '../../scripts/lib/client.ts'
import { compare } from '../generator/compare.ts'
import { generate } from '../generator/generator.ts'
import { runScript } from '../lib/child.ts'
import { load } from '../lib/load.ts'
import { report } from '../lib/report.ts'
import type { Subject } from '../lib/subject.ts'

const SECONDS = 3
/** The number of concurrent sign-ins, which is large enough to keep the queue of password hashes filled. */
const CONNECTIONS = 8
/** An account may have only a few concurrent sign-ins. */
const ACCOUNTS = 16

/** Compares sign-ins with password hashing alone, and measures reads during many concurrent sign-ins. */
export async function benchLogin({ service, base, token, designId, postgresPid }: Subject): Promise<void> {
  const people: string[] = []
  for (let person = 0; person < ACCOUNTS; person += 1) {
    const one = { email: `storm-${randomUUID()}@example.com`, password: `a measured walk ${randomUUID()}` }
    await signUp(service.origin, one.email, one.password)
    people.push(JSON.stringify(one))
  }
  const post = { bodies: people }
  const login = () => generate({ url: `${base}/api/auth/login`, connections: CONNECTIONS, seconds: SECONDS, post })
  const script = join(import.meta.dirname, 'bare-argon2.ts')
  await compare({
    figure: 'login',
    unit: `logins/s at ${CONNECTIONS} connections`,
    aim: 0.93,
    ours: { pid: service.child.pid, run: login },
    limit: {
      pid: undefined,
      run: async () => JSON.parse(await runScript(script, [String(SECONDS), String(CONNECTIONS)])),
    },
    postgresPid,
  })
  const reads = { connections: 4, seconds: SECONDS, headers: { authorization: `Bearer ${token}` } }
  const [meanwhile] = await Promise.all([load(`${base}/designs/${designId}`, reads), login()])
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
