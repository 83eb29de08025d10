import { Counter, type Registry } from 'prom-client'
import type { Clock } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/telemetry/log.ts'

const LOG_PAUSE_MS = 3_600_000

/**
 * Reports to the operators of the installation that text messages are rejected because `PLATEN_SMS_PER_HOUR`, or the half
 * of it for messages that enrol a number, is reached.
 */
export interface SmsCapAlarm {
  refused(cap: { isOfEnrolments: boolean }): void
}

const REACHED = {
  all: 'PLATEN_SMS_PER_HOUR is reached',
  enrolments: 'the half of PLATEN_SMS_PER_HOUR for enrolments of numbers is reached',
}

/** Counts every rejected message in a metric, and logs at most one line an hour for each cap. */
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
    help: 'Text messages rejected because the limit of messages an hour, or of enrolments, is reached (PLATEN_SMS_PER_HOUR).',
    registers: [registry],
  })
  const loggedAt: { [cap in keyof typeof REACHED]?: number } = {}
  return {
    refused: ({ isOfEnrolments }) => {
      capped.inc()
      const now = clock.now().getTime()
      const cap = isOfEnrolments ? 'enrolments' : 'all'
      if (now - (loggedAt[cap] ?? Number.NEGATIVE_INFINITY) < LOG_PAUSE_MS) return
      loggedAt[cap] = now
      log.error(`text messages are rejected: ${REACHED[cap]}; an attacker may be causing the messages`)
    },
  }
}
