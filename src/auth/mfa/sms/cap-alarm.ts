import { Counter, type Registry } from 'prom-client'
import type { Clock } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/log.ts'

const LOG_PAUSE_MS = 3_600_000

/** Tells the operators of the installation that text messages are being refused because there were too many. */
export interface SmsCapAlarm {
  refused(): void
}

/** A line in the log once an hour, and a count of every refusal. */
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
      log.error(
        'text messages are refused: PLATEN_SMS_PER_HOUR is reached; somebody may be having many sent on purpose',
      )
    },
  }
}
