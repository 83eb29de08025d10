import { OWN, session } from '@platen/app/session'
import { SignInForm } from '@platen/app/sign-in'
import { Button, Dialog, useTexts } from '@platen/ui'
import { useQueryClient } from '@tanstack/react-query'
import { useOwnUrl } from './use-own-url.ts'

/** Asks to sign in again when the service has ended the session. The page below keeps what it shows. */
export function EndedDialog() {
  const { text } = useTexts()
  const next = useOwnUrl()
  const client = useQueryClient()
  const leave = (): void => session.goOnWithout()
  return (
    <Dialog
      title={text('session.sessionEnded')}
      isOpen
      staysOpen
      onClose={leave}
      closeLabel={text('common.signOut')}
      size="small"
    >
      <p>{text('session.sessionEndedHelp')}</p>
      <SignInForm next={next} onDone={() => void client.invalidateQueries({ queryKey: [OWN] })} />
      <div className="form">
        <Button look="quiet" onPress={leave}>
          {text('common.signOut')}
        </Button>
      </div>
    </Dialog>
  )
}
