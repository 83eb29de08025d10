/**
 * The secret of the service is missing or unusable, or is not that of the database. The message is for the operator.
 */
export class SecretError extends Error {
  override readonly name = 'SecretError'
}
