import { notices } from '@platen/app/frame'
import { useGuarded } from '@platen/app/sign-in'
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'

export interface GuardedActionOptions<Result> {
  /** Says what has happened. */
  done?: string
  onDone?(result: Result): void
}

/**
 * Changes something that needs a recent authentication: the user authenticates again if the service asks for it.
 * Afterwards, also after a failure, queries whose keys begin with `queryKey` read again what they show.
 */
export function useGuardedAction<Result>(
  queryKey: QueryKey,
  send: () => Promise<Result>,
  { done, onDone }: GuardedActionOptions<Result>,
) {
  const guarded = useGuarded()
  const client = useQueryClient()
  return useMutation<Result, Error>({
    mutationFn: () => guarded(send),
    onSuccess: (result) => {
      if (done !== undefined) notices.add({ text: done, tone: 'good' })
      onDone?.(result)
    },
    onSettled: () => client.invalidateQueries({ queryKey }),
  })
}
