import { notices, problemText } from '@platen/app/frame'
import { platen, session } from '@platen/app/session'
import { Button, type ButtonProps, useTexts } from '@platen/ui'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'

/** Ends the session of this browser, in the shop too. */
export function SignOutButton({ look = 'quiet', children }: { look?: ButtonProps['look']; children: ReactNode }) {
  const texts = useTexts()
  const leave = useMutation({
    mutationFn: () => session.leave(() => platen.auth.logout()),
    onError: (error) => notices.add({ text: problemText(texts, error), tone: 'danger' }),
  })
  return (
    <Button look={look} isPending={leave.isPending} onPress={() => leave.mutate()}>
      {children}
    </Button>
  )
}
