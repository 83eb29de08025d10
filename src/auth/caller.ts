/** The program that acts: the sender of a request, a job or a command. */
export interface Client {
  ip: string
  userAgent: string
  /** Value of the device cookie, if the client sent one. */
  deviceCookie: string | undefined
}

/**
 * A user in a session, as opposed to an API key. It has no role: an action that depends on the role reads it under the
 * user's lock.
 */
export interface Caller {
  userId: string
  sessionId: string
  client: Client
}
