import { createKeyedSemaphore } from '../../platform/concurrency/semaphore.ts'

/** Handshakes of one share at the same time. Others wait. Those of other shares may have to wait for as many. */
const AT_ONCE = 2
/** Failed handshakes of one share within `WINDOW_MS`, with one server and in all. After these, none begins. */
const FAILED_WITH_SERVER = 3
const FAILED = 10
const WINDOW_MS = 60_000
/** Beyond this number of shares, the failures of the one that failed the longest ago are forgotten. */
const MAX_SHARES = 10_000

/** A share has had too many failed handshakes. */
export class TooManyHandshakes extends Error {
  override readonly name = 'TooManyHandshakes'

  constructor() {
    super('Too many TLS handshakes have failed; try again in a minute.')
  }
}

/**
 * Limits the TLS handshakes of a share. A server can make one take a second of processor time, for example with a chain
 * of certificates with unusual keys. Such a handshake fails, because no authority signs such certificates.
 */
export interface HandshakeGate {
  /**
   * Makes a connection.
   *
   * @param server name and port
   * @param connect tells whether the handshake failed; a server that is not reached has not failed
   * @throws {TooManyHandshakes}
   */
  run(share: string, server: string, connect: () => Promise<'failed' | 'secured' | 'unreached'>): Promise<void>
}

export function createHandshakeGate(now: () => number = () => performance.now()): HandshakeGate {
  const semaphore = createKeyedSemaphore()
  const failures = new Map<string, { server: string; at: number }[]>()
  const recent = (share: string) => (failures.get(share) ?? []).filter(({ at }) => at > now() - WINDOW_MS)
  const requireFew = (share: string, server: string): void => {
    const all = recent(share)
    const withServer = all.filter((one) => one.server === server)
    if (all.length >= FAILED || withServer.length >= FAILED_WITH_SERVER) throw new TooManyHandshakes()
  }
  const note = (share: string, server: string): void => {
    const all = [...recent(share), { server, at: now() }]
    failures.delete(share)
    failures.set(share, all)
    const [oldest] = failures.keys()
    if (failures.size > MAX_SHARES && oldest !== undefined) failures.delete(oldest)
  }
  return {
    run: (share, server, connect) =>
      semaphore.run(share, AT_ONCE, async () => {
        requireFew(share, server)
        if ((await connect()) === 'failed') note(share, server)
      }),
  }
}
