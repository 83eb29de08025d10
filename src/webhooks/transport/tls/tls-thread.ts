/**
 * The thread that makes the TLS connections to servers that users chose. A server can make a handshake take a second of
 * processor time, for example with a long chain of certificates with unusual keys, and OpenSSL cannot be interrupted.
 */
import { constants } from 'node:crypto'
import { connect as connectTcp, type Socket } from 'node:net'
import { setPriority } from 'node:os'
import { connect as connectTls, DEFAULT_CIPHERS } from 'node:tls'
import { parentPort } from 'node:worker_threads'
import { createHandshakeBudget } from './handshake-budget.ts'
import { type Command, type Opening, type Report, TOO_COSTLY } from './messages.ts'

/** Without finite-field Diffie-Hellman, whose prime the server chooses: one handshake with 10,000 bits takes a second. */
const CIPHERS = `${DEFAULT_CIPHERS}:!DHE`
const CURVES = 'X25519:P-256:P-384:P-521'
const NICENESS = 5

interface Connection {
  share: string
  socket: Socket
  isSecured: boolean
}

const connections = new Map<number, Connection>()
const budget = createHandshakeBudget()
const report = (message: Report): void => parentPort?.postMessage(message)

/** The processor time of the thread after the last event. What OpenSSL does for a connection happens before its event. */
let counted = cpuMs()

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Returns the processor time since the last event. */
function lap(): number {
  const now = cpuMs()
  const ms = now - counted
  counted = now
  return ms
}

function open(id: number, opening: Opening): void {
  const { addresses, port, host, share } = opening
  const [first] = addresses
  if (first === undefined || !budget.hasRoom(share)) {
    report({ id, kind: 'closed', error: TOO_COSTLY })
    return
  }
  const socket = connectTcp({
    host,
    port,
    noDelay: true,
    lookup: (_host, { all }, callback) =>
      all === true ? callback(null, [...addresses]) : callback(null, first.address, first.family),
  })
  connections.set(id, { share, socket, isSecured: false })
  follow(id, socket)
  socket.once('connect', () => {
    report({ id, kind: 'connected' })
    secure(id, socket, opening)
  })
}

function secure(id: number, tcp: Socket, { host, servername, ca, share }: Opening): void {
  const socket = connectTls({
    socket: tcp,
    host,
    ...(servername === '' ? {} : { servername }),
    ...(ca === undefined ? {} : { ca }),
    // Set explicitly, because an environment variable can change the default.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    ciphers: CIPHERS,
    ecdhCurve: CURVES,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  })
  socket.pause()
  connections.set(id, { share, socket, isSecured: false })
  follow(id, socket)
  socket.once('secureConnect', () => {
    account(share)
    if (!connections.has(id)) return
    connections.set(id, { share, socket, isSecured: true })
    report({ id, kind: 'secured' })
  })
  socket.on('data', (bytes: Buffer) => {
    lap()
    socket.pause()
    report({ id, kind: 'bytes', bytes })
  })
  socket.once('end', () => report({ id, kind: 'ended' }))
}

/** Counts a handshake that has ended. Ends the others of the share in progress if it has taken too long. */
function account(share: string): void {
  budget.spend(share, lap())
  if (budget.hasRoom(share)) return
  for (const [id, { share: other, isSecured, socket }] of connections)
    if (other === share && !isSecured) close(id, socket, TOO_COSTLY)
}

/** Reports the end of a connection, whose socket is first that of TCP and then that of TLS. */
function follow(id: number, socket: Socket): void {
  let failure: NodeJS.ErrnoException | undefined
  socket.on('error', (error: NodeJS.ErrnoException) => (failure ??= error))
  socket.once('close', () => {
    const connection = connections.get(id)
    if (connection?.socket !== socket) return
    if (connection.isSecured) lap()
    else account(connection.share)
    close(id, socket, failure && { code: codeOf(failure), message: failure.message })
  })
}

/** Several IP addresses were tried if the error has several errors. */
function codeOf(error: NodeJS.ErrnoException): string {
  const first = error instanceof AggregateError ? (error.errors[0] as NodeJS.ErrnoException | undefined) : error
  return first?.code ?? error.code ?? 'unknown'
}

function close(id: number, socket: Socket, error?: { code: string; message: string }): void {
  if (!connections.delete(id)) return
  socket.destroy()
  report({ id, kind: 'closed', ...(error === undefined ? {} : { error }) })
}

function obey(command: Command): void {
  const { id } = command
  const socket = connections.get(id)?.socket
  if (command.kind === 'open') open(id, command.opening)
  else if (socket === undefined) return
  else if (command.kind === 'write') socket.write(command.bytes, () => report({ id, kind: 'written' }))
  else if (command.kind === 'read') socket.resume()
  else if (command.kind === 'end') socket.end()
  else socket.destroy()
}

// Elsewhere, threads have no priority of their own.
if (process.platform === 'linux') setPriority(NICENESS)
parentPort?.on('message', (command: Command) => {
  lap()
  obey(command)
})
