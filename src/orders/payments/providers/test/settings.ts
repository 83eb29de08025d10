import type { ProviderSettings } from '../settings.ts'

export const testSettings: ProviderSettings<Record<never, never>, object> = {
  table: {},
  required: [],
  isTestOnly: true,
  read: () => ({}),
}
