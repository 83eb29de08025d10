/** Ids of the advisory locks of this feature. They must differ from `LOCKS` of the platform. */
export const AUTH_LOCKS = {
  signingKeys: 7_305_417,
  securityEventChain: 7_305_418,
  smsSending: 7_305_419,
  secretRotation: 7_305_421,
} as const
