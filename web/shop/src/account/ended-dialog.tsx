import { Button, Dialog, useTexts } from '@platen/ui'
import { useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { OWN } from '../session/queries.ts'
import { session } from '../session/session.ts'
import { SignInForm } from './sign-in-form.tsx'

/** Asks to sign in again when the service has ended the session. The page below keeps what it shows. */
export function EndedDialog({ ended }: { ended: 'guest' | 'user' }) {
  const { text } = useTexts()
  const [, navigate] = useLocation()
  const client = useQueryClient()
  const goOn = (): void => {
    session.goOnWithout()
    navigate('/')
  }
  return (
    <Dialog
      title={text('shop.sessionEnded')}
      isOpen
      staysOpen
      onClose={goOn}
      closeLabel={text('shop.goOnWithout')}
      size="small"
    >
      <p>{text(ended === 'user' ? 'shop.sessionEndedHelp' : 'shop.guestEndedHelp')}</p>
      <SignInForm onDone={() => void client.invalidateQueries({ queryKey: [OWN] })} />
      <div className="form">
        <Button look="quiet" onPress={goOn}>
          {text('shop.goOnWithout')}
        </Button>
      </div>
    </Dialog>
  )
}
