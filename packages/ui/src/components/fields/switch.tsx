import type { ReactNode } from 'react'
import { Switch as AriaSwitch, type SwitchProps as AriaSwitchProps } from 'react-aria-components/Switch'
import { classes } from '../../classes.ts'

export interface SwitchProps extends Omit<AriaSwitchProps, 'className' | 'children' | 'style'> {
  className?: string
  children: ReactNode
}

/** Turns something on or off at once. A choice that a form sends later is a `Checkbox`. */
export function Switch({ className, children, ...props }: SwitchProps) {
  return (
    <AriaSwitch {...props} className={classes('pl-check', className)}>
      <span className="pl-switch" aria-hidden />
      <span>{children}</span>
    </AriaSwitch>
  )
}
