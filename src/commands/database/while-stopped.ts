import { EmbeddedPostgresError } from '../../platform/postgres/index.ts'
import { CommandError } from '../command-line/command-error.ts'

/**
 * Runs work that needs the embedded database for itself.
 *
 * @throws {CommandError} if the service is running on the database. It says that nothing was `done`, such as "copied"
 */
export async function whileStopped<T>(done: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof EmbeddedPostgresError && error.code === 'in_use')) throw error
    throw new CommandError(
      `The service is running on the embedded database. Nothing was ${done}. Stop it, then try again.`,
    )
  }
}
