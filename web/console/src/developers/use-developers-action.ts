import { type GuardedActionOptions, useGuardedAction } from '../parts/use-guarded-action.ts'
import { DEVELOPERS } from './queries.ts'

/** Changes an endpoint or an API key. */
export const useDevelopersAction = <Result>(send: () => Promise<Result>, options: GuardedActionOptions<Result>) =>
  useGuardedAction(DEVELOPERS, send, options)
