/** A database that cannot be migrated, or does not fit the program, in words for the operator. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}
