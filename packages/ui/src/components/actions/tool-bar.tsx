import type { ReactNode } from 'react'
import { Separator } from 'react-aria-components/Separator'
import { Toolbar as AriaToolbar, type ToolbarProps as AriaToolbarProps } from 'react-aria-components/Toolbar'
import { classes } from '../../classes.ts'

export interface ToolBarProps extends Omit<AriaToolbarProps, 'className' | 'children' | 'style'> {
  'aria-label': string
  className?: string
  children: ReactNode
}

/** A row or column of controls with one stop of the Tab key. The arrow keys move inside. */
export function ToolBar({ className, ...props }: ToolBarProps) {
  return <AriaToolbar {...props} className={classes('pl-tool-bar', className)} />
}

/** Separates groups of controls in a `ToolBar`. */
export function ToolBarGap({ orientation = 'vertical' }: { orientation?: 'horizontal' | 'vertical' }) {
  return <Separator orientation={orientation} className="pl-tool-bar-gap" />
}
