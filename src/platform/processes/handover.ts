import type { Worker } from 'node:cluster'

interface Connection {
  close(): void
}

type Send = (message: unknown, connection?: Connection, ...rest: unknown[]) => boolean

/** The process to which a connection was passed last. A process that is stopping returns it, and another one takes it. */
const holders = new WeakMap<Connection, Worker>()

/**
 * Follows the connections that `node:cluster` passes to a process. Returns what to do when the process has ended.
 *
 * `node:cluster` closes its copy of a connection only when the process has confirmed it. If the process ends before, the
 * client would wait for ever.
 */
export function followHandover(worker: Worker): () => void {
  const { process: child } = worker
  const send = child.send.bind(child) as Send
  // A process is passed one connection at a time, after it has confirmed the one before.
  let last: Connection | undefined
  const follow: Send = (message, connection, ...rest) => {
    if (connection !== undefined && connection !== null && isNewConnection(message)) {
      last = connection
      holders.set(connection, worker)
    }
    return send(message, connection, ...rest)
  }
  child.send = follow as typeof child.send
  return () => {
    // The end of a process can be known before the end of its channel, until which it would be passed connections.
    if (worker.isConnected()) worker.disconnect()
    // Has no effect on a connection that was confirmed.
    if (last !== undefined && holders.get(last) === worker) last.close()
  }
}

const isNewConnection = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'act' in message && message.act === 'newconn'
