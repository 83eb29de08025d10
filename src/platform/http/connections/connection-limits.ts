import { readFileSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createCounts } from '../../concurrency/counts.ts'
import { networkOf } from '../../networks.ts'
import { addressKey } from '../core/client-address.ts'
import { createOpenConnections } from './open-connections.ts'
import { stopParserWhen } from './stop-parser.ts'

export interface ConnectionLimits {
  /** The most open connections. A process that has no file descriptor left accepts none. */
  total: number
  /** The most open connections of one IP address. Undefined if the clients of all addresses share a proxy. */
  ofAddress: number | undefined
  /** The most requests of one IP address that wait for their responses, if `ofAddress` is set. */
  waitingOfAddress: number
  /**
   * The most requests of one connection that wait for their responses. Browsers and proxies send the next request after
   * the response; a few programs send some in advance.
   */
  waitingRequests: number
  /** The most connections that one network opens in a second. Undefined: no limit. */
  newOfNetwork?: number | undefined
}

/** Enough for a company whose browsers share an address, with six connections each. */
const MAX_OF_ADDRESS = 1_000
const MAX_WAITING_REQUESTS = 4
const MAX_WAITING_OF_ADDRESS = 1_000
const MAX_TOTAL = 10_000
/** Enough for 60 browsers behind one IP address that open a page in the same second. */
const MAX_NEW_OF_NETWORK = 400

/** The part of the file descriptors that connections may use. The others are for files, processes and the database. */
const PART_OF_DESCRIPTORS = 0.75

/**
 * The kernel distributes connections among the processes of a node by a hash. Of so many standard deviations more than the
 * equal part, one process practically never gets more.
 */
const DEVIATIONS = 4

/** @param processes how many processes of this node get connections, each with its part of the limits */
export function defaultConnectionLimits({
  isBehindProxy,
  limitsRates,
  processes = 1,
}: {
  isBehindProxy: boolean
  limitsRates: boolean
  processes?: number | undefined
}): ConnectionLimits {
  const partOf = (limit: number): number => {
    const equal = limit / processes
    return processes === 1 ? limit : Math.ceil(equal + DEVIATIONS * Math.sqrt(equal))
  }
  return {
    total: Math.min(partOf(MAX_TOTAL), Math.floor(maxDescriptors() * PART_OF_DESCRIPTORS)),
    ofAddress: isBehindProxy ? undefined : partOf(MAX_OF_ADDRESS),
    waitingOfAddress: partOf(MAX_WAITING_OF_ADDRESS),
    waitingRequests: MAX_WAITING_REQUESTS,
    newOfNetwork: isBehindProxy || !limitsRates ? undefined : partOf(MAX_NEW_OF_NETWORK),
  }
}

/** Returns how many files the process may open, as far as the system tells. */
function maxDescriptors(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

interface Connection {
  /** Of its IP address. */
  key: string
  /** The requests that wait for their responses. */
  waiting: number
}

/** Why a connection was cut. */
export type CutReason = 'pipelining' | 'connections'

/**
 * Limits what connections occupy before the service knows who the caller is: their number, and the requests that they
 * send without waiting for responses. Of an address with too many connections, the oldest idle one makes room. If no
 * further connection fits, one of the network with the most makes room.
 */
export function limitConnections(server: Server, limits: ConnectionLimits, onCut: (reason: CutReason) => void): void {
  // A connection that has ended has no IP address any more.
  const connections = new WeakMap<Socket, Connection>()
  const connectionOf = (socket: Socket): Connection => {
    const known = connections.get(socket)
    if (known !== undefined) return known
    const key = limits.ofAddress === undefined ? '' : addressKey(socket.remoteAddress ?? '')
    const connection = { key, waiting: 0 }
    connections.set(socket, connection)
    return connection
  }
  const countNew = createNewConnections()
  const open = createOpenConnections((socket) => connectionOf(socket).waiting === 0)
  const cut = (socket: Socket, reason: CutReason): void => {
    socket.destroy()
    onCut(reason)
  }

  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket
    // A client that has left before its connection was accepted. Its requests would cost as much as others.
    if (remoteAddress === undefined) {
      socket.destroy()
      return
    }
    if (limits.newOfNetwork !== undefined && countNew(remoteAddress) > limits.newOfNetwork) {
      socket.resetAndDestroy()
      onCut('connections')
      return
    }
    stopParserWhen(socket, () => socket.destroyed)
    const { key } = connectionOf(socket)
    const ofAddress = open.add(key, socket)
    if (ofAddress.count > (limits.ofAddress ?? limits.total)) cut(ofAddress.takeIdle() ?? socket, 'connections')
    else if (open.count() > limits.total) cut(open.victimFor(key) ?? socket, 'connections')
  })
  const waitingOf = createCounts()
  const change = (connection: Connection, by: 1 | -1): void => {
    connection.waiting += by
    waitingOf.add(connection.key, by)
  }
  const countWaiting = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    const connection = connectionOf(socket)
    change(connection, 1)
    response.once('close', () => change(connection, -1))
    const isAddressFull = limits.ofAddress !== undefined && waitingOf.of(connection.key) > limits.waitingOfAddress
    if (connection.waiting > limits.waitingRequests || isAddressFull) cut(socket, 'pipelining')
  }
  // Requests with an unknown `Expect` header emit the second event in place of the first.
  for (const event of ['request', 'checkExpectation']) server.on(event, countWaiting)
}

/** Returns a function that counts a connection, and returns how many its network has opened in this second. */
function createNewConnections(): (address: string) => number {
  const counts = new Map<string, number>()
  let countedSecond = 0
  return (address) => {
    const second = Math.floor(performance.now() / 1_000)
    if (second !== countedSecond) counts.clear()
    countedSecond = second
    const network = networkOf(addressKey(address))
    const count = (counts.get(network) ?? 0) + 1
    counts.set(network, count)
    return count
  }
}
