/** The database cannot be migrated, or does not fit the program. The message is for the operator. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}
