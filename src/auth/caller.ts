/** The program that acts: the sender of a request, or a job or a command. */
export interface Client {
  ip: string
  userAgent: string
  /** Value of the device cookie; undefined for a client that sent none. */
  deviceCookie: string | undefined
}

/**
 * A person in a session of their own, as opposed to an API key. Without their role: an action that depends on it reads it
 * under the user's lock.
 */
export interface Caller {
  userId: string
  sessionId: string
  client: Client
}
