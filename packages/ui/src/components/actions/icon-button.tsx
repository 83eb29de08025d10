import { Icon, type IconName } from '../icon/icon.tsx'
import { Tooltip } from '../overlays/tooltip.tsx'
import { Button, type ButtonProps } from './button.tsx'

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'isIcon' | 'aria-label'> {
  icon: IconName
  /** The accessible name, and the text of the tooltip. */
  label: string
  /** The keys that do the same, such as `Ctrl+Z`. */
  shortcut?: string | undefined
}

/** A button that shows an icon, and its name in a tooltip. */
export function IconButton({ icon, label, shortcut, look = 'quiet', ...props }: IconButtonProps) {
  return (
    <Tooltip text={label} shortcut={shortcut}>
      <Button {...props} look={look} isIcon aria-label={label}>
        <Icon name={icon} />
      </Button>
    </Tooltip>
  )
}
