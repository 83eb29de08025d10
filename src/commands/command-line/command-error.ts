/** A failure that the operator can act on. The message says what failed, then what to try. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitStatus: number

  constructor(message: string, exitStatus = 1) {
    super(message)
    this.exitStatus = exitStatus
  }
}

/** Exit status for invalid settings, EX_CONFIG of sysexits.h. A start with the same settings would fail again. */
export const INVALID_SETTINGS = 78

/** Makes the error for an invalid command line. Its exit status is 2. */
export function usageError(message: string): CommandError {
  return new CommandError(message, 2)
}
