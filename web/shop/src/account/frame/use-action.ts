import { ACCOUNT, useGuarded } from '@platen/app/sign-in'
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'

/**
 * Changes something of the account. The customer confirms who they are if the service asks for it. Afterwards, the
 * pages of the account read what they show again.
 */
export function useAction<Result, Input = void>(
  send: (input: Input) => Promise<Result>,
  onDone?: (result: Result) => unknown,
): UseMutationResult<Result, Error, Input> {
  const guarded = useGuarded()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input) => guarded(() => send(input)),
    onSuccess: async (result) => {
      await client.invalidateQueries({ queryKey: ACCOUNT })
      await onDone?.(result)
    },
  })
}
