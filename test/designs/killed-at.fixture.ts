// A service loads this module with `--import`. In a finalization, the module kills the service with SIGKILL at the step
// that `KILL_AT` names, or stops it with SIGTERM at the first step with the name `STOP_AT`. A step is a statement to
// the database, the response to a commit, a file operation, or a message to or from a rendering process. Reads do not
// count, because a kill before a read has the same effect as a kill after the step before it.

import type { ChildProcess } from 'node:child_process'
import * as childProcess from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync, promises as fs } from 'node:fs'
import { createRequire, syncBuiltinESMExports } from 'node:module'

const { STEPS_FILE = '', KILL_AT, STOP_AT } = process.env
let isArmed = false
/**
 * Matches statements that do not count: reads (except those that add a job), and statements on a timer, which are at
 * another position in each run: polling for jobs, registering job runners, and renewing the lease.
 */
const NO_STEPS = /^\s*(select\b(?!.*graphile_worker)|with (j|specs|forgotten|renewed) as|update "job_runners")/is
const timesSeen = new Map<string, number>()

function step(name: string): void {
  if (!isArmed) return
  const short = name.trim().replaceAll(/\s+/g, ' ').slice(0, 70)
  const times = (timesSeen.get(short) ?? 0) + 1
  timesSeen.set(short, times)
  const label = `${short} #${times}`
  appendFileSync(STEPS_FILE, `${label}\n`)
  if (label === KILL_AT) process.kill(process.pid, 'SIGKILL')
  if (name === STOP_AT) {
    isArmed = false
    process.kill(process.pid, 'SIGTERM')
  }
}

subscribe('http.server.request.start', (message) => {
  const { method, url } = (message as { request: { method: string; url: string } }).request
  if (method === 'POST' && url.endsWith('/finalize')) isArmed = true
})

/** What the service gives to `query`. */
interface Statement {
  text: string
  callback?: (...result: unknown[]) => void
}

type Method = (...args: never[]) => unknown

/** Replaces a method of an object by one that first calls `before`. */
function watch(owner: object, name: string, before: (args: unknown[]) => void): void {
  const methods = owner as Record<string, Method>
  const original = methods[name]
  if (original === undefined) throw new Error(`no method ${name}`)
  methods[name] = function (this: unknown, ...args: never[]) {
    before(args)
    return original.apply(this, args)
  }
}

const pg = createRequire(import.meta.url)('pg') as { Client: { prototype: { query: (...args: unknown[]) => unknown } } }
const { query } = pg.Client.prototype
pg.Client.prototype.query = function (...args) {
  const [config] = args
  const statement = typeof config === 'string' ? { text: config } : (config as Statement)
  if (!NO_STEPS.test(statement.text)) step(statement.text)
  const { callback } = statement
  if (/^commit/i.test(statement.text) && callback !== undefined) {
    statement.callback = (...result) => {
      step('committed')
      callback(...result)
    }
  }
  return query.apply(this, args)
}

for (const name of ['rename', 'link', 'mkdir', 'unlink', 'rm']) watch(fs, name, () => step(`file ${name}`))
const handle = await fs.open(import.meta.filename)
for (const name of ['sync', 'datasync'])
  watch(Object.getPrototypeOf(handle) as object, name, () => step(`file ${name}`))
await handle.close()

const { fork } = childProcess
const patchable = createRequire(import.meta.url)('node:child_process') as { fork: typeof fork }
patchable.fork = ((...args: Parameters<typeof fork>): ChildProcess => {
  const child = fork(...args)
  let kind: string | undefined
  // Only print jobs count. The service also draws when it starts, at varying times.
  watch(child, 'send', ([request]) => {
    ;({ kind } = request as { kind: string })
    if (kind === 'print') step('print job sent')
  })
  child.prependListener('message', () => {
    if (kind === 'print') step('print job answered')
  })
  return child
}) as typeof fork
syncBuiltinESMExports()
