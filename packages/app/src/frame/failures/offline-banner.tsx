import { Banner, useText } from '@platen/ui'
import { useSyncExternalStore } from 'react'

function onChange(listener: () => void): () => void {
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}

/** States that the browser has no connection. The region is always there, so that screen readers notice the text. */
export function OfflineBanner() {
  const text = useText()
  const isOnline = useSyncExternalStore(onChange, () => navigator.onLine)
  return (
    <div role="status" className="offline">
      {isOnline ? null : <Banner tone="warning">{text('common.offline')}</Banner>}
    </div>
  )
}
