import { execFile } from 'node:child_process'
import type pg from 'pg'
import { bundleService } from '../../scripts/lib/service-process.ts'
import { reportFailure } from './command-line/report-failure.ts'
import { createProgram } from './program.ts'

export interface Ended {
  code: number
  out: string
  err: string
}

/** Runs `platen` in a separate process with only these settings. */
export function platen(args: readonly string[], settings: Record<string, string> = {}): Promise<Ended> {
  const env = { PATH: process.env['PATH'], ...settings }
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [bundleService(), ...args],
      { env, timeout: 180_000 },
      (_error, out, err) => {
        resolve({ code: child.exitCode ?? -1, out, err })
      },
    )
  })
}

/** Returns the URL of a database on a Unix socket or a host. */
export function databaseUrl({ host, port, user, database }: pg.PoolConfig): string {
  return `postgresql://${user}@/${database}?${new URLSearchParams({ host: String(host), port: String(port) })}`
}

/** Runs `platen` in this process, and records what it writes. */
export async function platenHere(args: readonly string[], { isTTY = false } = {}): Promise<Ended & { bytes: Buffer }> {
  const written = { out: [] as Buffer[], err: [] as Buffer[] }
  const record = (chunks: Buffer[]) => ({
    write: (text: string | Uint8Array, done?: unknown) => {
      if (typeof done === 'function') process.nextTick(done)
      return chunks.push(Buffer.from(text as string)) > 0
    },
  })
  const terminal = { out: { ...record(written.out), isTTY }, err: record(written.err) }
  const code = await createProgram(terminal)
    .run(args)
    .catch((error: unknown) => reportFailure(error, terminal.err))
  const bytes = Buffer.concat(written.out)
  return { code, bytes, out: bytes.toString(), err: Buffer.concat(written.err).toString() }
}
