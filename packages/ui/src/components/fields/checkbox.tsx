import type { ReactNode } from 'react'
import { Checkbox as AriaCheckbox, type CheckboxProps as AriaCheckboxProps } from 'react-aria-components/Checkbox'
import { classes } from '../../classes.ts'
import { Icon } from '../icon/icon.tsx'

export interface CheckboxProps extends Omit<AriaCheckboxProps, 'className' | 'children' | 'style'> {
  className?: string
  children: ReactNode
}

export function Checkbox({ className, children, ...props }: CheckboxProps) {
  return (
    <AriaCheckbox {...props} className={classes('pl-check', className)}>
      {({ isIndeterminate }) => (
        <>
          <span className="pl-check-box" aria-hidden>
            <Icon name={isIndeterminate ? 'minus' : 'check'} size={16} />
          </span>
          <span>{children}</span>
        </>
      )}
    </AriaCheckbox>
  )
}
