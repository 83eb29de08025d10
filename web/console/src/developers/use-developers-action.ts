import { notices } from '@platen/app/frame'
import { useGuarded } from '@platen/app/sign-in'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { DEVELOPERS } from './queries.ts'

export interface DevelopersActionOptions<Result> {
  /** Says what has happened. */
  done?: string
  onDone?(result: Result): void
}

/**
 * Changes an endpoint or an API key. The user authenticates again if the service asks for it. Afterwards, the pages read
 * what they show again.
 */
export function useDevelopersAction<Result>(
  send: () => Promise<Result>,
  { done, onDone }: DevelopersActionOptions<Result>,
) {
  const guarded = useGuarded()
  const client = useQueryClient()
  return useMutation<Result, Error>({
    mutationFn: () => guarded(send),
    onSuccess: (result) => {
      if (done !== undefined) notices.add({ text: done, tone: 'good' })
      onDone?.(result)
      return client.invalidateQueries({ queryKey: DEVELOPERS })
    },
  })
}
