import { classes } from '@platen/ui'
import { type ReactNode, useEffect, useRef } from 'react'
import { shopName } from './config.ts'

/** The first page of a visit leaves the focus to the browser. Later ones move it to their heading. */
let isFirstPage = true

export interface PageProps {
  /** The heading and the title of the document. */
  title: string
  /** The heading, if it is more than the title. */
  heading?: ReactNode
  /** Whether the heading is only for screen readers. */
  isHeadingHidden?: boolean
  width?: 'wide' | 'narrow'
  /** Beside the heading. */
  actions?: ReactNode
  children?: ReactNode
}

/** The content of a page. Screen readers read its heading when the customer navigates to it. */
export function Page({ title, heading: shown = title, isHeadingHidden = false, width, actions, children }: PageProps) {
  const content = useRef<HTMLDivElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  useTitle(title)
  useEffect(() => {
    // A field of the page may have taken the focus, such as one for a scanner.
    const hasFocus = content.current?.contains(document.activeElement) === true
    if (!isFirstPage && !hasFocus) heading.current?.focus({ preventScroll: true })
    isFirstPage = false
  }, [])
  return (
    <div ref={content} className={classes('page', width)}>
      <div className={classes('page-head', isHeadingHidden && 'visually-hidden')}>
        <h1 ref={heading} tabIndex={-1}>
          {shown}
        </h1>
        {actions}
      </div>
      {children}
    </div>
  )
}

/** Sets the title of the document. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === shopName ? shopName : `${title} – ${shopName}`
  }, [title])
}
