import { Button, Icon, IconButton, type IconName } from '@platen/ui'
import type { ActionId } from '../../actions/index.ts'
import { ACTIONS } from '../../actions/index.ts'
import { useEditor } from '../../state/use-editor.ts'
import { useAction } from '../services/use-panels.ts'

export interface ActionButtonProps {
  action: ActionId
  icon: IconName
  /** Whether the name is visible beside the icon. */
  isLabelled?: boolean
}

/** A button that runs an action. Its name and its keys come from the table of actions. */
export function ActionButton({ action, icon, isLabelled = false }: ActionButtonProps) {
  const { text } = useEditor()
  const { isEnabled, run, shortcut } = useAction(action)
  const label = text(ACTIONS.find(({ id }) => id === action)?.label ?? 'moreActions')
  if (!isLabelled) {
    return <IconButton icon={icon} label={label} shortcut={shortcut} isDisabled={!isEnabled} onPress={run} />
  }
  return (
    <Button look="quiet" className="pe-labelled" isDisabled={!isEnabled} onPress={run} aria-label={label}>
      <Icon name={icon} />
      <span className="pe-button-label">{label}</span>
    </Button>
  )
}
