import { MoreTexts } from '@platen/app/frame'
import { OWN, session } from '@platen/app/session'
import { Button, Dialog, useTexts } from '@platen/ui'
import { useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { SignInForm } from './sign-in-form.tsx'

/** Asks to sign in again when the service has ended the session. The page below keeps what it shows. */
export function EndedDialog(props: { ended: 'guest' | 'user' }) {
  return (
    <MoreTexts groups={['session']} fallback={null}>
      <Ended {...props} />
    </MoreTexts>
  )
}

function Ended({ ended }: { ended: 'guest' | 'user' }) {
  const { text } = useTexts()
  const [, navigate] = useLocation()
  const client = useQueryClient()
  const goOn = (): void => {
    session.goOnWithout()
    navigate('/')
  }
  return (
    <Dialog
      title={text('session.sessionEnded')}
      isOpen
      staysOpen
      onClose={goOn}
      closeLabel={text('session.goOnWithout')}
      size="small"
    >
      <p>{text(ended === 'user' ? 'session.sessionEndedHelp' : 'session.guestEndedHelp')}</p>
      <SignInForm onDone={() => void client.invalidateQueries({ queryKey: [OWN] })} />
      <div className="form">
        <Button look="quiet" onPress={goOn}>
          {text('session.goOnWithout')}
        </Button>
      </div>
    </Dialog>
  )
}
