import { Counter, type Registry } from 'prom-client'
import type { Clock } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/log.ts'

const LOG_PAUSE_MS = 3_600_000

/**
 * Reports to the operators of the installation that text messages are rejected because `PLATEN_SMS_PER_HOUR` is
 * reached.
 */
export interface SmsCapAlarm {
  refused(): void
}

/** Counts every rejected message in a metric, and logs at most one line an hour. */
export function createSmsCapAlarm({
  clock,
  log,
  registry,
}: {
  clock: Clock
  log: Log
  registry: Registry
}): SmsCapAlarm {
  const capped = new Counter({
    name: 'platen_sms_capped_total',
    help: 'Text messages rejected because the limit of messages an hour is reached (PLATEN_SMS_PER_HOUR).',
    registers: [registry],
  })
  let loggedAt: number | undefined
  return {
    refused: () => {
      capped.inc()
      const now = clock.now().getTime()
      if (loggedAt !== undefined && now - loggedAt < LOG_PAUSE_MS) return
      loggedAt = now
      log.error('text messages are rejected: PLATEN_SMS_PER_HOUR is reached; an attacker may be causing the messages')
    },
  }
}
