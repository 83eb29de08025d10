import { classes } from '@platen/ui'
import { Children, Fragment, type ReactNode } from 'react'

export interface RecordHeadingProps {
  className?: string
  /** The name of the record, and what is stated beside it, such as its status. */
  children: ReactNode
}

/** The heading of the page of a record. Screen readers read it as a list. */
export function RecordHeading({ className, children }: RecordHeadingProps) {
  return (
    <span className={classes('order-heading', className)}>
      {Children.toArray(children).map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a page keep their places
        <Fragment key={index}>
          {index === 0 ? null : <span className="visually-hidden">, </span>}
          {part}
        </Fragment>
      ))}
    </span>
  )
}
