import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { realpath, rename, rm, stat } from 'node:fs/promises'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { CommandError } from '../../command-line/command-error.ts'
import type { Output, Terminal } from '../../command-line/terminal.ts'
import { causeOf } from './request.ts'

/** Refuses to write other content than JSON to a terminal, which would interpret its control characters. */
export function requireBinaryOutput(response: Response, { out }: Terminal): void {
  if (!out.isTTY) return
  const type = response.headers.get('content-type') ?? 'no content type'
  throw new CommandError(`The response is not JSON (${type}). Save it with --output <file>, or redirect the output.`)
}

/**
 * Saves the body to a file, which appears only when it is complete. What is no regular file, such as a named pipe or
 * `/dev/null`, is written into, because a renamed file would replace it.
 */
export async function saveBody(response: Response, file: string): Promise<void> {
  try {
    // A symbolic link stays, and the file that it leads to is replaced.
    const target = await realpath(file).catch(() => file)
    const isReplaced = (await stat(file).catch(() => undefined))?.isFile() ?? true
    if (isReplaced) await replaceFile(response, target)
    else await pipeline(bodyOf(response), createWriteStream(file) as Writable)
  } catch (error) {
    throw new CommandError(`Could not save the response to ${file}: ${causeOf(error)}.`)
  }
}

async function replaceFile(response: Response, file: string): Promise<void> {
  const temporary = `${file}.${randomUUID()}`
  try {
    await pipeline(bodyOf(response), createWriteStream(temporary, { flags: 'wx' }) as Writable)
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** Writes the body as fast as the output is read, so that a large one does not fill the memory. */
export async function writeBody(response: Response, out: Output): Promise<void> {
  try {
    for await (const chunk of bodyOf(response)) await written(chunk as Uint8Array, out)
  } catch (error) {
    throw new CommandError(`The response is incomplete: ${causeOf(error)}.`)
  }
}

/** Resolves when the output has taken the bytes. If it cannot, its `error` event ends the process. */
function written(chunk: Uint8Array, out: Output): Promise<void> {
  return new Promise((resolve) => {
    out.write(chunk, (error) => {
      if (!error) resolve()
    })
  })
}

function bodyOf({ body }: Response): Readable {
  return body === null ? Readable.from([]) : Readable.fromWeb(body as ReadableStream)
}
