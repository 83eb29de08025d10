import { createHash } from 'node:crypto'
import type { Config } from '../../config/index.ts'
import type { Log } from '../../platform/log.ts'
import { fetchOutbound } from '../../platform/outbound-http.ts'

export interface RangeDeps {
  config: Pick<Config, 'passwordRangeUrl'>
  log: Log
}

/** Have I Been Pwned responds with 800 to 1000 lines of some 40 bytes. */
const LIMITS = { timeoutMs: 2_000, maxBytes: 512 * 1024 }

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
  const response = await fetchOutbound(url, { headers: { 'Add-Padding': 'true' }, ...LIMITS })
  if (response.status !== 200) {
    await response.discard()
    throw new Error(`the status was ${response.status}`)
  }
  return (await response.read()).toString('latin1')
}

/** Lines are `35 digits:count`; padding has the count 0. */
function names(range: string, suffix: string): boolean {
  return range.split(/\r?\n/).some((line) => {
    const [digits = '', count = '0'] = line.split(':')
    return digits.trim().toUpperCase() === suffix && Number(count) > 0
  })
}
