import { isFullDisk } from '../../platform/file-system/full-disk.ts'
import { CommandError } from '../command-line/command-error.ts'

/**
 * Runs work, and names a full disk as the reason if it fails for that. A backup must not seem to be damaged then.
 *
 * @param outcome what did not happen, as the beginning of the message
 */
export async function namingFullDisk<T>(outcome: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isFullDisk(error)) throw error
    throw new CommandError(
      `${outcome}, because a disk is full: ${(error as Error).message}. No backup is damaged by this. Free space, and run ` +
        'the command again.',
    )
  }
}
