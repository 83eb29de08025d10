// Loaded into a service by `--import`: kills it with SIGKILL at one step of a finalization, by its number, or asks it to
// stop with SIGTERM at the first step of a name. A step is a statement sent to
// the database (without reads: dying before one is dying after the step before it), an answer to a commit, a file
// operation, or a message from or to a drawing process.

import type { ChildProcess } from 'node:child_process'
import * as childProcess from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync, promises as fs } from 'node:fs'
import { createRequire, syncBuiltinESMExports } from 'node:module'

const { STEPS_FILE = '', KILL_AT = '0', STOP_AT } = process.env
let isArmed = false
let steps = 0

function step(name: string): void {
  if (!isArmed) return
  steps += 1
  appendFileSync(STEPS_FILE, `${name.replaceAll(/\s+/g, ' ').slice(0, 70)}\n`)
  if (steps === Number(KILL_AT)) process.kill(process.pid, 'SIGKILL')
  if (name === STOP_AT) {
    isArmed = false
    process.kill(process.pid, 'SIGTERM')
  }
}

subscribe('http.server.request.start', (message) => {
  const { method, url } = (message as { request: { method: string; url: string } }).request
  if (method === 'POST' && url.endsWith('/finalize')) isArmed = true
})

type Method = (...args: never[]) => unknown

/** Calls `before` ahead of a method of some object. */
function watch(owner: object, name: string, before: (args: unknown[]) => void): void {
  const methods = owner as Record<string, Method>
  const original = methods[name]
  if (original === undefined) throw new Error(`there is no method ${name}`)
  methods[name] = function (this: unknown, ...args: never[]) {
    before(args)
    return original.apply(this, args)
  }
}

const pg = createRequire(import.meta.url)('pg') as { Client: { prototype: { query: (...args: unknown[]) => unknown } } }
const { query } = pg.Client.prototype
pg.Client.prototype.query = function (...args) {
  const [config] = args
  const text = typeof config === 'string' ? config : (config as { text: string }).text
  if (!/^\s*select\b(?!.*graphile_worker)/is.test(text)) step(text)
  const answer = query.apply(this, args)
  if (/^commit/i.test(text) && answer instanceof Promise) return answer.finally(() => step('committed'))
  return answer
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
  watch(child, 'send', () => step('job sent to a drawing process'))
  child.prependListener('message', () => step('answer of a drawing process'))
  return child
}) as typeof fork
syncBuiltinESMExports()
