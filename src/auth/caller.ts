/** The sender of a request, as recorded in security events and used for throttling. */
export interface Client {
  ip: string
  userAgent: string
  /** Value of the device cookie, if the client sent one. */
  deviceCookie: string | undefined
}

/**
 * A user who sent a request in a session, not with an API key. It has no role: an action that depends on the role reads
 * it after locking the user.
 */
export interface Caller {
  userId: string
  sessionId: string
  client: Client
}
