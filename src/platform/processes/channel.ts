import type { Log } from '../telemetry/log.ts'

/** Handles a call or a notice. The signal is aborted if the caller no longer needs the result, or has ended. */
export type Handler = (input: never, signal: AbortSignal) => unknown

/** A connection to another process of the same service. Inputs and results must survive structured cloning. */
export interface Channel {
  /** Calls a function of the other process. Rejects if it fails, or if the other process ends. */
  call<Result>(name: string, input?: unknown, signal?: AbortSignal): Promise<Result>
  /** Sends a notice without a response. It is lost if the other process has ended. */
  tell(name: string, input?: unknown): void
  /** Handles the calls and notices of a name. */
  handle(name: string, handler: Handler): void
  /** Takes a message of the other process. */
  receive(message: unknown): void
  /** Rejects all calls in progress and aborts the work for the other process. Call it when that process has ended. */
  end(): void
}

type Message =
  | { platen: 'call'; id: number; name: string; input: unknown }
  | { platen: 'tell'; name: string; input: unknown }
  | { platen: 'abort'; id: number }
  | { platen: 'done'; id: number; value: unknown }
  | { platen: 'failed'; id: number; message: string }

/** The error of a call whose other process ended or failed. */
export class ChannelError extends Error {
  override readonly name = 'ChannelError'
}

export interface ChannelOptions {
  /** Sends a message. It may throw if the other process has ended. */
  send: (message: object) => void
  log: Pick<Log, 'error'>
}

export function createChannel({ send, log }: ChannelOptions): Channel {
  const handlers = new Map<string, Handler>()
  const calls = new Map<number, PromiseWithResolvers<unknown>>()
  const work = new Map<number, AbortController>()
  let lastId = 0
  let hasEnded = false

  const post = (message: Message): void => {
    if (hasEnded) return
    try {
      send(message)
    } catch {
      // The other process has ended, which `end` will tell.
    }
  }

  const run = async (name: string, input: unknown, signal: AbortSignal): Promise<unknown> => {
    const handler = handlers.get(name)
    if (handler === undefined) throw new Error(`no process handles ${name}`)
    return handler(input as never, signal)
  }

  const answer = async (id: number, name: string, input: unknown): Promise<void> => {
    const controller = new AbortController()
    work.set(id, controller)
    try {
      const value = await run(name, input, controller.signal)
      post({ platen: 'done', id, value })
    } catch (error) {
      post({ platen: 'failed', id, message: error instanceof Error ? error.message : String(error) })
    } finally {
      work.delete(id)
    }
  }

  const settle = (id: number, how: (call: PromiseWithResolvers<unknown>) => void): void => {
    const call = calls.get(id)
    calls.delete(id)
    if (call !== undefined) how(call)
  }

  return {
    call: async <Result>(name: string, input?: unknown, signal?: AbortSignal): Promise<Result> => {
      if (hasEnded) throw new ChannelError('the other process has ended')
      lastId += 1
      const id = lastId
      const call = Promise.withResolvers<unknown>()
      calls.set(id, call)
      const abort = (): void => post({ platen: 'abort', id })
      signal?.addEventListener('abort', abort, { once: true })
      post({ platen: 'call', id, name, input })
      try {
        return (await call.promise) as Result
      } finally {
        signal?.removeEventListener('abort', abort)
      }
    },
    tell: (name, input) => post({ platen: 'tell', name, input }),
    handle: (name, handler) => {
      handlers.set(name, handler)
    },
    receive: (received) => {
      const message = received as Message
      switch (message.platen) {
        case 'call':
          void answer(message.id, message.name, message.input)
          break
        case 'tell':
          run(message.name, message.input, new AbortController().signal).catch((error: unknown) =>
            log.error({ err: error, name: message.name }, 'a notice of another process of the service failed'),
          )
          break
        case 'abort':
          work.get(message.id)?.abort()
          break
        case 'done':
          settle(message.id, ({ resolve }) => resolve(message.value))
          break
        case 'failed':
          settle(message.id, ({ reject }) => reject(new ChannelError(message.message)))
          break
        default:
        // Messages of other libraries use the same connection.
      }
    },
    end: () => {
      hasEnded = true
      for (const { reject } of calls.values()) reject(new ChannelError('the other process has ended'))
      calls.clear()
      for (const controller of work.values()) controller.abort()
    },
  }
}
