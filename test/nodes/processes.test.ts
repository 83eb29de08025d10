import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { connect, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { freePort, type ServiceProcess, startServiceProcess } from '../../scripts/lib/service-process.ts'
import { startClientScene } from '../../src/commands/client/client.fixture.ts'
import type { PoolSettings } from '../../src/platform/db/index.ts'
import { createDatabase } from '../harness.ts'
import { until } from '../lib/until.ts'

/** Three processes that load the program take long if other tests keep the processors busy. */
const START_MS = 180_000

const ADMIN = { email: 'admin@example.com', password: 'correct horse battery' }

async function databaseUrl(t: TestContext, on?: PoolSettings): Promise<string> {
  const { host, port, user, database } = on ?? (await createDatabase(t))
  const query = new URLSearchParams({ host: String(host), port: String(port) })
  return `postgresql://${user}@/${database}?${query}`
}

async function startTwo(t: TestContext, env: Record<string, string> = {}, on?: PoolSettings): Promise<ServiceProcess> {
  const variables = {
    PLATEN_DATABASE_URL: await databaseUrl(t, on),
    PLATEN_PROCESSES: '2',
    PLATEN_LOG_LEVEL: 'info',
    PLATEN_ADMIN_EMAIL: ADMIN.email,
    PLATEN_ADMIN_PASSWORD: ADMIN.password,
    ...env,
  }
  const service = await startServiceProcess(variables, START_MS)
  t.after(() => service.child.kill('SIGKILL'))
  await until('both processes', async () => servingPids(service).length >= 2)
  return service
}

interface Line {
  msg: string
  process?: string
  number?: number
  pid?: number
  requestId?: string
}

function logLines({ output }: ServiceProcess): Line[] {
  return output()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Line)
}

/** The processes that have served requests, in the order of their starts. */
const servingPids = (service: ServiceProcess): { number: number; pid: number }[] =>
  logLines(service).flatMap(({ msg, number = 0, pid = 0 }) =>
    msg === 'an API process serves requests' ? [{ number, pid }] : [],
  )

interface Answer {
  status: number
  headers: IncomingMessage['headers']
  text: string
}

/** One connection, all of whose requests the same process serves. */
interface Connection {
  process: string
  send(method: string, path: string, options?: { token?: string; body?: object }): Promise<Answer>
}

async function ask(agent: Agent, url: string, options: RequestOptions, body?: string): Promise<Answer> {
  const outgoing = request(url, { agent, ...options })
  outgoing.end(body)
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  let text = ''
  for await (const part of incoming.setEncoding('utf8')) text += part
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, text }
}

async function openConnection(t: TestContext, service: ServiceProcess): Promise<Connection> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  const { headers } = await ask(agent, `${service.origin}/health/live`, {})
  const find = () => logLines(service).find(({ requestId }) => requestId === headers['x-request-id'])?.process
  await until('the line of the request', async () => find() !== undefined)
  return {
    process: find() ?? '',
    send: (method, path, { token, body } = {}) => {
      const auth = token === undefined ? {} : { authorization: `Bearer ${token}` }
      const type = body === undefined ? {} : { 'content-type': 'application/json' }
      const options = { method, headers: { ...auth, ...type } }
      return ask(agent, `${service.origin}${path}`, options, body && JSON.stringify(body))
    },
  }
}

/** Opens one connection to each of the two processes. */
async function openBoth(t: TestContext, service: ServiceProcess): Promise<[Connection, Connection]> {
  const found = new Map<string, Connection>()
  await until('a connection to each process', async () => {
    const connection = await openConnection(t, service)
    found.set(connection.process, connection)
    return found.size === 2
  })
  const [one, two] = [found.get('api-1'), found.get('api-2')]
  assert.ok(one !== undefined && two !== undefined)
  return [one, two]
}

async function signIn(connection: Connection): Promise<string> {
  const { text } = await connection.send('POST', '/v1/api/auth/login', { body: ADMIN })
  return (JSON.parse(text) as { accessToken: string }).accessToken
}

test('a session that ends in one process is refused by the other one', async (t) => {
  const service = await startTwo(t)
  const [one, two] = await openBoth(t, service)
  const token = await signIn(one)
  // The second process now knows the token and would accept it without a query.
  assert.equal((await two.send('GET', '/v1/me', { token })).status, 200)
  assert.equal((await one.send('POST', '/v1/api/auth/logout', { token, body: {} })).status, 204)
  await until('the refusal', async () => (await two.send('GET', '/v1/me', { token })).status === 401)
})

test('a rate limit counts the requests to both processes', async (t) => {
  const service = await startTwo(t, { PLATEN_RATE_LIMIT_ANONYMOUS: '200' })
  const connections = await openBoth(t, service)
  let sent = 0
  const remaining = async (connection: Connection): Promise<number> => {
    sent += 1
    const { headers } = await connection.send('GET', '/v1/products')
    return Number(/r=(\d+)/.exec(String(headers['ratelimit']))?.[1])
  }
  for (const connection of connections) for (let n = 0; n < 10; n += 1) await remaining(connection)
  for (const connection of connections) {
    await until('the sum of both', async () => (await remaining(connection)) === 200 - sent)
  }
})

test('the metrics of one port sum up both processes', async (t) => {
  const port = String(await freePort())
  const service = await startTwo(t, { PLATEN_METRICS_PORT: port })
  const connections = await openBoth(t, service)
  const read = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const count = async (): Promise<number> => {
    const text = await read()
    assert.match(text, /^platen_api_processes 2$/m)
    assert.equal(text.match(/^platen_build_info/gm)?.length, 1)
    return Number(/^http_request_duration_seconds_count\{.*products.*\} (\d+)$/m.exec(text)?.[1] ?? 0)
  }
  assert.equal(await count(), 0)
  for (const connection of connections) await connection.send('GET', '/v1/products')
  await until('both requests', async () => (await count()) === 2)
  assert.match(await read(), /^platen_database_transferred_bytes_total\{caller="anonymous"\} [1-9]\d+$/m)
  const token = await signIn(connections[0])
  const { text } = await connections[1].send('GET', '/metrics', { token })
  assert.match(text, /^http_request_duration_seconds_count\{.*products.*\} 2$/m)
})

test('when a process is killed, the other one goes on serving, and a new one takes its place', async (t) => {
  const service = await startTwo(t, { PLATEN_RATE_LIMITS: 'off' })
  const [one, two] = await openBoth(t, service)
  const victim = servingPids(service).find(({ number }) => number === 2)?.pid ?? 0
  process.kill(victim, 'SIGKILL')
  await assert.rejects(async () => {
    for (;;) await two.send('GET', '/health/live')
  })
  assert.equal((await one.send('GET', '/v1/products')).status, 200)
  await until('the replacement', async () => {
    assert.equal((await one.send('GET', '/v1/products')).status, 200)
    return servingPids(service).length === 3
  })
  await until('both are ready', async () => !(await one.send('GET', '/health/ready')).text.includes('processes'))
  await openBoth(t, service)
  assert.ok(logLines(service).some(({ msg, number }) => msg.includes('is being replaced') && number === 2))
})

test('on SIGTERM both processes complete their requests, and the service ends', async (t) => {
  const service = await startTwo(t)
  const body = JSON.stringify(ADMIN)
  const head = `POST /v1/api/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  const sockets = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const socket = connect(Number(new URL(service.origin).port), '127.0.0.1')
      t.after(() => socket.destroy())
      await new Promise((resolve) => socket.write(head + body.slice(0, 10), resolve))
      return socket
    }),
  )
  // Each process has accepted its part of the connections once it responds on a later one.
  await openBoth(t, service)
  const ended = once(service.child, 'exit')
  service.child.kill('SIGTERM')
  await until('the signal', async () => service.output().includes('Stopping'))
  const answers = sockets.map(async (socket) => {
    socket.write(body.slice(10))
    let text = ''
    for await (const part of socket.setEncoding('utf8')) text += part
    return text.slice(0, 12)
  })
  assert.deepEqual(await Promise.all(answers), Array(4).fill('HTTP/1.1 200'))
  assert.deepEqual(await ended, [0, null])
})

test('when the main process is killed, the API processes end', async (t) => {
  const service = await startTwo(t)
  service.child.kill('SIGKILL')
  const isRunning = (pid: number): boolean => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  await until('their ends', async () => !servingPids(service).some(({ pid }) => isRunning(pid)))
})

test('a port that is in use is reported once', async (t) => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const failed = await startTwo(t, { PLATEN_PORT: String(port) }).then(
    () => '',
    (error: Error) => error.message,
  )
  assert.equal(failed.match(/PLATEN_PORT is /g)?.length, 1, failed)
})

test('a second service does not open the port of the first', async (t) => {
  const { origin } = await startTwo(t)
  const second = await startServiceProcess({
    PLATEN_DATABASE_URL: await databaseUrl(t),
    PLATEN_PROCESSES: '2',
    PLATEN_PORT: new URL(origin).port,
  })
  t.after(() => second.child.kill('SIGKILL'))
  // The first service has responded in its place.
  await until('the error', async () => /PLATEN_PORT is \d+, which another program uses/.test(second.output()))
  await until('the end', async () => second.child.exitCode !== null)
  assert.equal(second.child.exitCode, 1)
})

test('two processes serve orders from the design to the refund, with drawing, jobs and events of the main process', async (t) => {
  const database = await createDatabase(t)
  const scene = await startClientScene(t, { database })
  const service = await startTwo(
    t,
    { PLATEN_DATA_DIR: scene.service.config.dataDir, PLATEN_PAYMENT_PROVIDER: 'test' },
    database,
  )
  const { env } = await scene.newKey()
  for (const type of ['design.files_ready', 'payment.refunded']) {
    const { code, err } = await scene.run(['trigger', type], { ...env, PLATEN_URL: service.origin })
    assert.deepEqual([code, err], [0, ''], type)
  }
  assert.doesNotMatch(service.output(), /"level":[56]0/)
})
