import { createHmac } from 'node:crypto'
import type { KeyDerivation } from '../keys/secrets.ts'

/**
 * Returns a pseudonym under which the service remembers an email address for a short time after its account was
 * deleted. Computing it requires the secret of the service.
 */
export function emailPseudonym(keys: KeyDerivation, email: string): string {
  return createHmac('sha256', keys.derive('platen email pseudonyms 1')).update(email).digest('hex')
}
