/**
 * The reference for sign-ins: password hashing alone, with the parameters of the service. The arguments are the seconds
 * and the number of concurrent hashes. Prints the hashes per second, and what one
 * takes, as JSON.
 */
import { argon2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { quantile, repeat } from '../lib/load.ts'

const [seconds, concurrency] = process.argv.slice(2).map(Number)
const hash = promisify(argon2)
const message = Buffer.from('correct horse battery staple')
const parameters = { message, nonce: randomBytes(16), parallelism: 1, memory: 19_456, passes: 2, tagLength: 32 }
const { perSecond, sortedMs } = await repeat(() => hash('argon2id', parameters), {
  concurrency: concurrency ?? 2,
  seconds: seconds ?? 5,
})
console.log(JSON.stringify({ perSecond, p50Ms: quantile(sortedMs, 0.5), p99Ms: quantile(sortedMs, 0.99) }))
