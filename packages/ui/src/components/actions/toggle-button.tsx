import type { ReactNode } from 'react'
import {
  ToggleButton as AriaToggleButton,
  type ToggleButtonProps as AriaToggleButtonProps,
} from 'react-aria-components/ToggleButton'
import {
  ToggleButtonGroup as AriaToggleButtonGroup,
  type ToggleButtonGroupProps as AriaToggleButtonGroupProps,
} from 'react-aria-components/ToggleButtonGroup'
import { classes } from '../../classes.ts'

export interface ToggleButtonProps extends Omit<AriaToggleButtonProps, 'className' | 'children' | 'style'> {
  /** Whether the button shows only an icon. It then needs `aria-label`. */
  isIcon?: boolean
  className?: string
  children?: ReactNode
}

/** A button that is on or off, such as "Bold". */
export function ToggleButton({ isIcon = false, className, ...props }: ToggleButtonProps) {
  return (
    <AriaToggleButton {...props} className={classes('pl-button', 'quiet', 'toggle', isIcon && 'icon', className)} />
  )
}

export interface ToggleButtonGroupProps extends Omit<AriaToggleButtonGroupProps, 'className' | 'children' | 'style'> {
  'aria-label': string
  children: ReactNode
}

/** Toggle buttons of which one or several are on. Each needs an `id`. */
export function ToggleButtonGroup(props: ToggleButtonGroupProps) {
  return <AriaToggleButtonGroup {...props} className="pl-toggle-group" />
}
