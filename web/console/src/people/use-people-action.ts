import { notices } from '@platen/app/frame'
import { useGuarded } from '@platen/app/sign-in'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { PEOPLE } from './queries.ts'

export interface PeopleActionOptions {
  /** Says what has happened. */
  done: string
  onDone?(): void
}

/**
 * Changes something of an account. The administrator authenticates again if the service asks for it. Afterwards, the
 * pages about accounts read what they show again.
 */
export function usePeopleAction<Input = void>(
  send: (input: Input) => Promise<unknown>,
  { done, onDone }: PeopleActionOptions,
) {
  const guarded = useGuarded()
  const client = useQueryClient()
  return useMutation<unknown, Error, Input>({
    mutationFn: (input) => guarded(() => send(input)),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: PEOPLE })
      notices.add({ text: done, tone: 'good' })
      onDone?.()
    },
    onError: () => client.invalidateQueries({ queryKey: PEOPLE }),
  })
}
