import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { CommandError, usageError } from '../command-line/command-error.ts'
import { userPath } from '../command-line/user-path.ts'

/** Reads the values of `--header`. */
export function readHeaders(lines: readonly string[] = []): Headers {
  const headers = new Headers()
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:\s]+):\s*(.*)$/.exec(line) ?? []
    if (name.toLowerCase() === 'authorization') {
      throw usageError('Other users of this machine can read options. Set PLATEN_API_KEY, or run "platen login".')
    }
    try {
      headers.append(name, value)
    } catch {
      throw usageError(`The header '${line}' is not valid. Write it as 'Name: value'.`)
    }
  }
  return headers
}

/**
 * Reads the value of `--data`. Without a `Content-Type` of the caller it must be JSON, and becomes the type of the
 * request.
 */
export async function readBody(data: string, headers: Headers): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readBytes(data)
  if (!headers.has('content-type')) {
    try {
      JSON.parse(bytes.toString('utf8'))
    } catch (error) {
      const cause = (error as Error).message
      throw usageError(`--data is not JSON (${cause}). For other content, add --header 'Content-Type: ...'.`)
    }
    headers.set('content-type', 'application/json')
  }
  return new Uint8Array(bytes)
}

async function readBytes(data: string): Promise<Buffer> {
  if (data === '-') return buffer(process.stdin)
  if (!data.startsWith('@')) return Buffer.from(data)
  try {
    return await readFile(userPath(data.slice(1)))
  } catch (error) {
    throw new CommandError(`Could not read ${data.slice(1)}: ${(error as Error).message}.`)
  }
}
