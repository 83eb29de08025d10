import { Counter, type Registry } from 'prom-client'
import type { Clock } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/log.ts'

const LOG_PAUSE_MS = 3_600_000

/** Reports to the operators of the installation that the cap on text messages rejects some. */
export interface SmsCapAlarm {
  refused(): void
}

/** Logs at most one line an hour, and counts every rejection. */
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
    help: 'Text messages refused because the service sends no more in this hour (PLATEN_SMS_PER_HOUR).',
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
