import type { ReactElement, ReactNode } from 'react'
import {
  Dialog as AriaDialog,
  Popover as AriaPopover,
  type PopoverProps as AriaPopoverProps,
  DialogTrigger,
  PopoverContext,
} from 'react-aria-components/Popover'
import { useSlottedContext } from 'react-aria-components/slots'

export interface PopoverProps {
  /** The button that opens the popover. */
  trigger: ReactElement
  'aria-label': string
  placement?: AriaPopoverProps['placement']
  isOpen?: boolean
  onOpenChange?(isOpen: boolean): void
  children: ReactNode | ((close: () => void) => ReactNode)
}

/** Shows controls beside the button that opens it. */
export function Popover({ trigger, 'aria-label': label, placement, isOpen, onOpenChange, children }: PopoverProps) {
  return (
    <DialogTrigger
      {...(isOpen === undefined ? {} : { isOpen })}
      {...(onOpenChange === undefined ? {} : { onOpenChange })}
    >
      {trigger}
      <NamedByDialog>
        <AriaPopover className="pl-popover" {...(placement === undefined ? {} : { placement })}>
          <AriaDialog className="pl-popover-dialog" aria-label={label}>
            {({ close }) => (typeof children === 'function' ? children(close) : children)}
          </AriaDialog>
        </AriaPopover>
      </NamedByDialog>
    </DialogTrigger>
  )
}

/** Takes the name of the trigger from the frame around the dialog. A frame with a name is content outside of landmarks. */
function NamedByDialog({ children }: { children: ReactNode }) {
  const { 'aria-labelledby': _, ...context } = useSlottedContext(PopoverContext) ?? {}
  return <PopoverContext.Provider value={context}>{children}</PopoverContext.Provider>
}
