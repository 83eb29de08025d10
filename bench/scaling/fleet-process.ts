/**
 * A process with some nodes of the fleet that `fleet.ts` starts. Each node is the whole service, with its jobs, mails
 * and webhooks. Only the processes that draw and check are shared by all nodes of this process.
 */
import { type ClientRequest, request } from 'node:http'
import pg from 'pg'
import { createService, type Service } from '../../src/app.ts'
import { readConfig } from '../../src/config/index.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { type DatabasePool, openDatabase } from '../../src/platform/db/index.ts'
import { createLog } from '../../src/platform/telemetry/log.ts'
import { type Checker, createChecker, createRenderer, type Renderer } from '../../src/rendering/index.ts'
import { now } from '../lib/events.ts'
import { type Collected, type FleetCall, type FleetReply, NOTICES, topicOf } from './fleet.ts'

/** How often a load balancer asks a node whether it is ready. */
const READINESS_MS = 10_000

interface Node {
  service: Service
  database: DatabasePool
  origin: string
  /** The times at which this node received the notices, by their number. */
  notices: [number: number, atMs: number][]
  /** The times at which the stream of this node received the events of new orders, by the id of the order. */
  events: [orderId: string, atMs: number][]
}

const log = createLog({ level: 'error', destination: process.stderr })
const nodes: Node[] = []
const streams: ClientRequest[] = []
let statements = new Map<string, number>()
let shared: { renderer: Renderer; checker: Checker } | undefined

/** Counts the statements that this process sends, by their first words and the name of the connection. */
function countStatements(): void {
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown
  function counted(this: pg.Client, ...args: unknown[]): unknown {
    const [first] = args as [string | { text?: string }]
    const text = (typeof first === 'string' ? first : (first.text ?? '')).replaceAll(/\s+/g, ' ').trim()
    const { connectionParameters } = this as unknown as { connectionParameters: { application_name?: string } }
    const key = `${connectionParameters.application_name}: ${text.slice(0, 90)}`
    statements.set(key, (statements.get(key) ?? 0) + 1)
    return query.apply(this, args)
  }
  pg.Client.prototype.query = counted as typeof pg.Client.prototype.query
}

async function startNode(connectionString: string): Promise<void> {
  const config = readConfig({ ...process.env, PLATEN_DATABASE_URL: connectionString, PLATEN_PORT: '0' })
  shared ??= { renderer: createRenderer({ log, processes: 1 }), checker: createChecker({ log, processes: 1 }) }
  const database = openDatabase({ connectionString, max: config.databasePool }, log)
  const service = await createService({ config, log, clock: systemClock, database, ...shared })
  const node: Node = { service, database, origin: await service.listen(), notices: [], events: [] }
  for (let number = 0; number < NOTICES; number += 1) {
    service.services.auth.notices.onNotice(topicOf(number), async () => {
      node.notices.push([number, now()])
    })
  }
  service.startJobs()
  setInterval(() => askReadiness(node.origin), READINESS_MS)
  nodes.push(node)
}

function askReadiness(origin: string): void {
  fetch(`${origin}/health/ready`)
    .then((answer) => answer.text())
    .catch(() => undefined)
}

/** Opens the event stream of an account on a node, as a page of the shop or of the console does. */
async function follow({ origin, events }: Node, token: string): Promise<void> {
  const outgoing = request(`${origin}/v1/events/stream`, {
    agent: false,
    headers: { authorization: `Bearer ${token}` },
  })
  streams.push(outgoing)
  await new Promise<void>((resolve, reject) => {
    outgoing.once('error', reject)
    outgoing.once('response', (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`the stream responded with ${answer.statusCode}`))
      answer.on('error', () => undefined)
      answer.setEncoding('latin1').on('data', (text: string) => {
        for (const [, orderId = ''] of text.matchAll(/event: order\.created\n.*?"subject":"([^"]+)"/gs)) {
          events.push([orderId, now()])
        }
      })
      resolve()
    })
    outgoing.end()
  })
  outgoing.on('error', () => undefined)
}

/** Returns what was counted since the last call. */
function collect(): Collected {
  const collected = {
    notices: nodes.map(({ notices }) => notices.splice(0)),
    events: nodes.map(({ events }) => events.splice(0)),
    statements: [...statements],
  }
  statements = new Map()
  return collected
}

async function close(): Promise<void> {
  for (const stream of streams) stream.destroy()
  await Promise.all(nodes.map(({ service }) => service.close({ withinMs: 2_000 })))
  await Promise.all(nodes.map(({ database }) => database.close()))
  process.exit()
}

const calls: { [Name in keyof FleetCall]: (input: FleetCall[Name]) => Promise<unknown> } = {
  start: async ({ connectionString, count }) => {
    for (let started = 0; started < count; started += 1) await startNode(connectionString)
  },
  follow: ({ token }) => Promise.all(nodes.map((node) => follow(node, token))),
  collect: async () => collect(),
  close,
}

countStatements()
process.on('message', ({ name, input }: { name: keyof FleetCall; input: never }) => {
  const answer = (reply: FleetReply) => process.send?.(reply)
  calls[name](input).then(
    (value) => answer({ value }),
    (error: Error) => answer({ error: error.stack ?? error.message }),
  )
})
process.once('disconnect', () => process.exit())
