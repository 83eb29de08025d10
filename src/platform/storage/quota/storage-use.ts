/** Storage that an account uses and may use, in bytes. `quota` is null if there is no limit. */
export interface StorageUse {
  /** Includes uploads that are still being received. */
  used: number
  quota: number | null
}
