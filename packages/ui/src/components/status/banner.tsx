import type { ReactNode } from 'react'
import { classes } from '../../classes.ts'
import { Icon, type IconName } from '../icon/icon.tsx'

export interface BannerProps {
  tone?: 'info' | 'good' | 'warning' | 'danger'
  children: ReactNode
  action?: ReactNode
  /** Whether screen readers read it out when it appears. */
  isLive?: boolean
}

const ICONS: Readonly<Record<NonNullable<BannerProps['tone']>, IconName>> = {
  info: 'info',
  good: 'check',
  warning: 'warning',
  danger: 'error',
}

/** States something about the page that stays true for a while. Something that has happened is a notice. */
export function Banner({ tone = 'info', children, action, isLive = false }: BannerProps) {
  return (
    <div className={classes('pl-banner', tone)} {...(isLive ? { role: tone === 'danger' ? 'alert' : 'status' } : {})}>
      <Icon name={ICONS[tone]} size={20} />
      <div className="pl-banner-text">{children}</div>
      {action}
    </div>
  )
}
