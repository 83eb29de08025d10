/** The tokens of a session. Treat them as secrets. */
export interface SessionTokens {
  accessToken: string
  /** Undefined if the refresh token is in a cookie. */
  refreshToken?: string | undefined
  /** Time until which the access token is used, in milliseconds since 1970: a little before its end. */
  expiresAt: number
}
