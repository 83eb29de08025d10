/**
 * The numbers of the advisory locks of the platform. A feature declares its own. Any number will do, as long as no two
 * locks share one and it stays the same: releases that run side by side must mean the same lock by it.
 */
export const LOCKS = {
  migration: 7_305_416,
  storageCollection: 7_305_420,
  dataFolder: 7_528_366,
} as const
