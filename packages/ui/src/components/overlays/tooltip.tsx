import type { ReactElement } from 'react'
import {
  Tooltip as AriaTooltip,
  type TooltipProps as AriaTooltipProps,
  TooltipTrigger,
} from 'react-aria-components/Tooltip'

export interface TooltipProps {
  text: string
  shortcut?: string | undefined
  placement?: AriaTooltipProps['placement']
  /** The control that the tooltip explains. It needs a name of its own, because touch screens show no tooltips. */
  children: ReactElement
}

export function Tooltip({ text, shortcut, placement = 'bottom', children }: TooltipProps) {
  return (
    <TooltipTrigger delay={500} closeDelay={100}>
      {children}
      <AriaTooltip className="pl-tooltip" placement={placement} offset={6}>
        {text}
        {shortcut === undefined ? null : <kbd className="pl-keys">{shortcut}</kbd>}
      </AriaTooltip>
    </TooltipTrigger>
  )
}
