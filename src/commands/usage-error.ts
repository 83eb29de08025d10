/** A mistake in how the program was called. The message says how it is meant. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
