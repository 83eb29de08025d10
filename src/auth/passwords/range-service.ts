import { createHash } from 'node:crypto'
import type { Config } from '../../config/index.ts'
import { fetchOutbound } from '../../platform/outbound-http.ts'
import type { Log } from '../../platform/telemetry/log.ts'

export interface RangeDeps {
  config: Pick<Config, 'passwordRangeUrl'>
  log: Log
}

/** Limits of a response. Have I Been Pwned returns 800 to 1000 lines of some 40 bytes. */
const LIMITS = { timeoutMs: 2_000, maxBytes: 512 * 1024 }

/** Number of hexadecimal digits of the SHA-1 that are sent to the range service. */
const PREFIX_LENGTH = 5

/**
 * Returns whether a range service lists the password as breached. In the k-anonymity protocol of Have I Been Pwned
 * (version 3), the range service receives the first five digits of the SHA-1, and adds padding to its response, so that
 * its length does not reveal the digits. If no range service is configured or it is unavailable, every password is
 * accepted.
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
      'the password range service is unavailable: a new password was not checked for breaches',
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

/**
 * Returns whether a response contains a hash. Its lines have the form `35 digits:count`; lines of the padding have the
 * count 0.
 */
function names(range: string, suffix: string): boolean {
  return range.split(/\r?\n/).some((line) => {
    const [digits = '', count = '0'] = line.split(':')
    return digits.trim().toUpperCase() === suffix && Number(count) > 0
  })
}
