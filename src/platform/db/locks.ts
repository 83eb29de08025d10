/**
 * The numbers of the advisory locks that the program takes. Any number will do, as long as no two locks share one and it
 * stays the same: versions that run side by side must mean the same lock by it.
 */
export const LOCKS = {
  migration: 7_305_416,
  signingKeys: 7_305_417,
  securityEventChain: 7_305_418,
  smsSending: 7_305_419,
  storageCollection: 7_305_420,
  dataFolder: 7_528_366,
} as const
