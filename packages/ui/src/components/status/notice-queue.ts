export interface Notice {
  id: number
  text: string
  tone: 'info' | 'good' | 'danger'
  action?: { label: string; run(): void } | undefined
  /** Called when the notice disappears and its action was not used. */
  onClose?: (() => void) | undefined
  /** Milliseconds until it disappears. */
  timeoutMs: number
}

export type NewNotice = Pick<Notice, 'text' | 'action' | 'onClose'> & Partial<Pick<Notice, 'tone' | 'timeoutMs'>>

/** Notices disappear later if the customer has to act or to read an error. */
const TIMEOUT_MS = 6_000
const LONG_TIMEOUT_MS = 15_000
const AT_ONCE = 3

/** Holds the notices of an application. */
export interface NoticeQueue {
  add(notice: NewNotice): number
  remove(id: number): void
  /** Runs the action of a notice, and removes it. */
  act(id: number): void
  /** The present notices. The array is another one after each change. */
  list(): readonly Notice[]
  onChange(listener: () => void): () => void
}

export function createNoticeQueue(): NoticeQueue {
  let notices: readonly Notice[] = []
  let lastId = 0
  const listeners = new Set<() => void>()
  const set = (next: readonly Notice[]): void => {
    notices = next
    for (const listener of listeners) listener()
  }
  const take = (isTaken: (notice: Notice, index: number) => boolean): Notice[] => {
    const taken = notices.filter(isTaken)
    if (taken.length > 0) set(notices.filter((notice) => !taken.includes(notice)))
    return taken
  }
  const close = (isTaken: (notice: Notice, index: number) => boolean): void => {
    for (const notice of take(isTaken)) notice.onClose?.()
  }
  return {
    add: ({ tone = 'info', ...notice }) => {
      // The same text twice is one notice, unless it is about two things.
      close(({ text, action }) => text === notice.text && action === undefined)
      close((_, index) => index <= notices.length - AT_ONCE)
      lastId += 1
      const usual = notice.action !== undefined || tone === 'danger' ? LONG_TIMEOUT_MS : TIMEOUT_MS
      set([...notices, { timeoutMs: usual, ...notice, id: lastId, tone }])
      return lastId
    },
    remove: (id) => close((notice) => notice.id === id),
    act: (id) => {
      for (const { action } of take((notice) => notice.id === id)) action?.run()
    },
    list: () => notices,
    onChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
