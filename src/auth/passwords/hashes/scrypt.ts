import { scryptSync, timingSafeEqual } from 'node:crypto'
import { readBytes, requireWithin, type StoredHash } from './hash-format.ts'

const PHC = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

/** Maximum of N times r. Blocks of 128 bytes then need 128 MiB of memory. */
const MAX_BLOCKS = 2 ** 20
/** Maximum of N times r times p, which determines the time. The hashes that OWASP recommends have this value. */
const MAX_WORK = 2 ** 20

/** Reads an scrypt hash (RFC 7914). */
export function readScrypt(text: string): StoredHash | undefined {
  const [, ln, r, p, saltText, hashText] = PHC.exec(text) ?? []
  if (saltText === undefined || hashText === undefined) return undefined
  const cost = 2 ** requireWithin('ln =', Number(ln), 1, 20)
  const blockSize = requireWithin('r =', Number(r), 1, 32)
  const parallelization = requireWithin('p =', Number(p), 1, 16)
  requireWithin('N * r =', cost * blockSize, 1, MAX_BLOCKS)
  requireWithin('N * r * p =', cost * blockSize * parallelization, 1, MAX_WORK)
  const { salt, expected } = readBytes(saltText, hashText)
  // The memory of the blocks and of the mixing buffers. Node rejects a smaller `maxmem`.
  const maxmem = 128 * blockSize * (cost + parallelization + 2)
  const options = { cost, blockSize, parallelization, maxmem }
  return {
    scheme: 'scrypt',
    cost: `ln=${ln},r=${r},p=${p}`,
    matches: (password) => timingSafeEqual(scryptSync(password, salt, expected.length, options), expected),
  }
}
