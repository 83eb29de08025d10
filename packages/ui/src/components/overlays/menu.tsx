import { type ReactElement, useId } from 'react'
import {
  Menu as AriaMenu,
  MenuItem,
  MenuTrigger,
  Popover,
  type PopoverProps,
  Separator,
} from 'react-aria-components/Menu'
import { classes } from '../../classes.ts'
import { Icon, type IconName } from '../icon/icon.tsx'

export interface MenuAction {
  id: string
  text: string
  icon?: IconName
  shortcut?: string
  isDanger?: boolean
  isDisabled?: boolean
  /** Makes the item a link. */
  href?: string
  onAction?(): void
}

export interface MenuProps {
  /** The button that opens the menu. */
  trigger: ReactElement
  'aria-label': string
  /** `null` separates groups. */
  actions: readonly (MenuAction | null)[]
  placement?: PopoverProps['placement']
}

export function Menu({ trigger, 'aria-label': label, actions, placement = 'bottom end' }: MenuProps) {
  return (
    <MenuTrigger>
      {trigger}
      <Popover className="pl-popover list" placement={placement}>
        <AriaMenu className="pl-list" aria-label={label}>
          {actions.map((action, index) =>
            action === null ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: separators have no identity
              <Separator key={`separator-${index}`} className="pl-list-gap" />
            ) : (
              <Action key={action.id} action={action} />
            ),
          )}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  )
}

function Action({ action }: { action: MenuAction }) {
  const { id, text, icon, shortcut, isDanger = false, isDisabled = false, href, onAction } = action
  // In a shadow root, React Aria does not find the elements of its own ids, and the keys would be part of the name.
  const shortcutId = useId()
  return (
    <MenuItem
      id={id}
      textValue={text}
      aria-label={text}
      {...(shortcut === undefined ? {} : { 'aria-describedby': shortcutId })}
      isDisabled={isDisabled}
      className={classes('pl-list-item', isDanger && 'danger')}
      {...(href === undefined ? {} : { href })}
      {...(onAction === undefined ? {} : { onAction })}
    >
      {icon === undefined ? null : <Icon name={icon} size={20} />}
      <span className="pl-list-item-text">{text}</span>
      {shortcut === undefined ? null : (
        <kbd id={shortcutId} className="pl-keys">
          {shortcut}
        </kbd>
      )}
    </MenuItem>
  )
}
