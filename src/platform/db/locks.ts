/**
 * The numbers of the advisory locks of the platform. A feature declares its own numbers. Each number must be unique,
 * and must stay the same because different releases may run at the same time.
 */
export const LOCKS = {
  migration: 7_305_416,
  storageCollection: 7_305_420,
  dataFolder: 7_528_366,
} as const
