import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { PoolConfig } from 'pg'

/** The session parameters that clients may send. By default, PgBouncer also rejects others. */
const ALLOWED = new Set(['user', 'database', 'application_name', 'client_encoding'])

/**
 * Starts a pooler in transaction mode, like PgBouncer: a client gets a connection to the server for one transaction,
 * and possibly another connection for the next transaction.
 *
 * @param size number of connections to the server
 * @returns the settings for connections through the pooler
 */
export async function startTransactionPooler(t: TestContext, database: PoolConfig, size: number): Promise<PoolConfig> {
  const servers = createServers(database, size)
  const sockets = new Set<Socket>()
  const pooler = createServer({ noDelay: true }, (client) => {
    sockets.add(client)
    serve(client, servers)
  })
  pooler.listen(0, '127.0.0.1')
  await once(pooler, 'listening')
  t.after(() => {
    pooler.close()
    for (const socket of sockets) socket.destroy()
    servers.close()
  })
  const { port } = pooler.address() as AddressInfo
  return { host: '127.0.0.1', port, user: String(database.user), database: String(database.database), ssl: false }
}

interface Server {
  socket: Socket
  onMessage: (type: string, message: Buffer) => void
}

type Servers = ReturnType<typeof createServers>

function createServers({ host, port, user, database }: PoolConfig, size: number) {
  const idle: Server[] = []
  const waiting: ((server: Server) => void)[] = []
  const all = new Set<Socket>()

  const add = (): void => {
    const socket = connect(join(String(host), `.s.PGSQL.${port}`))
    all.add(socket)
    const server: Server = {
      socket,
      onMessage: (type) => {
        if (type === 'Z') release(server)
      },
    }
    socket.on('error', () => undefined)
    socket.on(
      'data',
      eachMessage((type, message) => server.onMessage(type, message)),
    )
    socket.write(startupMessage({ user: String(user), database: String(database), application_name: 'pooler' }))
  }
  const release = (server: Server): void => {
    server.onMessage = () => undefined
    const next = waiting.shift()
    if (next === undefined) idle.push(server)
    else next(server)
  }
  for (let count = 0; count < size; count += 1) add()
  return {
    release,
    /** Returns the connection that has been idle for the longest time. */
    acquire: async (): Promise<Server> => idle.shift() ?? new Promise((resolve) => waiting.push(resolve)),
    /**
     * Replaces the connection of a client that disconnected within a transaction. The server then rolls back the
     * transaction.
     */
    replace: ({ socket }: Server): void => {
      socket.destroy()
      add()
    },
    close: (): void => {
      for (const socket of all) socket.destroy()
    },
  }
}

function serve(client: Socket, servers: Servers): void {
  let current: Promise<Server> | undefined
  let held: Server | undefined

  const lend = async (): Promise<Server> => {
    held = await servers.acquire()
    const server = held
    server.onMessage = (type, message) => {
      client.write(message)
      if (type !== 'Z' || message.at(-1) !== 'I'.charCodeAt(0)) return
      current = undefined
      held = undefined
      servers.release(server)
    }
    return server
  }

  client.on('error', () => undefined)
  client.on('close', () => {
    if (held !== undefined) servers.replace(held)
  })
  client.once('data', (startup: Buffer) => {
    const names = startup
      .subarray(8)
      .toString()
      .split('\0')
      .filter((_, index) => index % 2 === 0)
    const refused = names.find((name) => name !== '' && !ALLOWED.has(name))
    if (refused !== undefined) {
      client.end(errorResponse(`unsupported startup parameter: ${refused}`))
      return
    }
    client.write(Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]))
    client.on(
      'data',
      eachMessage(async (type, sent) => {
        if (type === 'X') return
        current ??= lend()
        ;(await current).socket.write(sent)
      }),
    )
  })
}

function eachMessage(handle: (type: string, message: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 5 && rest.length >= 1 + rest.readUInt32BE(1)) {
      const end = 1 + rest.readUInt32BE(1)
      handle(String.fromCharCode(rest[0] ?? 0), rest.subarray(0, end))
      rest = rest.subarray(end)
    }
  }
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeUInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}

function errorResponse(text: string): Buffer {
  return message('E', Buffer.from(`SFATAL\0C08P01\0M${text}\0\0`))
}

function startupMessage(parameters: Record<string, string>): Buffer {
  const body = Buffer.from(`${Object.entries(parameters).flat().join('\0')}\0\0`)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + body.length)
  head.writeUInt32BE(196_608, 4)
  return Buffer.concat([head, body])
}
