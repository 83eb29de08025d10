import { CommandError, usageError } from '../command-line/command-error.ts'
import { type Terminal, writeError, writeLine } from '../command-line/terminal.ts'
import {
  type ConnectionOptions,
  DEFAULT_ORIGIN,
  givenOrigin,
  profileName,
  refuseOpenHttp,
} from './requests/connection.ts'
import { findProfile, profilesFile, removeProfile } from './requests/profiles.ts'
import { openPrompt } from './sign-in/prompt.ts'
import { howToRevoke, type IssuedKey, revokeKey, withSession } from './sign-in/session.ts'

export interface LogoutOptions extends ConnectionOptions {
  email?: string
  key?: string
  keepKey?: boolean
}

/**
 * Revokes the API key of a profile and removes the profile, which works even if the key cannot be revoked. With
 * `--key`, it revokes that key only.
 */
export async function logout(options: LogoutOptions, terminal: Terminal): Promise<number> {
  checkOptions(options)
  const name = profileName(options)
  const profile = await findProfile(name)
  if (options.key !== undefined) {
    const url = givenOrigin(options) ?? profile?.url ?? DEFAULT_ORIGIN
    refuseOpenHttp(url, options)
    return reportRevocation({ url, keyId: options.key }, options, terminal)
  }
  if (profile === undefined) throw new CommandError(`The profile "${name}" does not exist, so nothing was done.`)
  if (options.keepKey === true) {
    await remove(name, terminal)
    writeLine(`The API key ${profile.keyId} stays valid until it expires.`, terminal.out)
    return 0
  }
  // An API key cannot revoke itself: only the account can, after it has signed in.
  const status = await reportRevocation(profile, options, terminal)
  await remove(name, terminal)
  return status
}

function checkOptions({ key, keepKey, url }: LogoutOptions): void {
  if (key === undefined && url !== undefined) {
    throw usageError('--url names the service of --key. The key of a profile is revoked at the service that issued it.')
  }
  if (key !== undefined && keepKey === true) throw usageError('--key revokes a key, so it excludes --keep-key.')
}

async function remove(name: string, { out }: Terminal): Promise<void> {
  await removeProfile(name)
  writeLine(`Removed the profile "${name}" from ${profilesFile()}.`, out)
}

/** Revokes a key and prints the outcome. Returns the exit status. */
async function reportRevocation(key: IssuedKey, options: LogoutOptions, terminal: Terminal): Promise<number> {
  const failure = await revoke(key, options, terminal)
  if (failure === undefined) {
    writeLine(`The API key ${key.keyId} of ${key.url} is revoked.`, terminal.out)
    return 0
  }
  for (const line of failure.split('\n')) writeError(line, terminal.err)
  writeError(`The API key ${key.keyId} of ${key.url} was not revoked. ${howToRevoke(key)}`, terminal.err)
  return 1
}

/** Returns why the key could not be revoked. Returns undefined if it is no longer valid. */
async function revoke(key: IssuedKey, { email }: LogoutOptions, terminal: Terminal): Promise<string | undefined> {
  const prompt = openPrompt()
  try {
    const options = { origin: key.url, email, prompt, terminal }
    const isRevoked = await withSession(options, (session) => revokeKey(session, key))
    return isRevoked ? undefined : `The account at ${key.url} has no API key ${key.keyId}.`
  } catch (error) {
    if (error instanceof CommandError) return error.message
    throw error
  } finally {
    prompt.close()
  }
}
