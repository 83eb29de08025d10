import { readFile } from 'node:fs/promises'
import type { JSONWebKeySet } from 'jose'
import { claimedIssuer, issuerKeysUrl, ReceiptRejected, verifyReceipt } from '../designs/index.ts'
import { fetchOutbound } from '../platform/outbound-http.ts'
import { CommandError, usageError } from './command-line/command-error.ts'
import { type Terminal, writeError, writeLine } from './command-line/terminal.ts'
import { userPath } from './command-line/user-path.ts'

const LIMITS = { timeoutMs: 10_000, maxBytes: 1_048_576 }

export interface VerifyOptions {
  /** URL or file of the public keys. Default: the keys of the issuer that the receipt names. */
  jwks?: string
  /** Origin of the service that must have issued the receipt. Default: any service. */
  issuer?: string
}

/**
 * Verifies files against the receipt of a finalized design.
 *
 * @param given the receipt, or the path of a file that contains it
 * @returns the exit status: 0 genuine, 1 not genuine
 * @throws {CommandError} with exit status 2 if a file or the keys cannot be read
 */
export async function verify(
  given: string,
  filePaths: string[],
  options: VerifyOptions,
  { out, err }: Terminal,
): Promise<number> {
  const expected = options.issuer === undefined ? undefined : readOrigin(options.issuer)
  const receipt = JWS.test(given) ? given : (await read(given)).toString('utf8')
  const files = await Promise.all(filePaths.map(read))
  try {
    // The issuer is checked before the keys are fetched, so that no request is sent to an unexpected issuer.
    if (expected !== undefined) requireIssuer(receipt, expected)
    const { statement, files: matched } = await verifyReceipt(
      receipt,
      await readKeys(options.jwks ?? issuerKeysUrl(receipt)),
      files,
    )
    const { finalization, design, price } = statement
    const isOver = Date.parse(price.validUntil) <= Date.now()
    const lines = [
      `Genuine. Issued at ${new Date(statement.iat * 1000).toISOString()} for user ${statement.sub}.`,
      `Issuer: ${statement.iss}`,
      `Design ${design.id}, revision ${design.revision}, finalized ${finalization.finalizedAt}, content ${finalization.contentHash}`,
      `The price ${isOver ? 'was' : 'is'} valid until ${price.validUntil}.`,
      ...matched.map(({ kind, id, sha256 }, index) => `${filePaths[index]}: ${kind} file ${id}, SHA-256 ${sha256}`),
    ]
    for (const line of lines) writeLine(line, out)
    return 0
  } catch (error) {
    if (!(error instanceof ReceiptRejected)) throw error
    writeError(`Not genuine. ${error.message}`, err)
    return 1
  }
}

/** Matches a compact JWS: three parts in base64url, of which the first begins like a JSON object (`{"`). */
const JWS = /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/

function readOrigin(text: string): string {
  const url = URL.parse(text)
  if (url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin
  throw usageError(
    `--issuer is "${text}", which is not an origin. Use only scheme and host, such as https://print.example`,
  )
}

function requireIssuer(receipt: string, expected: string): void {
  const issuer = claimedIssuer(receipt)
  if (issuer !== expected) throw new ReceiptRejected(`The receipt names the issuer ${issuer} instead of ${expected}.`)
}

async function read(path: string): Promise<Buffer> {
  return readFile(userPath(path)).catch((error: Error) => {
    throw new CommandError(`${path} cannot be read: ${error.message}. Check the path.`, 2)
  })
}

/** Reads public keys from a URL, or from a file with a copy of them. */
async function readKeys(from: string): Promise<JSONWebKeySet> {
  try {
    const isUrl = /^https?:/.test(from)
    return requireKeySet(JSON.parse(isUrl ? await fetchText(from) : (await read(from)).toString('utf8')))
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(
      `The service's keys cannot be read from ${from}: ${(error as Error).message}. Use --jwks with a file that contains the keys.`,
      2,
    )
  }
}

async function fetchText(url: string): Promise<string> {
  const response = await fetchOutbound(url, { ...LIMITS, redirect: 'follow' })
  if (!response.ok) throw new Error(`status ${response.status}`)
  return (await response.read()).toString('utf8')
}

function requireKeySet(value: unknown): JSONWebKeySet {
  const { keys } = Object(value) as { keys?: unknown }
  if (!Array.isArray(keys) || keys.length === 0) throw new Error('not a JSON Web Key Set')
  return { keys }
}
