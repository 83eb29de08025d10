import {
  ProgressBar as AriaProgressBar,
  type ProgressBarProps as AriaProgressBarProps,
} from 'react-aria-components/ProgressBar'
import { classes } from '../../classes.ts'
import { FieldLabel } from '../fields/field-parts.tsx'

export interface ProgressBarProps extends Omit<AriaProgressBarProps, 'className' | 'children' | 'style'> {
  label: string
  /** Whether the label is only for screen readers. */
  isLabelHidden?: boolean
  className?: string
}

/** Shows how much of some work is done, from 0 to 100. Without `value` it shows that work is under way. */
export function ProgressBar({ label, isLabelHidden = false, className, ...props }: ProgressBarProps) {
  return (
    <AriaProgressBar
      {...props}
      {...(isLabelHidden ? { 'aria-label': label } : {})}
      className={classes('pl-progress', className)}
    >
      {({ percentage, valueText, isIndeterminate }) => (
        <>
          {isLabelHidden ? null : <FieldLabel>{label}</FieldLabel>}
          {isLabelHidden || isIndeterminate ? null : <span className="pl-progress-value">{valueText}</span>}
          <span className={classes('pl-progress-track', isIndeterminate && 'indeterminate')}>
            <span className="pl-progress-fill" style={isIndeterminate ? {} : { inlineSize: `${percentage ?? 0}%` }} />
          </span>
        </>
      )}
    </AriaProgressBar>
  )
}
