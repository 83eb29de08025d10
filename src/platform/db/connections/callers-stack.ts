/**
 * Waits for a statement. The stack that the driver gives an error leads to the socket. This one leads to the code that
 * needed the statement.
 */
export async function withCallersStack<T>(statement: Promise<T>): Promise<T> {
  try {
    return await statement
  } catch (error) {
    if (error instanceof Error) Error.captureStackTrace(error)
    throw error
  }
}
