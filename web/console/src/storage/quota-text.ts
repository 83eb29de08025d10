import type { Texts } from '@platen/ui'

/** A quota in bytes. Null stands for no limit. */
export const quotaText = ({ text, formats }: Texts, quota: number | null): string =>
  quota === null ? text('consoleStorage.unlimited') : formats.bytes(quota)
