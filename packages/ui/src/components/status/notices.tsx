import { useEffect, useState, useSyncExternalStore } from 'react'
import { classes } from '../../classes.ts'
import { Button } from '../actions/button.tsx'
import { Icon } from '../icon/icon.tsx'
import type { Notice, NoticeQueue } from './notice-queue.ts'

export interface NoticesProps {
  queue: NoticeQueue
  /** Names the region for screen readers. */
  label: string
  closeLabel: string
}

/**
 * Shows what has happened, at the end of the screen. The region is always there, because screen readers read out only
 * what is added to a live region that they know.
 */
export function Notices({ queue, label, closeLabel }: NoticesProps) {
  const notices = useSyncExternalStore(queue.onChange, queue.list)
  const [isHeld, hold] = useState(false)
  return (
    <section
      className="pl-notices"
      aria-label={label}
      aria-live="polite"
      aria-relevant="additions"
      onPointerEnter={() => hold(true)}
      onPointerLeave={() => hold(false)}
      onFocus={() => hold(true)}
      onBlur={() => hold(false)}
    >
      {notices.map((notice) => (
        <NoticeCard
          key={notice.id}
          notice={notice}
          isHeld={isHeld}
          closeLabel={closeLabel}
          onClose={() => queue.remove(notice.id)}
          onAct={() => queue.act(notice.id)}
        />
      ))}
    </section>
  )
}

interface NoticeCardProps {
  notice: Notice
  /** Whether the customer points at the notices, or has moved the focus there: they stay meanwhile. */
  isHeld: boolean
  closeLabel: string
  onClose(): void
  onAct(): void
}

function NoticeCard({ notice, isHeld, closeLabel, onClose, onAct }: NoticeCardProps) {
  const { action, text, timeoutMs, tone } = notice
  // biome-ignore lint/correctness/useExhaustiveDependencies: the notice starts to disappear anew only after a hold
  useEffect(() => {
    if (isHeld) return undefined
    const timer = setTimeout(onClose, timeoutMs)
    return () => clearTimeout(timer)
  }, [isHeld, timeoutMs])
  return (
    <div className={classes('pl-notice', tone)}>
      <Icon name={tone === 'danger' ? 'error' : tone === 'good' ? 'check' : 'info'} size={20} />
      <p>{text}</p>
      {action === undefined ? null : (
        <Button look="quiet" onPress={onAct}>
          {action.label}
        </Button>
      )}
      <Button look="quiet" isIcon aria-label={closeLabel} onPress={onClose}>
        <Icon name="close" size={18} />
      </Button>
    </div>
  )
}
