import type { MouseEvent, ReactNode, Ref } from 'react'
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button'
import { classes } from '../../classes.ts'

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'children' | 'style' | 'isPending'> {
  /** `primary` for the one main action of a view, `quiet` for actions in toolbars. */
  look?: 'primary' | 'normal' | 'quiet' | 'danger'
  /** Whether the button shows only an icon. It then needs `aria-label`. */
  isIcon?: boolean
  /** Whether its work is under way. The button keeps the focus, and presses have no effect. */
  isPending?: boolean
  className?: string
  children?: ReactNode
  ref?: Ref<HTMLButtonElement>
}

const STAY_IN_FIELD = {
  preventFocusOnPress: true,
  onMouseDown: (event: MouseEvent) => event.preventDefault(),
}

export function Button({ look = 'normal', isIcon = false, isPending = false, className, ...props }: ButtonProps) {
  const names = classes('pl-button', look, isIcon && 'icon', isPending && 'pending', className)
  // A field that loses the focus forgets its error, and the button would move away under the pointer.
  const stay = props.type === 'submit' ? STAY_IN_FIELD : {}
  if (!isPending) return <AriaButton {...stay} {...props} className={names} />
  // The pending state of React Aria leaves an element in the page that announces a button that is gone.
  const { onPress: _, ...rest } = props
  return <AriaButton {...rest} type="button" aria-disabled className={names} />
}
