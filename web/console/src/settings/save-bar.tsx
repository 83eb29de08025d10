import { Button, useTexts } from '@platen/ui'
import { useSaveKeys } from '../keys/use-save-keys.ts'
import { SettingsProblem } from './settings-problem.tsx'

export interface SaveBarProps {
  action: { isPending: boolean; error: Error | null }
  /** Whether something is missing. */
  isDisabled: boolean
}

/** Saves the form that contains it, and says why it was not saved. */
export function SaveBar({ action, isDisabled }: SaveBarProps) {
  const { text } = useTexts()
  const bar = useSaveKeys<HTMLDivElement>('consoleSettings.save')
  return (
    <div className="save-bar" ref={bar}>
      <SettingsProblem error={action.error} />
      <Button type="submit" look="primary" isPending={action.isPending} isDisabled={isDisabled}>
        {text('consoleSettings.save')}
      </Button>
    </div>
  )
}
