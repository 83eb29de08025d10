import { readFile } from 'node:fs/promises'
import type { JSONWebKeySet } from 'jose'
import { issuerKeysAddress, ReceiptRejected, verifyReceipt } from '../designs/index.ts'
import { UsageError } from './usage-error.ts'

const FETCH_TIMEOUT_MS = 10_000

/**
 * Checks files against the receipt of a finalized design. Returns the exit code: 0 genuine, 1 not, 2 when that could not be
 * found out.
 */
export async function verify(paths: string[], keysFrom: string | undefined): Promise<number> {
  try {
    return await verifyFiles(paths, keysFrom)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`platen: ${error.message}\n`)
    return 2
  }
}

async function verifyFiles([receiptPath, ...filePaths]: string[], keysFrom: string | undefined): Promise<number> {
  if (receiptPath === undefined || filePaths.length === 0) {
    throw new UsageError('Name the receipt and at least one file: platen verify RECEIPT FILE...')
  }
  const receipt = (await read(receiptPath)).toString('utf8')
  const files = await Promise.all(filePaths.map(read))
  try {
    const { statement, files: matched } = await verifyReceipt(
      receipt,
      await readKeys(keysFrom ?? issuerKeysAddress(receipt)),
      files,
    )
    const { finalization, design, price } = statement
    say(
      `Genuine. Issued by ${statement.iss} at ${new Date(statement.iat * 1000).toISOString()} for user ${statement.sub}.`,
    )
    say(
      `Design ${design.id}, revision ${design.revision}, finalized ${finalization.finalizedAt}, content ${finalization.contentHash}`,
    )
    const isOver = Date.parse(price.validUntil) <= Date.now()
    say(`Price ${isOver ? 'was held' : 'held'} until ${price.validUntil}.`)
    for (const [index, file] of matched.entries())
      say(`${filePaths[index]}: ${file.kind} file ${file.id}, SHA-256 ${file.sha256}`)
    return 0
  } catch (error) {
    if (!(error instanceof ReceiptRejected)) throw error
    process.stderr.write(`Not genuine. ${error.message}\n`)
    return 1
  }
}

async function read(path: string): Promise<Buffer> {
  return readFile(path).catch((error: Error) => {
    throw new UsageError(`${path} cannot be read: ${error.message}`)
  })
}

/** The service's public keys, from its address or from a copy kept for the day when the service is gone. */
async function readKeys(from: string): Promise<JSONWebKeySet> {
  try {
    const isAddress = /^https?:/.test(from)
    return requireKeySet(JSON.parse(isAddress ? await fetchText(from) : (await read(from)).toString('utf8')))
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(
      `The service's keys cannot be read from ${from}: ${(error as Error).message}. Name a copy with --jwks.`,
    )
  }
}

async function fetchText(address: string): Promise<string> {
  const answer = await fetch(address, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) })
  if (!answer.ok) throw new Error(`status ${answer.status}`)
  return answer.text()
}

function requireKeySet(value: unknown): JSONWebKeySet {
  const { keys } = Object(value) as { keys?: unknown }
  if (!Array.isArray(keys) || keys.length === 0) throw new Error('it is no JSON Web Key Set')
  return { keys }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
