import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram, runScript } from '../lib/child.ts'

/** Requests to one URL, on some connections at the same time. Each connection sends one request after another. */
export interface Plan {
  url: string
  connections: number
  seconds: number
  headers?: Record<string, string>
  /** Undefined for GET. */
  post?: Posts
}

export interface Posts {
  /** JSON texts, sent in rotation. */
  bodies: string[]
  /** Sends an idempotency key with each request. */
  hasKeys?: boolean
  /** A member of each response with which a later request is made: its body is an object with this member only. */
  chained?: string
}

export interface Generated {
  perSecond: number
  p50Ms: number
  p99Ms: number
}

/** What a generator prints, as JSON. */
export interface Counted {
  requests: number
  seconds: number
  p50Ms: number
  p99Ms: number
  /** Responses with a status of 400 or above. */
  refused: number
  errors: number
}

/** `wrk` needs a tenth of the processor time of a generator in JavaScript, which the service then has. */
export const GENERATOR = spawnSync('wrk', ['--version']).error === undefined ? 'wrk' : 'node'

/** Sends requests from a process of its own: `wrk` where it is installed. A refused request is a failure. */
export async function generate(plan: Plan): Promise<Generated> {
  const output =
    GENERATOR === 'wrk'
      ? await runWrk(plan)
      : await runScript(join(import.meta.dirname, 'own-generator.ts'), [], { input: JSON.stringify(plan) })
  const counted = JSON.parse(output.trim().split('\n').at(-1) ?? '') as Counted
  const { refused, errors, requests, seconds, p50Ms, p99Ms } = counted
  if (refused > 0 || errors > 0) throw new Error(`${plan.url}: ${refused} refused, ${errors} errors`)
  return { perSecond: requests / seconds, p50Ms, p99Ms }
}

async function runWrk({ url, connections, seconds, headers = {}, post }: Plan): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'platen-bench-wrk-'))
  try {
    const bodies = join(folder, 'bodies')
    if (post !== undefined) await writeFile(bodies, post.bodies.join('\n'))
    const { hasKeys = false, chained } = post ?? {}
    return await runProgram('wrk', [
      ...['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`, '--timeout', '10s'],
      ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
      ...['--script', join(import.meta.dirname, 'wrk.lua'), url],
      ...(post === undefined
        ? []
        : ['--', bodies, hasKeys ? 'keys' : '-', ...(chained === undefined ? [] : [chained])]),
    ])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
