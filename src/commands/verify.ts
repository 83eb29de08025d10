import { readFile } from 'node:fs/promises'
import type { JSONWebKeySet } from 'jose'
import { claimedIssuer, issuerKeysAddress, ReceiptRejected, verifyReceipt } from '../designs/index.ts'
import { complain, say } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const FETCH_TIMEOUT_MS = 10_000

export interface VerifyOptions {
  /** Address or file of the service's public keys; those of the receipt's issuer when left out. */
  jwks?: string | undefined
  /** Origin of the service that must have issued the receipt; any when left out. */
  issuer?: string | undefined
}

/**
 * Checks files against the receipt of a finalized design, which is given as a file or as it is. Returns the exit code: 0 genuine, 1 not, 2 when that could not be
 * found out.
 */
export async function verify(paths: string[], options: VerifyOptions): Promise<number> {
  try {
    return await verifyFiles(paths, options)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    complain(`platen: ${error.message}`)
    return 2
  }
}

async function verifyFiles([given, ...filePaths]: string[], options: VerifyOptions): Promise<number> {
  if (given === undefined || filePaths.length === 0) {
    throw new UsageError('Name the receipt and at least one file: platen verify RECEIPT FILE...')
  }
  const expected = options.issuer === undefined ? undefined : readOrigin(options.issuer)
  const receipt = JWS.test(given) ? given : (await read(given)).toString('utf8')
  const files = await Promise.all(filePaths.map(read))
  try {
    // Before its keys are asked for: a stranger's address is not called.
    if (expected !== undefined) requireIssuer(receipt, expected)
    const { statement, files: matched } = await verifyReceipt(
      receipt,
      await readKeys(options.jwks ?? issuerKeysAddress(receipt)),
      files,
    )
    const { finalization, design, price } = statement
    say(`Genuine. Issued at ${new Date(statement.iat * 1000).toISOString()} for user ${statement.sub}.`)
    say(`Issuer: ${statement.iss}`)
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
    complain(`Not genuine. ${error.message}`)
    return 1
  }
}

/** A receipt itself instead of its file: three parts in base64url, of which the first is a JSON object (`{"`). */
const JWS = /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/

/** The origin that a person names, however they spell it. */
function readOrigin(text: string): string {
  const url = URL.parse(text)
  if (url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin
  throw new UsageError('--issuer takes the address of a service alone, such as https://print.example')
}

function requireIssuer(receipt: string, expected: string): void {
  const issuer = claimedIssuer(receipt)
  if (issuer !== expected) throw new ReceiptRejected(`The receipt says it is from ${issuer}, not from ${expected}.`)
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
