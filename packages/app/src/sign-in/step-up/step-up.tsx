import { PlatenError } from '@platen/client'
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'
import { MoreTexts } from '../../frame/more-texts.tsx'
import { part } from '../../frame/part.tsx'
import { StepUpCancelled } from './cancelled.ts'

/**
 * Sends a request. If the service wants a recent authentication, the customer confirms who they are, and the request is
 * sent again.
 */
export type Guarded = <T>(send: () => Promise<T>) => Promise<T>

const StepUpDialog = part(() => import('./step-up-dialog.tsx'), 'StepUpDialog', null)

const Context = createContext<Guarded | undefined>(undefined)

interface Question {
  onConfirmed(): void
  onCancel(): void
}

/** Asks for a recent authentication on behalf of everything below it. */
export function StepUp({ children }: { children: ReactNode }) {
  const [question, setQuestion] = useState<Question>()
  const ask = useCallback(async () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    setQuestion({ onConfirmed: resolve, onCancel: () => reject(new StepUpCancelled('The customer has cancelled')) })
    await promise.finally(() => setQuestion(undefined))
  }, [])
  const guarded = useCallback<Guarded>(
    async (send) => {
      try {
        return await send()
      } catch (error) {
        if (!(error instanceof PlatenError && error.code === 'step_up_required')) throw error
        await ask()
        return send()
      }
    },
    [ask],
  )
  return (
    <Context value={guarded}>
      {children}
      {question === undefined ? null : (
        <MoreTexts groups={['session']} fallback={null}>
          <StepUpDialog {...question} />
        </MoreTexts>
      )}
    </Context>
  )
}

export function useGuarded(): Guarded {
  const guarded = useContext(Context)
  if (guarded === undefined) throw new Error('The component has no StepUp above it')
  return guarded
}
