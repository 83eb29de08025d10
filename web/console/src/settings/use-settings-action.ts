import { type GuardedActionOptions, useGuardedAction } from '../parts/use-guarded-action.ts'
import { SETTINGS } from './queries.ts'

/** Changes a setting. */
export const useSettingsAction = <Result>(send: () => Promise<Result>, options: GuardedActionOptions<Result>) =>
  useGuardedAction(SETTINGS, send, options)
