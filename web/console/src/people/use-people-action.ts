import { type GuardedActionOptions, useGuardedAction } from '../parts/use-guarded-action.ts'
import { PEOPLE } from './queries.ts'

/** Changes something of an account. */
export const usePeopleAction = <Result>(send: () => Promise<Result>, options: GuardedActionOptions<Result>) =>
  useGuardedAction(PEOPLE, send, options)
