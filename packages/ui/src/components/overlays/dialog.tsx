import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components/Modal'
import { classes } from '../../classes.ts'
import { Button } from '../actions/button.tsx'
import { Icon } from '../icon/icon.tsx'

export interface DialogProps {
  title: string
  isOpen: boolean
  /** Called when the customer closes the dialog: Escape, a press outside, the button. Without it, none of these closes. */
  onClose?: (() => void) | undefined
  /** The accessible name of the button that closes the dialog. */
  closeLabel: string
  /** Whether a press outside leaves the dialog open, because it holds input. */
  staysOpen?: boolean
  size?: 'small' | 'normal' | 'large'
  role?: 'dialog' | 'alertdialog'
  /** The id of a text in the dialog that screen readers read after its title. */
  'aria-describedby'?: string | undefined
  children: ReactNode
  /** The actions at the end. The main one comes last. */
  footer?: ReactNode
}

/** Asks for something before the customer goes on. On phones it fills the lower part of the screen. */
export function Dialog(props: DialogProps) {
  const { title, isOpen, onClose, closeLabel, staysOpen = false, size = 'normal', role = 'dialog' } = props
  const describedBy = props['aria-describedby']
  return (
    <ModalOverlay
      className="pl-overlay"
      isOpen={isOpen}
      isDismissable={onClose !== undefined && !staysOpen && role === 'dialog'}
      isKeyboardDismissDisabled={onClose === undefined}
      onOpenChange={(open) => {
        if (!open) onClose?.()
      }}
    >
      <Modal className={classes('pl-modal', size)}>
        {/* React Aria does not find the heading in a shadow root, and would leave the dialog without a name. */}
        <AriaDialog
          className="pl-dialog"
          role={role}
          aria-label={title}
          {...(describedBy === undefined ? {} : { 'aria-describedby': describedBy })}
        >
          <div className="pl-dialog-head">
            <Heading slot="title">{title}</Heading>
            {onClose === undefined ? null : (
              <Button look="quiet" isIcon aria-label={closeLabel} onPress={onClose}>
                <Icon name="close" />
              </Button>
            )}
          </div>
          <div className="pl-dialog-body">{props.children}</div>
          {props.footer === undefined ? null : <div className="pl-dialog-foot">{props.footer}</div>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}
