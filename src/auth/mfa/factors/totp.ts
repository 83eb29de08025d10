import { randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { renderSVG } from 'uqr'
import { seal, unsealWithAny } from '../../../platform/cryptography/sealed-box.ts'
import type { KeyDerivation } from '../../keys/secrets.ts'

/** 160 bits, as RFC 4226, section 4, recommends. */
const SECRET_BYTES = 20
const PERIOD_SECONDS = 30

/** Purpose for which the encryption key of the secrets is derived. */
export const TOTP_SECRETS = 'platen totp secrets 1'

/**
 * The codes of the previous and the next time step are accepted, too, because users are slow and clocks differ (RFC
 * 6238, section 5.2).
 */
const TOLERANCE_STEPS = 1

export function newTotpSecret(): Buffer {
  return randomBytes(SECRET_BYTES)
}

/** Returns the data for an authenticator app: as text, as a URL and as a QR code. */
export function enrolmentOf(secret: Buffer, { issuer, account }: { issuer: string; account: string }) {
  const totp = totpOf(secret, { issuer, account })
  const otpauthUri = totp.toString()
  return { secret: totp.secret.base32, otpauthUri, qrCodeSvg: renderSVG(otpauthUri, { ecc: 'M', border: 4 }) }
}

/**
 * Finds the time step of a code (RFC 6238: seconds since 1970, divided by 30). Returns undefined if the code is wrong.
 * The caller must accept each time step only once.
 */
export function stepOf(secret: Buffer, code: string, now: Date): number | undefined {
  const token = withoutBlanks(code)
  if (!/^\d{6}$/.test(token)) return undefined
  const timestamp = now.getTime()
  const delta = totpOf(secret).validate({ token, timestamp, window: TOLERANCE_STEPS })
  return delta === null ? undefined : TOTP.counter({ period: PERIOD_SECONDS, timestamp }) + delta
}

/** Removes blanks from a code. Apps and messages show codes in groups, and users copy the blanks. */
export function withoutBlanks(code: string): string {
  return code.replaceAll(/\s/g, '')
}

/** SHA-1, six digits and 30 seconds are the only values that every authenticator app supports. */
function totpOf(secret: Buffer, { issuer = '', account = '' } = {}): TOTP {
  return new TOTP({
    issuer,
    label: account,
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_SECONDS,
    secret: new Secret({ buffer: Uint8Array.from(secret).buffer }),
  })
}

export function sealSecret({ keys }: { keys: KeyDerivation }, factorId: string, secret: Buffer): Buffer {
  return seal(keys.derive(TOTP_SECRETS), secret, factorId)
}

export function unsealSecret({ keys }: { keys: KeyDerivation }, factorId: string, sealed: Buffer): Buffer {
  return unsealWithAny(keys.deriveAll(TOTP_SECRETS), sealed, factorId)
}
