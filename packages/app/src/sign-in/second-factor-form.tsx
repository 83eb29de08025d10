import { Button, useTexts } from '@platen/ui'
import type { SignInStep } from '../session/account.ts'
import { platen } from '../session/platen.ts'
import { session } from '../session/session.ts'
import { FactorForm } from './factors/factor-form.tsx'

export interface SecondFactorFormProps {
  step: Extract<SignInStep, { kind: 'second-factor' }>
  onDone(step: SignInStep): void
  onRestart(): void
}

/** Asks for the second factor of a sign-in. */
export function SecondFactorForm({ step, onDone, onRestart }: SecondFactorFormProps) {
  const { text } = useTexts()
  const { mfaToken, methods } = step
  return (
    <div className="form">
      <p>{text('session.secondFactorHelp')}</p>
      <FactorForm
        methods={methods}
        challenge={(method) => platen.auth.challengeSecondFactor({ mfaToken, method })}
        verify={async (proof) =>
          onDone(await session.signIn(() => platen.auth.verifySecondFactor({ mfaToken, ...proof })))
        }
      >
        <Button look="quiet" onPress={onRestart}>
          {text('session.startAgain')}
        </Button>
      </FactorForm>
    </div>
  )
}
