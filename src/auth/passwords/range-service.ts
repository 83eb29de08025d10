import { createHash } from 'node:crypto'
import type { Config } from '../../config/index.ts'
import { readLimitedBody } from '../../platform/limited-body.ts'
import type { Log } from '../../platform/log.ts'

export interface RangeDeps {
  config: Pick<Config, 'passwordRangeUrl'>
  log: Log
}

const TIMEOUT_MS = 2_000

/** Have I Been Pwned responds with 800 to 1000 lines of some 40 bytes. */
const MAX_BYTES = 512 * 1024

/** Hexadecimal digits of the SHA-1 that the range service sees. */
const PREFIX_LENGTH = 5

/**
 * Returns whether a range service lists the password as breached. By the k-anonymity protocol of Have I Been Pwned, v3,
 * the service sees the first five digits of the SHA-1; padding hides how many passwords share them. Without a range
 * service, or during an outage, every password passes.
 */
export async function isBreached({ config, log }: RangeDeps, password: string): Promise<boolean> {
  if (config.passwordRangeUrl === undefined) return false
  const digest = createHash('sha1').update(password).digest('hex').toUpperCase()
  const prefix = digest.slice(0, PREFIX_LENGTH)
  try {
    return names(await readRange(`${config.passwordRangeUrl}/${prefix}`), digest.slice(PREFIX_LENGTH))
  } catch (error) {
    log.warn(
      { reason: (error as Error).message },
      'the password range service does not answer: a password goes unchecked',
    )
    return false
  }
}

async function readRange(url: string): Promise<string> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const answer = await fetch(url, { headers: { 'Add-Padding': 'true' }, redirect: 'error', signal })
  if (answer.status !== 200) {
    await answer.body?.cancel()
    throw new Error(`the status was ${answer.status}`)
  }
  const body = await readLimitedBody(answer, MAX_BYTES)
  if (body === undefined) throw new Error(`the response is longer than ${MAX_BYTES} bytes`)
  return body.toString('latin1')
}

/** Lines are `35 digits:count`; padding has the count 0. */
function names(range: string, suffix: string): boolean {
  return range.split(/\r?\n/).some((line) => {
    const [digits = '', count = '0'] = line.split(':')
    return digits.trim().toUpperCase() === suffix && Number(count) > 0
  })
}
