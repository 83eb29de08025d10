import type { ReactNode } from 'react'
import { Icon, type IconName } from '../icon/icon.tsx'

export interface EmptyStateProps {
  icon: IconName
  title: string
  /** What the customer can do now. */
  children?: ReactNode
  action?: ReactNode
  level?: 1 | 2 | 3
}

/** Takes the place of a list without entries, or of a page that cannot be shown. */
export function EmptyState({ icon, title, children, action, level = 2 }: EmptyStateProps) {
  const Heading = `h${level}` as const
  return (
    <div className="pl-empty">
      <Icon name={icon} size={40} />
      <Heading tabIndex={-1}>{title}</Heading>
      {children === undefined ? null : <div className="pl-empty-text">{children}</div>}
      {action}
    </div>
  )
}
