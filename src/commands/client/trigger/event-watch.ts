import { CommandError } from '../../command-line/command-error.ts'
import { followEvents } from '../events/event-stream.ts'
import type { ReceivedEvent } from '../events/received-event.ts'
import type { Connection } from '../requests/connection.ts'
import type { EventType } from './recipes.ts'

/** Time from the last step to its event. Drawing the files of an order item may have to wait for others. */
const ARRIVES_WITHIN_MS = 60_000

export interface EventWatch {
  /** Resolves when the stream has started, so that no later event is missed. */
  started: Promise<void>
  /** Adds a record whose events are reported. */
  follow: (subject: string) => void
  /** Waits for an event of the followed records. */
  until: (type: EventType) => Promise<void>
  stop: () => Promise<void>
}

/** Follows the events of the account, and reports those of some records in their order. */
export function createWatch(connection: Connection, report: (event: ReceivedEvent) => void): EventWatch {
  const controller = new AbortController()
  const { promise: started, resolve: onStart, reject: onFailure } = Promise.withResolvers<void>()
  const subjects = new Set<string>()
  const unclaimed: ReceivedEvent[] = []
  const seen = new Set<string>()
  let look = (): void => undefined
  /** An event can arrive before the response with the id of its record. */
  const claim = (): void => {
    for (const event of unclaimed.splice(0)) {
      if (!subjects.has(event.subject)) unclaimed.push(event)
      else {
        report(event)
        seen.add(event.type)
      }
    }
    look()
  }
  const run = async (): Promise<void> => {
    for await (const event of followEvents(connection, { signal: controller.signal, onStart })) {
      unclaimed.push(event)
      claim()
    }
  }
  const running = run()
  running.catch(onFailure)

  return {
    started,
    follow: (subject) => {
      subjects.add(subject)
      claim()
    },
    until: (type) => {
      const arrived = new Promise<void>((resolve, reject) => {
        look = () => {
          if (seen.has(type)) resolve()
        }
        running.catch(reject)
        look()
      })
      return Promise.race([arrived, lateness(type, controller.signal)])
    },
    stop: async () => {
      controller.abort()
      await running.catch(() => undefined)
    },
  }
}

/** Rejects when an event is late. */
function lateness(type: EventType, signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const error = new CommandError(`All steps were done, but ${type} did not arrive within a minute.`)
    const timer = setTimeout(() => reject(error), ARRIVES_WITHIN_MS)
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  })
}
