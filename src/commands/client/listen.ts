import { CommandError, usageError } from '../command-line/command-error.ts'
import { type Terminal, writeError, writeLine } from '../command-line/terminal.ts'
import { followEvents } from './events/event-stream.ts'
import { checkReceiverUrl, checkSecret, forward, newSigningSecret, type Receiver } from './events/forward.ts'
import { type Connection, type ConnectionOptions, connectWithKey } from './requests/connection.ts'
import { ApiError } from './requests/problem.ts'
import { parseSince } from './since.ts'
import { stopOnSignal } from './stop-on-signal.ts'
import { isEventType } from './trigger/recipes.ts'

export interface ListenOptions extends ConnectionOptions {
  forwardTo?: string
  type?: readonly string[]
  since?: string
  secret?: string
}

/** Prints events, and posts them to a receiver one after another, until a signal or the end of the key. */
export async function listen(options: ListenOptions, terminal: Terminal): Promise<number> {
  const { type: types } = options
  checkTypes(types)
  const since = options.since === undefined ? undefined : parseSince(options.since, new Date())
  const receiver = receiverOf(options)
  const connection = await connectWithKey(options)
  const { signal, dispose } = stopOnSignal()
  const notice = (line: string) => writeError(line, terminal.err)
  if (receiver !== undefined) {
    notice(`Forwarding events to ${receiver.url}`)
    notice(`Signing secret: ${receiver.secret}`)
  }
  const onStart = () => notice(`Listening for events of ${connection.origin}. Press Ctrl-C to stop.`)
  const report = (line: string) => writeLine(line, terminal.out)
  try {
    for await (const event of followEvents(connection, { since, signal, onStart, onInterruption: notice })) {
      if (signal.aborted) break
      if (types !== undefined && !types.includes(event.type)) continue
      report(`${event.createdAt}  ${event.type}  ${event.subject}  ${event.id}`)
      if (receiver !== undefined) await forward(event, receiver, { signal, report })
    }
    return 0
  } catch (error) {
    throw explain(error, connection)
  } finally {
    dispose()
  }
}

function checkTypes(types: readonly string[] = []): void {
  const unknown = types.find((type) => !isEventType(type))
  if (unknown === undefined) return
  throw usageError(`The event type '${unknown}' is unknown. Run "platen trigger --list" for all types.`)
}

function receiverOf({ forwardTo, secret }: ListenOptions): Receiver | undefined {
  if (forwardTo !== undefined) {
    return { url: checkReceiverUrl(forwardTo), secret: secret === undefined ? newSigningSecret() : checkSecret(secret) }
  }
  if (secret === undefined) return undefined
  throw usageError('--secret signs requests to a receiver. Name it with --forward-to.')
}

function explain(error: unknown, { origin, keySource }: Connection): unknown {
  if (!(error instanceof ApiError) || error.problem.status !== 401) return error
  return new CommandError(
    `${error.message}\nThe key in ${keySource} was revoked or has expired, or is not one of ${origin}. Run "platen login" for a new one.`,
  )
}
