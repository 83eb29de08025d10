import { CommandError } from '../command-error.ts'
import { type Terminal, writeError, writeLine } from '../terminal.ts'
import { profileName } from './connection.ts'
import { findProfile, type Profile, profilesFile, removeProfile } from './profiles.ts'
import { openPrompt } from './prompt.ts'
import { revokeKey, withSession } from './session.ts'

export interface LogoutOptions {
  profile?: string
  email?: string
  keepKey?: boolean
}

/** Revokes the API key of a profile and removes the profile, which works even if the key cannot be revoked. */
export async function logout(options: LogoutOptions, terminal: Terminal): Promise<number> {
  const name = profileName(options)
  const profile = await findProfile(name)
  if (profile === undefined) throw new CommandError(`The profile "${name}" does not exist, so nothing was done.`)
  // An API key cannot revoke itself: only the account can, after it has signed in.
  const failure = options.keepKey === true ? undefined : await revoke(profile, options.email, terminal)
  await removeProfile(name)
  writeLine(`Removed the profile "${name}" from ${profilesFile()}.`, terminal.out)
  if (options.keepKey === true) {
    writeLine(`The API key ${profile.keyId} stays valid until it expires.`, terminal.out)
    return 0
  }
  if (failure === undefined) {
    writeLine(`The API key ${profile.keyId} of ${profile.url} is revoked.`, terminal.out)
    return 0
  }
  for (const line of failure.message.split('\n')) writeError(line, terminal.err)
  writeError(`The API key ${profile.keyId} of ${profile.url} was not revoked. Revoke it in your account.`, terminal.err)
  return 1
}

/** Returns why the key could not be revoked. Returns undefined if it is no longer valid. */
async function revoke(
  { url, keyId }: Profile,
  email: string | undefined,
  terminal: Terminal,
): Promise<CommandError | undefined> {
  const prompt = openPrompt()
  try {
    await withSession({ origin: url, email, prompt, terminal }, (session) => revokeKey(session, keyId))
    return undefined
  } catch (error) {
    if (error instanceof CommandError) return error
    throw error
  } finally {
    prompt.close()
  }
}
