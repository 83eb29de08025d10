import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ConfigError } from './config-error.ts'
import { readOrRefuse } from './files.ts'
import type { Check } from './kinds.ts'

/** 256 bits in base64url, or in base64 with its padding. */
const FORM = /^(?:[A-Za-z0-9_-]{43}|[A-Za-z0-9+/]{43}=)$/

const EXPECTED = '32 random bytes in base64. Generate them with: openssl rand -base64 32'

/** Accepts a secret of 256 bits and returns it in base64url. Messages never contain it. */
export const checkSecretKey: Check = (value, { name }) => {
  if (FORM.test(value)) return toBase64url(value)
  throw new ConfigError(name, `is not a secret: expected ${EXPECTED}`)
}

/** Accepts the path of a file that contains such a secret, such as `secret.key` of a data folder. */
export const checkSecretKeyFile: Check = (value, { name }) => {
  if (FORM.test(value)) throw new ConfigError(name, 'is a secret and not a path. Set PLATEN_SECRET_KEY to it instead.')
  const path = resolve(value)
  const text = readOrRefuse(name, path, () => readFileSync(path, 'utf8')).trim()
  if (FORM.test(text)) return toBase64url(text)
  throw new ConfigError(name, `names "${value}", which contains no secret: expected ${EXPECTED}`)
}

const toBase64url = (text: string): string => Buffer.from(text, 'base64').toString('base64url')

type Values = { readonly [N in `${typeof NAME | typeof PREVIOUS}${'' | '_FILE'}`]: string | undefined }

const NAME = 'PLATEN_SECRET_KEY'
const PREVIOUS = 'PLATEN_SECRET_KEY_PREVIOUS'

/**
 * Returns the secrets of the settings, in base64url, and the variable that has the first one. Undefined if the secret is in
 * the data folder.
 */
export function readSecretKeys(
  values: Values,
): Record<'secretKey' | 'previousSecretKey' | 'secretKeyName', string | undefined> {
  const secretKey = readOne(values, NAME)
  const previousSecretKey = readOne(values, PREVIOUS)
  const secretKeyName = values[NAME] !== undefined ? NAME : secretKey && `${NAME}_FILE`
  if (previousSecretKey === undefined) return { secretKey, previousSecretKey, secretKeyName }
  if (secretKey === undefined) {
    throw new ConfigError(PREVIOUS, `is set without ${NAME}, the new secret. Without both, secret.key is used.`)
  }
  if (secretKey === previousSecretKey) {
    throw new ConfigError(PREVIOUS, `is the same secret as ${NAME}. Remove it, or set ${NAME} to a new secret.`)
  }
  return { secretKey, previousSecretKey, secretKeyName }
}

function readOne(values: Values, name: typeof NAME | typeof PREVIOUS): string | undefined {
  const [key, fromFile] = [values[name], values[`${name}_FILE`]]
  if (key !== undefined && fromFile !== undefined) {
    throw new ConfigError(`${name}_FILE`, `is set beside ${name}. Remove one of them.`)
  }
  return key ?? fromFile
}
